//! Kernels that are right, and every way to be wrong.

use crate::setup::{Setup, Tunable};
use crate::{RIGHT, checked, failed, timed};
use bico_build::lock::Verified;
use bico_core::Value;
use bico_search::search::{Caches, Failure, Measure, Outcome};

pub(crate) fn right_kernels_are_timed() {
    let setup = Setup::new(checked());
    let mut measure = setup.measure();
    measure.prepare(&[0]).unwrap();
    assert_eq!(measure.verified, Verified::Reference);
    measure.announce(&[RIGHT, RIGHT + 1]);
    for config in [RIGHT, RIGHT + 1] {
        let sample = timed(measure.measure(config, None));
        assert!(sample.low <= sample.seconds && sample.seconds <= sample.high);
        assert!(sample.seconds > 0.0 && sample.runs >= 3 && !sample.cut);
        assert!(sample.decile <= sample.seconds && sample.confidence >= 0.75);
        // A tenth of a microsecond: many calls make a sample.
        assert_eq!(sample.caches, Caches::Warm);
    }
    assert!(measure.spent() > 0.0);
    // Nothing is that fast, so this is clearly worse.
    let sample = timed(measure.measure(RIGHT + 2, Some(1e-12)));
    assert!(sample.cut && sample.runs == 1);
}

pub(crate) fn every_failure_has_its_name() {
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
        (23, bounds, &["behind `out`"]),
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

pub(crate) fn what_one_leaves_behind_is_not_the_next_ones() {
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

pub(crate) fn hangs_are_ended() {
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

pub(crate) fn odd_but_right_kernels_pass() {
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

pub(crate) fn what_turns_wrong_later_is_found() {
    let setup = Setup::new(checked());
    let mut measure = setup.measure();
    measure.prepare(&[0]).unwrap();
    let failure = failed(measure.measure(27, None));
    assert!(matches!(&failure, Failure::Wrong(_)), "{failure:?}");
}

pub(crate) fn bytes_may_equal_the_poison() {
    let tunable = Tunable::new(
        "source = \"kernels.c\", entry = \"bytes\", space(MODE in [0]), problem(n = 5000), verify(rtol = 0.0)",
        "fn bytes(#[len(n)] out: &mut [u8], #[len(n)] #[init(uniform(0, 256))] x: &[u8], n: u64) -> bico::Result<()>;",
        vec![Value::Int(5000)],
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

pub(crate) fn in_place_kernels_start_afresh() {
    let tunable = Tunable::new(
        "source = \"kernels.c\", entry = \"doubles\", space(MODE in [0]), problem(n = 300), verify(reference = \"doubles_reference\")",
        "fn doubles(#[len(n)] #[init(iota)] x: &mut [i32], n: u32) -> bico::Result<()>;",
        vec![Value::Int(300)],
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
        // However short: what it starts from is put back before each call, so each is a sample.
        assert_eq!(timed(outcome).caches, Caches::Flushed);
    });
}

pub(crate) fn scratch_is_poisoned_and_guarded() {
    let tunable = Tunable::new(
        "source = \"kernels.c\", entry = \"with_scratch\", space(MODE in [0]), problem(n = 100), scratch(work: f32, len = n)",
        "fn with_scratch(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;",
        vec![Value::Int(100)],
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

pub(crate) fn zeroed_scratch_is_left_as_it_was_found() {
    let tunable = Tunable::new(
        "source = \"kernels.c\", entry = \"with_locks\", space(MODE in [0]), problem(n = 100), scratch(OTHER: u64, len = 0, zeroed), scratch(LOCKS: u32, len = n, zeroed)",
        "fn with_locks(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;",
        vec![Value::Int(100)],
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
    dirty(measure.measure(1, None), "0 of 100");
    timed(measure.measure(0, None));
    dirty(measure.measure(2, None), "99 of 100");
    timed(measure.measure(0, None));
}

pub(crate) fn identical_code_is_measured_once() {
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

pub(crate) fn finals_interleave_and_survive() {
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
    // Who can no longer win leaves, as soon as the intervals say so.
    assert!(slow.runs <= fast.runs, "{} of {}", slow.runs, fast.runs);
    timed(measure.measure(RIGHT + 1, None));
}
