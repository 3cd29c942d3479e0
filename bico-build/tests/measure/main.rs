//! Real C kernels, most of them broken: each yields its own failure, and the next config still works.
//!
//! This program is its own measuring worker, hence the `main`.

mod setup;

use bico_build::measure::{Launch, ScalarValue, Settings, Verified};
use bico_search::search::{Failure, Measure, Outcome, Sample};
use setup::{Setup, Tunable};

fn main() {
    bico_build::measure::run_if_worker();
    bico_build::compile::run_if_compiler();
    let tests: &[(&str, fn())] = &[
        ("right_kernels_are_timed", right_kernels_are_timed),
        ("every_failure_has_its_name", every_failure_has_its_name),
        (
            "what_one_leaves_behind_is_not_the_next_ones",
            what_one_leaves_behind_is_not_the_next_ones,
        ),
        ("hangs_are_ended", hangs_are_ended),
        ("odd_but_right_kernels_pass", odd_but_right_kernels_pass),
        (
            "what_turns_wrong_later_is_found",
            what_turns_wrong_later_is_found,
        ),
        ("bytes_may_equal_the_poison", bytes_may_equal_the_poison),
        (
            "in_place_kernels_start_afresh",
            in_place_kernels_start_afresh,
        ),
        (
            "scratch_is_poisoned_and_guarded",
            scratch_is_poisoned_and_guarded,
        ),
        (
            "zeroed_scratch_is_left_as_it_was_found",
            zeroed_scratch_is_left_as_it_was_found,
        ),
        (
            "identical_code_is_measured_once",
            identical_code_is_measured_once,
        ),
        (
            "finals_interleave_and_survive",
            finals_interleave_and_survive,
        ),
        (
            "without_a_reference_the_majority_decides",
            without_a_reference_the_majority_decides,
        ),
        ("a_faulty_reference_is_named", a_faulty_reference_is_named),
        (
            "a_slow_reference_serves_small_sizes",
            a_slow_reference_serves_small_sizes,
        ),
        (
            "outputs_of_the_reference_are_kept",
            outputs_of_the_reference_are_kept,
        ),
        ("signatures_must_agree", signatures_must_agree),
        (
            "names_of_the_c_library_are_free",
            names_of_the_c_library_are_free,
        ),
        ("a_runner_starts_the_worker", a_runner_starts_the_worker),
        ("no_process_is_left_behind", no_process_is_left_behind),
    ];
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.iter().any(|word| word == "--list") {
        tests.iter().for_each(|(name, _)| println!("{name}: test"));
        return;
    }
    // As libtest does: words select tests by part of their name; options are for others.
    let wanted: Vec<&String> = words.iter().filter(|word| !word.starts_with('-')).collect();
    for (name, test) in tests
        .iter()
        .filter(|(name, _)| wanted.is_empty() || wanted.iter().any(|word| name.contains(*word)))
    {
        println!("test {name} ...");
        test();
    }
    println!("test result: ok");
}

const SCALE: &str = "fn scale(#[len(n)] out: &mut [f32], #[len(n)] x: &[f32], alpha: f32, n: u32) -> bico::Result<()>;";

/// Configs from here on are right, each with other code.
const RIGHT: u64 = 1000;

fn scale(extra: &str) -> Tunable {
    Tunable::new(
        &format!(
            "source = \"kernels.c\", space(MODE in [0]), problem(alpha = 0.3, n = 1000), {extra}"
        ),
        SCALE,
        vec![ScalarValue::Float(0.3), ScalarValue::Int(1000)],
        |sizes| vec![sizes[1], sizes[1]],
    )
}

fn checked() -> Tunable {
    scale("verify(reference = \"scale_reference\", rtol = 1e-6)")
}

fn timed(outcome: Outcome) -> Sample {
    match outcome {
        Outcome::Timed(sample) => sample,
        other => panic!("{other:?}"),
    }
}

fn failed(outcome: Outcome) -> Failure {
    match outcome {
        Outcome::Failed(failure) => failure,
        other => panic!("{other:?}"),
    }
}

fn right_kernels_are_timed() {
    let setup = Setup::new(checked());
    let mut measure = setup.measure();
    measure.prepare(&[0]).unwrap();
    assert_eq!(measure.verified(), Verified::Reference);
    measure.announce(&[RIGHT, RIGHT + 1]);
    for config in [RIGHT, RIGHT + 1] {
        let sample = timed(measure.measure(config, None));
        assert!(sample.low <= sample.seconds && sample.seconds <= sample.high);
        assert!(sample.seconds > 0.0 && sample.runs >= 3 && !sample.cut);
    }
    assert!(measure.spent() > 0.0);
    // Nothing is that fast, so this is clearly worse.
    let sample = timed(measure.measure(RIGHT + 2, Some(1e-12)));
    assert!(sample.cut && sample.runs == 3);
}

fn every_failure_has_its_name() {
    let setup = Setup::new(checked());
    let mut measure = setup.measure();
    measure.prepare(&[0]).unwrap();
    type Is = fn(&Failure) -> bool;
    let crash: Is = |failure| matches!(failure, Failure::Crash(_));
    let bounds: Is = |failure| matches!(failure, Failure::OutOfBounds(_));
    let wrong: Is = |failure| matches!(failure, Failure::Wrong(_));
    let cases: &[(u64, Is, &[&str])] = &[
        (1, crash, &["SIGSEGV", "n = "]),
        (2, crash, &["SIGABRT"]),
        (3, crash, &["exit status 0"]),
        (5, bounds, &["behind `out`", "n = "]),
        (6, bounds, &["before `out`", "element -1 "]),
        (7, bounds, &["behind `x`"]),
        (8, bounds, &["before `x`"]),
        (9, wrong, &["out[77] is ", "n = 1000"]),
        (
            10,
            |failure| matches!(failure, Failure::Unwritten(_)),
            &["`out` unwritten"],
        ),
        (11, wrong, &["changes its input `x`"]),
        (12, crash, &["SIGABRT"]),
        (
            17,
            |failure| matches!(failure, Failure::Compile(_)),
            &["this config does not compile"],
        ),
        (18, crash, &["SIG"]),
        (19, crash, &[]),
        (20, crash, &["SIGABRT", "invalid pointer"]),
        (21, wrong, &["n = "]),
        (23, crash, &["SIGSEGV"]),
    ];
    for (config, is, words) in cases {
        println!("  MODE = {config}");
        let failure = failed(measure.measure(*config, None));
        assert!(is(&failure), "{config}: {failure:?}");
        let text = format!("{failure:?}");
        assert!(
            words.iter().all(|word| text.contains(word)),
            "{config}: {text}"
        );
        timed(measure.measure(RIGHT + config, None));
    }
}

fn what_one_leaves_behind_is_not_the_next_ones() {
    let setup = Setup::new(checked());
    let mut measure = setup.measure();
    measure.prepare(&[0]).unwrap();
    // In 2 s the worker dies, whoever is in it then.
    measure.measure(28, None);
    let start = std::time::Instant::now();
    let mut config = RIGHT;
    while start.elapsed().as_secs_f64() < 4.0 {
        timed(measure.measure(config, None));
        config += 1;
    }
    // In the finals nobody is put out for it either.
    measure.measure(28, None);
    let finals = measure.finals(&[RIGHT, RIGHT + 1, RIGHT + 2]);
    finals.into_iter().for_each(|outcome| {
        timed(outcome);
    });
}

fn hangs_are_ended() {
    let setup = Setup::new(checked());
    let mut measure = setup.measure_with(|settings| settings.hang_seconds = 1.0);
    measure.prepare(&[0]).unwrap();
    for config in [4, 24] {
        let failure = failed(measure.measure(config, None));
        assert!(
            matches!(&failure, Failure::Timeout(text) if text.contains("n = ")),
            "{failure:?}"
        );
        timed(measure.measure(RIGHT + config, None));
    }
}

fn odd_but_right_kernels_pass() {
    let setup = Setup::new(checked());
    let mut measure = setup.measure();
    measure.prepare(&[0]).unwrap();
    // Prints, children that stay, children that return, another rounding mode, reading standard input.
    for config in [13, 14, 15, 16, 22] {
        let outcome = measure.measure(config, None);
        assert!(
            matches!(outcome, Outcome::Timed(_)),
            "{config}: {outcome:?}"
        );
        timed(measure.measure(RIGHT + config, None));
    }
}

fn what_turns_wrong_later_is_found() {
    let setup = Setup::new(checked());
    let mut measure = setup.measure();
    measure.prepare(&[0]).unwrap();
    let failure = failed(measure.measure(27, None));
    assert!(matches!(&failure, Failure::Wrong(_)), "{failure:?}");
}

fn bytes_may_equal_the_poison() {
    let tunable = Tunable::new(
        "source = \"kernels.c\", entry = \"bytes\", space(MODE in [0]), problem(n = 5000), verify(rtol = 0.0)",
        "fn bytes(#[len(n)] out: &mut [u8], #[len(n)] #[init(uniform(0, 256))] x: &[u8], n: u64) -> bico::Result<()>;",
        vec![ScalarValue::Int(5000)],
        |sizes| vec![sizes[0], sizes[0]],
    );
    let setup = Setup::new(tunable);
    let mut measure = setup.measure();
    measure.prepare(&[0]).unwrap();
    timed(measure.measure(0, None));
    let failure = failed(measure.measure(10, None));
    assert!(
        matches!(&failure, Failure::Unwritten(text) if text.contains("1 of ")),
        "{failure:?}"
    );
}

fn in_place_kernels_start_afresh() {
    let tunable = Tunable::new(
        "source = \"kernels.c\", entry = \"doubles\", space(MODE in [0]), problem(n = 300), verify(reference = \"doubles_reference\")",
        "fn doubles(#[len(n)] #[init(iota)] x: &mut [i32], n: u32) -> bico::Result<()>;",
        vec![ScalarValue::Int(300)],
        |sizes| vec![sizes[0]],
    );
    let setup = Setup::new(tunable);
    let mut measure = setup.measure();
    measure.prepare(&[0]).unwrap();
    timed(measure.measure(0, None));
    assert!(matches!(
        failed(measure.measure(9, None)),
        Failure::Wrong(_)
    ));
    timed(measure.measure(RIGHT, None));
    measure.finals(&[0, RIGHT]).into_iter().for_each(|outcome| {
        timed(outcome);
    });
}

fn scratch_is_poisoned_and_guarded() {
    let tunable = Tunable::new(
        "source = \"kernels.c\", entry = \"with_scratch\", space(MODE in [0]), problem(n = 100), scratch(work: f32, len = n)",
        "fn with_scratch(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;",
        vec![ScalarValue::Int(100)],
        |sizes| vec![sizes[0]],
    );
    let mut setup = Setup::new(tunable);
    setup.tunable.scratch = |sizes| vec![sizes[0]];
    let mut measure = setup.measure();
    measure.prepare(&[0]).unwrap();
    timed(measure.measure(0, None));
    // What it reads from scratch is a NaN, which the first config's results are not.
    assert!(matches!(
        failed(measure.measure(9, None)),
        Failure::Wrong(_)
    ));
    let failure = failed(measure.measure(5, None));
    assert!(
        matches!(&failure, Failure::OutOfBounds(text) if text.contains("`work`")),
        "{failure:?}"
    );
}

fn zeroed_scratch_is_left_as_it_was_found() {
    let tunable = Tunable::new(
        "source = \"kernels.c\", entry = \"with_locks\", space(MODE in [0]), problem(n = 100), scratch(OTHER: u64, len = 0, zeroed), scratch(LOCKS: u32, len = n, zeroed)",
        "fn with_locks(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;",
        vec![ScalarValue::Int(100)],
        |sizes| vec![sizes[0]],
    );
    let mut setup = Setup::new(tunable);
    setup.tunable.scratch = |sizes| vec![0, sizes[0]];
    let mut measure = setup.measure();
    measure.prepare(&[0]).unwrap();
    timed(measure.measure(0, None));
    let dirty = |outcome, element: &str| {
        let Failure::Wrong(text) = failed(outcome) else {
            panic!("it is not wrong");
        };
        let start = format!(
            "scratch `LOCKS` is not zero when the kernel ends: at element {element}, at n = "
        );
        assert!(text.starts_with(&start), "{text}");
    };
    // What one config leaves behind is not the next one's fault.
    dirty(measure.measure(1, None), "0 of 1");
    timed(measure.measure(0, None));
    dirty(measure.measure(2, None), "99 of 100");
    timed(measure.measure(0, None));
}

fn identical_code_is_measured_once() {
    let setup = Setup::new(checked());
    let mut measure = setup.measure();
    measure.prepare(&[0]).unwrap();
    let first = timed(measure.measure(0, None));
    // No code depends on MODE 500.
    assert_eq!(measure.measure(500, None), Outcome::Same(0, first));
    let failure = failed(measure.measure(9, None));
    assert!(matches!(failure, Failure::Wrong(_)));
    let finals = measure.finals(&[0, 500]);
    let Outcome::Timed(sample) = &finals[0] else {
        panic!("{finals:?}")
    };
    assert_eq!(finals[1], Outcome::Same(0, sample.clone()));
}

fn finals_interleave_and_survive() {
    let setup = Setup::new(checked());
    let mut measure = setup.measure();
    measure.prepare(&[0]).unwrap();
    // 25 dies in the middle, 26 is slow by orders of magnitude, 9 is wrong.
    let outcomes = measure.finals(&[26, 25, 9, RIGHT]);
    let slow = timed(outcomes[0].clone());
    let failure = failed(outcomes[1].clone());
    assert!(
        matches!(&failure, Failure::Crash(text) if text.contains("SIGABRT")),
        "{failure:?}"
    );
    assert!(matches!(failed(outcomes[2].clone()), Failure::Wrong(_)));
    let fast = timed(outcomes[3].clone());
    assert!(fast.seconds < slow.seconds);
    assert_eq!(fast.runs, slow.runs);
    timed(measure.measure(RIGHT + 1, None));
}

fn without_a_reference_the_majority_decides() {
    let setup = Setup::new(scale("verify(rtol = 1e-6)"));
    let mut measure = setup.measure();
    measure.prepare(&[0]).unwrap();
    assert_eq!(measure.verified(), Verified::Consensus);
    // The first one is wrong, which nobody can know yet.
    timed(measure.measure(9, None));
    assert!(matches!(
        failed(measure.measure(RIGHT, None)),
        Failure::Wrong(_)
    ));
    timed(measure.measure(RIGHT + 1, None));
    timed(measure.measure(RIGHT + 2, None));
    let outcomes = measure.finals(&[9, RIGHT, RIGHT + 1]);
    assert!(matches!(failed(outcomes[0].clone()), Failure::Wrong(_)));
    timed(outcomes[1].clone());
    timed(outcomes[2].clone());
}

fn a_faulty_reference_is_named() {
    let prepare = |reference: &str| {
        let setup = Setup::new(scale(&format!("verify(reference = \"{reference}\")")));
        let mut measure = setup.measure();
        measure.prepare(&[0]).unwrap_err()
    };
    let text = prepare("reference_that_crashes");
    assert!(
        text.contains("`reference_that_crashes`") && text.contains("SIGABRT"),
        "{text}"
    );
    let text = prepare("reference_that_trespasses");
    assert!(
        text.contains("`reference_that_trespasses`") && text.contains("behind `out`"),
        "{text}"
    );
    let text = prepare("no_such_reference");
    assert!(
        text.contains("has no function `no_such_reference`"),
        "{text}"
    );
}

fn a_slow_reference_serves_small_sizes() {
    let mut setup = Setup::new(checked());
    setup.tunable.reference = Some("slow_reference");
    setup.tunable.extra = "
void slow_reference(float *out, const float *x, float alpha, uint32_t n)
{
    for (volatile int run = n > 500; run;)
        ;
    scale_reference(out, x, alpha, n);
}
";
    let setup = setup.written();
    let mut measure = setup.measure_with(|settings| settings.reference_seconds = 1.0);
    measure.prepare(&[0]).unwrap();
    assert_eq!(measure.verified(), Verified::SmallSizes);
    timed(measure.measure(0, None));
    // Right at small sizes, but not what the others say at the problem's.
    timed(measure.measure(RIGHT, None));
    assert!(matches!(
        failed(measure.measure(9, None)),
        Failure::Wrong(_)
    ));
    assert!(matches!(
        failed(measure.measure(21, None)),
        Failure::Wrong(_)
    ));
}

fn outputs_of_the_reference_are_kept() {
    let setup = Setup::new(checked());
    setup.measure().prepare(&[0]).unwrap();
    let outputs = || {
        let folder = std::fs::read_dir(setup.folder().join("measure/references")).unwrap();
        let mut files: Vec<_> = folder.map(|file| file.unwrap()).collect();
        files.sort_by_key(|file| file.path());
        files
            .iter()
            .map(|file| (file.path(), file.metadata().unwrap().modified().unwrap()))
            .collect::<Vec<_>>()
    };
    let before = outputs();
    assert!(!before.is_empty());
    setup.measure().prepare(&[0]).unwrap();
    assert_eq!(outputs(), before);
}

fn signatures_must_agree() {
    let check = |kernel: &str, language: &str| {
        let tunable = Tunable::new(
            &format!("source = \"own.{language}\", space(MODE in [0]), problem(n = 100)"),
            "fn own(#[len(n)] out: &mut [f32], #[len(n)] index: &[i64], n: usize) -> bico::Result<()>;",
            vec![ScalarValue::Int(100)],
            |sizes| vec![sizes[0], sizes[0]],
        );
        let mut setup = Setup::new(tunable);
        setup.tunable.source = Some(format!(
            "#include <stdint.h>\n#include <stddef.h>\n{kernel}\n"
        ));
        let setup = setup.written();
        setup.measure().prepare(&[0])
    };
    let good = [
        "void own(float *out, const int64_t *index, size_t n) {}",
        "void own(float *restrict out, uint64_t *index, const int64_t n) {}",
        "void own(float *out, const long long *index, unsigned long long n) {}",
        "void own(void *out, const void *index, long n) {}",
        "void own(float out[static 1], const int64_t index[], intptr_t n) {}",
    ];
    for kernel in good {
        assert_eq!(check(kernel, "c"), Ok(()), "{kernel}");
    }
    let bad = [
        "void own(float *out, const int64_t *index, uint32_t n) {}",
        "void own(float *out, const int64_t *index) {}",
        "void own(float *out, const int64_t *index, size_t n, int more) {}",
        "void own(double *out, const int64_t *index, size_t n) {}",
        "void own(float *out, const int32_t *index, size_t n) {}",
        "void own(float *out, size_t n, const int64_t *index) {}",
        "void own(float *out, const int64_t *index, double n) {}",
    ];
    for kernel in bad {
        for (language, linkage) in [("c", ""), ("cpp", "extern \"C\" ")] {
            let text = check(&format!("{linkage}{kernel}"), language).unwrap_err();
            assert!(
                text.contains("void own(float *, const int64_t *, size_t)"),
                "{kernel}: {text}"
            );
            let shown = text.split("takes:").nth(1).unwrap_or_default();
            assert!(shown.contains("void own("), "{kernel}: {text}");
        }
    }
    let cpp = [
        "extern \"C\" void own(float *out, const int64_t *index, size_t n) {}",
        "extern \"C\" void own(float *__restrict out, const unsigned long long *index, long n) {}",
        "extern \"C\" void own(void *out, const void *index, long n) {}",
    ];
    for kernel in cpp {
        assert_eq!(check(kernel, "cpp"), Ok(()), "{kernel}");
    }
    // Right arguments are not all.
    let arguments = "(float *out, const int64_t *index, size_t n)";
    for (kernel, language, words) in [
        (
            "int own@ { return 0; }",
            "c",
            ["gives back `int`", "int own(float *"],
        ),
        (
            "extern \"C\" int own@ { return 0; }",
            "cpp",
            ["gives back `int`", "int own(float*"],
        ),
        ("static void own@ {}", "c", ["`static`", "cannot be called"]),
        ("inline void own@ {}", "c", ["`inline`", "cannot be called"]),
        ("void own@ {}", "cpp", ["extern \"C\"", "cannot be called"]),
    ] {
        let text = check(&kernel.replace('@', arguments), language).unwrap_err();
        assert!(
            words.iter().all(|word| text.contains(word)) && !text.contains("undefined"),
            "{kernel}: {text}"
        );
    }
    let text = check("void other(void) {}", "c").unwrap_err();
    assert!(text.contains("has no function `own`"), "{text}");
    assert!(
        check("void other() {}", "cpp")
            .unwrap_err()
            .contains("has no function `own`")
    );
    // So many arguments that no assertion holds all ways to write them.
    let many = |last: &str| {
        let sizes: String = (0..12).map(|at| format!("s{at}: u64, ")).collect();
        let tunable = Tunable::new(
            &format!(
                "source = \"own.c\", space(MODE in [0]), problem({})",
                (0..12).map(|at| format!("s{at} = 5, ")).collect::<String>()
            ),
            &format!("fn own(#[len(s0)] out: &mut [f32], {sizes}) -> bico::Result<()>;"),
            vec![ScalarValue::Int(5); 12],
            |sizes| vec![sizes[0]],
        );
        let mut setup = Setup::new(tunable);
        let sizes: String = (0..11).map(|at| format!("const size_t s{at}, ")).collect();
        setup.tunable.source = Some(format!(
            "#include <stddef.h>\nvoid own(float *restrict out, {sizes}{last} s11) {{}}\n"
        ));
        setup.written().measure().prepare(&[0])
    };
    assert_eq!(many("long long"), Ok(()));
    let text = many("unsigned").unwrap_err();
    assert!(text.contains("takes:   void own(float *"), "{text}");
    // A source that does not compile is told by its trials.
    let broken = "void own(float *out, const int64_t *index, size_t n) { nonsense; }";
    assert_eq!(check(broken, "c"), Ok(()));
}

fn names_of_the_c_library_are_free() {
    let tunable = Tunable::new(
        "source = \"own.c\", entry = \"swab\", space(MODE in [0]), problem(n = 100)",
        "fn own(#[len(n)] out: &mut [f32], #[len(n)] x: &[f32], n: u32) -> bico::Result<()>;",
        vec![ScalarValue::Int(100)],
        |sizes| vec![sizes[0], sizes[0]],
    );
    let mut setup = Setup::new(tunable);
    // The C library's function of that name copies bytes in another order and as many as `n`.
    setup.tunable.source = Some(
        "#include <stdint.h>
void swab(float *out, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        out[i] = x[i] + 1;
}
"
        .into(),
    );
    let setup = setup.written();
    let mut measure = setup.measure();
    measure.prepare(&[0]).unwrap();
    timed(measure.measure(0, None));
}

fn a_runner_starts_the_worker() {
    let setup = Setup::new(checked());
    let runner = |words: &[&str]| {
        words
            .iter()
            .map(|word| word.to_string())
            .collect::<Vec<_>>()
    };
    let with = |words: &[&str]| {
        let launch = Launch::this_program(runner(words)).unwrap();
        setup.measure_with(|settings: &mut Settings| settings.launch = launch)
    };
    let mut measure = with(&["sh", "-c", "echo hello; exec \"$0\" \"$@\""]);
    measure.prepare(&[0]).unwrap();
    timed(measure.measure(RIGHT, None));
    assert!(
        matches!(failed(measure.measure(1, None)), Failure::Crash(text) if text.contains("SIGSEGV"))
    );
    timed(measure.measure(RIGHT + 1, None));
    let mut measure = with(&["/no/such/runner"]);
    let failure = failed(measure.measure(RIGHT + 2, None));
    assert!(
        matches!(&failure, Failure::Worker(text) if text.contains("/no/such/runner")),
        "{failure:?}"
    );
}

/// Runs last: kernels of the tests before it forked, hung and crashed.
fn no_process_is_left_behind() {
    let setup = Setup::new(checked());
    let mut measure = setup.measure();
    timed(measure.measure(14, None));
    drop(measure);
    let own = std::env::current_exe().unwrap();
    let others = || {
        let processes = std::fs::read_dir("/proc")
            .unwrap()
            .filter_map(|entry| entry.ok());
        processes
            .filter(|entry| {
                entry
                    .file_name()
                    .to_string_lossy()
                    .parse()
                    .is_ok_and(|id: u32| id != std::process::id())
            })
            .filter(|entry| {
                std::fs::read_link(entry.path().join("exe")).is_ok_and(|exe| exe == own)
            })
            .filter(|entry| {
                let mark = format!("--bico-measuring-worker=bico-{}-", std::process::id());
                std::fs::read_to_string(entry.path().join("cmdline"))
                    .is_ok_and(|line| line.contains(&mark))
            })
            .count()
    };
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while others() > 0 && std::time::Instant::now() < deadline {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert_eq!(others(), 0);
}
