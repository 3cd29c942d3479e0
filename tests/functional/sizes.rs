//! Which config serves which sizes.

use crate::harness::Package;

/// Right only where `TILE` divides `n`. The small tile does a thousand times the work.
const TILED: &str = r#"
#include <stdint.h>

void work(float *y, const float *x, uint32_t n)
{
    for (volatile int spin = 0; spin < (TILE == 8 ? 50000 : 0); spin++) {
    }
    for (uint32_t i = 0; i + TILE <= n; i += TILE)
        for (uint32_t j = i; j < i + TILE; j++)
            y[j] = 2 * x[j];
}

void work_reference(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i];
}
"#;

const TILED_MAIN: &str = r#"
#[bico::tunable(
    source = "kernels/work.c",
    space(TILE in [8, 64]),
    require(n.is_multiple_of(TILE)),
    problem(n = 4096),
    verify(reference = "work_reference"),
    budget(evaluations = 8, seconds = 20),
)]
fn work(#[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32) -> bico::Result<()>;

fn main() {
    for n in [4096, 640, 24, 100] {
        let mut y = vec![0.0; n];
        let result = work(&mut y, &vec![1.0; n], n as u32);
        let sum: f32 = y.iter().sum();
        match result.and_then(|()| bico::config_of(work_tunable(), &[n as i64])) {
            Ok(choice) => println!("{n}: {sum} {}", choice.to_string().replace(&choice.device, "DEVICE")),
            Err(error) => println!("{n}: {sum} {error}"),
        }
    }
}
"#;

#[test]
fn a_kernel_for_multiples_of_its_tile() {
    let package = Package::new("tiled");
    package.file("kernels/work.c", TILED);
    package.file("src/main.rs", TILED_MAIN);
    package.build("auto").ok();
    assert_eq!(package.winner("work")["TILE"], 64);
    // What far sizes learn is not of interest here.
    let printed = package
        .start()
        .env("BICO_RUNTIME", "fixed")
        .run()
        .ok()
        .stdout;
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(
        lines[0],
        "4096: 8192 work (n=4096): TILE=64 (tuned on DEVICE)"
    );
    assert_eq!(
        lines[1],
        "640: 1280 work (n=640): TILE=64 (nearest size n=4096 on DEVICE, further away than a factor of two)"
    );
    // The winner does not fit: the next candidate that does.
    assert_eq!(
        lines[2],
        "24: 48 work (n=24): TILE=8 (the choice for n=4096 on DEVICE does not fit these sizes)"
    );
    // None fits, and none has run.
    assert!(
        lines[3].starts_with("100: 0 ") && lines[3].contains("n=100"),
        "{printed}"
    );
    assert!(
        printed.contains("`n.is_multiple_of(TILE)` does not hold"),
        "{printed}"
    );

    // Without the condition it is caught at sizes that nobody asked for.
    package.edit("src/main.rs", "    require(n.is_multiple_of(TILE)),\n", "");
    package.edit("src/main.rs", "[8, 64]", "[8, 64, 1]");
    package
        .build("tune")
        .ok()
        .says("2 of the 3 configs of `work` (n=4096) that were measured are not right");
    assert_eq!(package.winner("work")["TILE"], 1);
    for row in package
        .trail("work")
        .iter()
        .filter(|row| row["values"]["TILE"] != 1)
    {
        assert_eq!(row["failure"], "unwritten", "{row:#}");
        assert!(row["detail"].as_str().unwrap().contains("n = "), "{row:#}");
    }
    let printed = package.run();
    assert!(
        printed.contains("100: 200 work (n=100): TILE=1 (nearest size"),
        "{printed}"
    );
}

/// `BIG` must be 1 for large and 0 for small sizes, else the kernel does a thousand times the work.
const REGIMES: &str = r#"
#include <stdint.h>

void work(float *y, const float *x, uint32_t n, uint32_t m)
{
    for (volatile int spin = 0; spin < (BIG == (n >= 4096) ? 0 : 200000); spin++) {
    }
    for (uint32_t i = 0; i < n; i++)
        y[i] = x[i] * m;
}

void work_reference(float *y, const float *x, uint32_t n, uint32_t m)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = x[i] * m;
}
"#;

#[test]
fn the_nearest_problem_in_the_logarithm_of_the_sizes() {
    let package = Package::new("regimes");
    package.file("kernels/work.c", REGIMES);
    package.file(
        "src/main.rs",
        r#"
        #[bico::tunable(
            source = "kernels/work.c",
            space(BIG in [true, false]),
            problem(n = 64, m = 3),
            problem(n = 65536, m = 3),
            verify(reference = "work_reference"),
            budget(evaluations = 8, seconds = 20),
        )]
        fn work(#[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32, m: u32) -> bico::Result<()>;

        fn main() -> bico::Result<()> {
            for (n, m) in [(64, 3), (65536, 3), (1, 3), (1000, 3), (4000, 3), (1 << 20, 3), (64, 5)] {
                let mut y = vec![0.0; n];
                work(&mut y, &vec![1.0; n], n as u32, m)?;
                assert!(y.iter().all(|y| *y == m as f32));
                let choice = bico::config_of(work_tunable(), &[n as i64, m.into()])?;
                println!("{n} {m}: {} {:?} {}", choice.config, choice.reason, choice.problem[0].1);
            }
            Ok(())
        }
        "#,
    );
    package.build("auto").ok();
    // Without learning at the far ones.
    let printed = package
        .start()
        .env("BICO_RUNTIME", "fixed")
        .run()
        .ok()
        .stdout;
    assert_eq!(
        printed,
        "64 3: BIG=false Exact 64\n\
         65536 3: BIG=true Exact 65536\n\
         1 3: BIG=false NearestSize 64\n\
         1000 3: BIG=false NearestSize 64\n\
         4000 3: BIG=true NearestSize 65536\n\
         1048576 3: BIG=true NearestSize 65536\n\
         64 5: BIG=false NearestSize 64\n"
    );
    // Another problem is a missing entry: only that one is measured.
    package.edit(
        "src/main.rs",
        "problem(n = 64, m = 3),",
        "problem(n = 64, m = 3), problem(n = 1000, m = 3),",
    );
    let before = package.entries("work");
    package
        .build("locked")
        .fails()
        .says("n=1000, m=3")
        .says_nothing_of("n=64, m=3");
    package.build("auto").ok();
    let after = package.entries("work");
    for problem in ["m=3, n=64", "m=3, n=65536"] {
        assert_eq!(before[problem], after[problem]);
    }
    assert_eq!(after["m=3, n=1000"]["winner"]["config"]["BIG"], false);
    assert!(package.run().contains("1000 3: BIG=false Exact 1000"));
}

/// Compile-time constants of a problem are matched, never approached.
#[test]
fn constants_of_a_problem() {
    let package = Package::new("constants");
    package.file(
        "kernels/work.c",
        r#"
        #include <stdint.h>
        #define JOIN_(a, b) a##b
        #define JOIN(a, b) JOIN_(a, b)
        #define plus_one(x) ((x) + 1)
        #define times_two(x) ((x) * 2)

        void work(float *y, const float *x, uint32_t n)
        {
            for (volatile int spin = 0; spin < SPIN; spin++) {
            }
            for (uint32_t i = 0; i < n; i++)
                y[i] = JOIN(, ACT)(x[i]) + (EXACT ? 0 : 100);
        }

        void work_reference(float *y, const float *x, uint32_t n)
        {
            for (uint32_t i = 0; i < n; i++)
                y[i] = JOIN(, ACT)(x[i]) + (EXACT ? 0 : 100);
        }
        "#,
    );
    package.file(
        "src/main.rs",
        r#"
        #[bico::tunable(
            source = "kernels/work.c",
            space(SPIN in if ACT == "plus_one" { [30000, 0] } else { [400000, 1] }),
            problem(n = 64, const ACT = "plus_one", const EXACT = true),
            problem(n = 64, const ACT = "times_two", const EXACT = true),
            problem(n = 64, const ACT = "times_two", const EXACT = false),
            verify(reference = "work_reference"),
            budget(evaluations = 8, seconds = 20),
        )]
        fn work(act: &str, #[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32, exact: bool) -> bico::Result<()>;

        fn main() {
            for (act, exact, n) in [
                ("plus_one", true, 64), ("times_two", true, 64), ("times_two", false, 9), ("plus_one", false, 64), ("none", true, 64),
            ] {
                let mut y = [0.0; 64];
                match work(act, &mut y, &[5.0; 64], n, exact) {
                    Ok(()) => println!("{act} {exact} {n}: {} {}", y[0], work_warm_up(act, n, exact).unwrap().config),
                    Err(error) => println!("{act} {exact} {n}: {error}"),
                }
            }
        }
        "#,
    );
    package.build("auto").ok();
    let printed = package.run();
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines[0], "plus_one true 64: 6 SPIN=0");
    assert_eq!(lines[1], "times_two true 64: 10 SPIN=1");
    assert_eq!(lines[2], "times_two false 9: 110 SPIN=1");
    for line in &lines[3..5] {
        assert!(line.contains("no `problem(..)` has"), "{printed}");
    }
    assert!(
        lines[4].contains("\"none\"") && lines[4].contains("plus_one"),
        "{printed}"
    );
}

/// The one that does a thousand times the work leaves an odd last element alone.
const SLOW_AND_ODD: &str = r#"
#include <stdint.h>

void work(float *y, const float *x, uint32_t n)
{
    for (volatile int spin = 0; spin < SPIN; spin++) {
    }
    for (uint32_t i = 0; i < (SPIN ? n / 2 * 2 : n); i++)
        y[i] = 2 * x[i];
}

void work_reference(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i];
}
"#;

/// A package of such a kernel, whose `SPIN` is nothing or much.
fn spinning(name: &str, kernel: &str) -> Package {
    let package = Package::new(name);
    package.file("kernels/work.c", kernel);
    let main = TILED_MAIN.replace("TILE in [8, 64]", "SPIN in [0, 2000000]");
    let main = main.replace("    require(n.is_multiple_of(TILE)),\n", "");
    package.file("src/main.rs", &main);
    package
}

/// It is no candidate to win, so its own outputs alone are looked at; but not kept unseen. Nor where it was begun before the
/// faster one was measured.
#[test]
fn who_is_too_slow_to_win_is_checked_before_it_is_kept() {
    for (jobs, most) in [("1", None), ("2", Some(2))] {
        let package = spinning("slow-and-odd", SLOW_AND_ODD);
        let build = package.cargo(&["build", "-j", jobs]);
        build.env("BICO", "auto").run().ok();
        assert_eq!(package.winner("work")["SPIN"], 0);
        let rows = package.trail("work");
        let under_way = rows.iter().filter_map(|row| row["under_way"].as_u64());
        assert_eq!(under_way.max(), most);
        let slow: Vec<_> = rows
            .iter()
            .filter(|row| row["values"]["SPIN"] == 2_000_000)
            .collect();
        let [timed, judged] = slow[..] else {
            panic!("{rows:#?}");
        };
        assert_eq!(timed["cut"], true);
        assert_eq!(
            (&judged["kind"], &judged["failure"]),
            (&"judged".into(), &"unwritten".into())
        );
        assert!(!package.read("bico.lock").contains("2000000"));
        assert!(package.run().contains("4096: 8192"));
    }
}

/// A config that is wrong at one size, on a machine that others keep busy and that stands still while the reference is asked there.
#[track_caller]
fn is_waited_for(name: &str, size: u32, microseconds: u32, said: &str) {
    let reference = "void work_reference(float *y, const float *x, uint32_t n)\n{";
    let busy = format!(
        "#include <unistd.h>\n{reference}\n    if (n == {size})\n        usleep({microseconds});"
    );
    let wrong = format!("for (uint32_t i = 0; i < n - (SPIN == 0 && n == {size}); i++)");
    let kernel = SLOW_AND_ODD
        .replace(
            "for (uint32_t i = 0; i < (SPIN ? n / 2 * 2 : n); i++)",
            &wrong,
        )
        .replace(reference, &busy);
    let package = spinning(name, &kernel);
    package.build("auto").ok();
    assert_eq!(package.winner("work")["SPIN"], 2_000_000);
    let rows = package.trail("work");
    let mut details = rows.iter().filter_map(|row| row["detail"].as_str());
    assert!(details.any(|why| why.contains(said)), "{rows:#?}");
}

/// The lock says whether the winner was seen at more than the problem's sizes.
#[test]
fn it_is_said_where_nobody_looked_beyond_the_problem() {
    let package = spinning("unseen", SLOW_AND_ODD);
    let none = " awkward sizes (none twice the problem's), ";
    let tested = || {
        let entry = &package.entries("work")["n=4096"];
        entry["winner"]["tested"].as_str().unwrap().to_string()
    };
    package.build("auto").ok();
    assert!(tested().contains(" awkward sizes, "), "{}", tested());
    // Where the reference crashes, only the problem's sizes and smaller ones are known to be sizes of it.
    let reference = "void work_reference(float *y, const float *x, uint32_t n)\n{";
    let limited = format!("{reference}\n    if (n > 4096)\n        __builtin_trap();");
    package.edit("kernels/work.c", reference, &limited);
    package.build("auto").ok();
    assert!(tested().contains(none), "{}", tested());
}

/// What a reference leaves unwritten with other inputs cannot be compared.
#[test]
fn a_reference_that_fails_with_other_inputs_is_told() {
    let at = SLOW_AND_ODD.find("void work_reference").unwrap();
    let (config, reference) = SLOW_AND_ODD.split_at(at);
    let reference = reference.replace("y[i] = 2", "if (x[i] <= 2) y[i] = 2");
    let package = spinning("half_a_reference", &format!("{config}{reference}"));
    package
        .build("auto")
        .ok()
        .says("`work` was not checked at every awkward size: with other inputs, ")
        .says("`work_reference` is wrong");
}

#[test]
fn beyond_the_problem_a_busy_machine_is_waited_for() {
    is_waited_for("beyond", 8192, 4_500_000, "1 of 8192 elements");
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn at_awkward_sizes_a_busy_machine_is_waited_for() {
    is_waited_for("awkward_busy", 1, 4_500_000, "1 of 1 element of");
    is_waited_for("awkward_slowed", 1, 300_000, "1 of 1 element of");
}
