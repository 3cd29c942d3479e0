//! Sources, entries, flags and references.

use crate::harness::{KERNEL, MAIN, Package, tunable};

/// The entry is an expression, flags hold parameters, the reference is another file, values come
/// from constants of the Rust file.
#[test]
fn entry_flags_reference_and_constants() {
    let package = Package::new("options");
    package.file(
        "kernels/work.c",
        r#"
        #include "body.h"

        void work_fast(float *y, const float *x, uint32_t n) { body(y, x, n); }
        void work_slow(float *y, const float *x, uint32_t n) { for (volatile int spin = 0; spin < 50000; spin++) {} body(y, x, n); }
        "#,
    );
    package.file(
        "kernels/body.h",
        r#"
        #include <stdint.h>
        #if GIVEN != UNROLL || LAST != 4
        #error flags
        #endif

        static void body(float *y, const float *x, uint32_t n)
        {
            for (uint32_t i = 0; i < n; i++)
                y[i] = 2 * x[i] + 1;
        }
        "#,
    );
    package.file(
        "reference/plain.c",
        "void plain(float *y, const float *x, unsigned n) { for (unsigned i = 0; i < n; i++) y[i] = 2 * x[i] + 1; }\n",
    );
    package.file(
        "src/main.rs",
        &format!(
            r#"
        const UNROLLS: [i64; 2] = [2, LAST / 2 + 2];
        const LAST: i64 = 4;

        #[bico::tunable(
            source = "kernels/work.c",
            entry = if FAST {{ "work_fast" }} else {{ "work_slow" }},
            space(UNROLL in UNROLLS, FAST in [false, true]),
            flags = ["-DGIVEN={{UNROLL}}", "-DLAST={{LAST}}", "-funroll-loops"],
            problem(n = 256),
            verify(reference = "reference/plain.c", entry = "plain"),
            budget(evaluations = 8, seconds = 20),
        )]
        fn work(#[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32) -> bico::Result<()>;
        {MAIN}"#
        ),
    );
    let compiler = package.compiler();
    let build = |mode: &str| {
        package
            .cargo(&["build"])
            .env("BICO", mode)
            .env("CC", &compiler.script)
            .run()
    };
    build("auto").ok();
    assert_eq!(
        package
            .trail("work")
            .iter()
            .filter(|row| row["failure"].is_string())
            .count(),
        0
    );
    assert_eq!(package.winner("work")["FAST"], true);
    assert!(package.run().contains("y[3] = 7"));
    for flag in [
        "-DGIVEN=2 ",
        "-DGIVEN=4 ",
        "-DUNROLL=2",
        "-DUNROLL=4",
        "-DFAST=0",
        "-DFAST=1",
        "-funroll-loops",
    ] {
        assert!(
            compiler.calls().contains(flag),
            "{flag}:\n{}",
            compiler.calls()
        );
    }

    // Each of them is part of what was measured.
    let stale = |path: &str, from: &str, to: &str, what: &str| {
        package.edit(path, from, to);
        build("locked").fails().says(what).says("work");
        package.edit(path, to, from);
        build("locked").ok();
    };
    stale("kernels/body.h", "2 * x[i] + 1", "1 + 2 * x[i]", "source");
    stale(
        "reference/plain.c",
        "2 * x[i] + 1",
        "1 + 2 * x[i]",
        "verify",
    );
    stale("src/main.rs", "LAST / 2 + 2", "LAST / 2 + 1", "space");
    stale(
        "src/main.rs",
        "-funroll-loops",
        "-fno-unroll-loops",
        "flags",
    );
}

/// Every candidate has its own `helper`, whatever linkage the source gives it.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn helpers_of_two_candidates_do_not_collide() {
    let package = Package::new("helpers");
    package.file(
        "kernels/work.c",
        r#"
        #include <stdint.h>

        int shared = TILE;
        __attribute__((noinline)) int helper(int x) { return x * shared; }

        void work(float *y, const float *x, uint32_t n)
        {
            for (volatile int spin = 0; spin < (TILE == 4 ? 0 : 30000); spin++) {
            }
            for (uint32_t i = 0; i < n; i++)
                y[i] = helper((int)i) == TILE * (int)i ? 2 * x[i] + 1 : -1;
        }

        void work_reference(float *y, const float *x, uint32_t n)
        {
            for (uint32_t i = 0; i < n; i++)
                y[i] = 2 * x[i] + 1;
        }
        "#,
    );
    // Templates and inline functions are what C++ linkers fold into one; `static` in a function and
    // exceptions are what breaks when that is undone badly.
    package.file(
        "kernels/plus.cpp",
        r#"
        #include <cstdint>
        #include <vector>
        #include <stdexcept>

        inline int tile() { static int value = TILE; return value; }
        template <typename T> struct Helper { static int calls; __attribute__((noinline)) static T twice(T x) { calls++; return x * T(tile()) * T(2) / T(TILE); } };
        template <typename T> int Helper<T>::calls = 0;

        extern "C" void plus(float *y, const float *x, uint32_t n)
        {
            for (volatile int spin = 0; spin < (TILE == 4 ? 0 : 30000); spin = spin + 1) {
            }
            std::vector<float> copy(x, x + n);
            try {
                copy.at(n) = 1;
            } catch (const std::out_of_range &) {
                for (uint32_t i = 0; i < n; i++)
                    y[i] = Helper<float>::twice(copy[i]) + 1;
            }
        }

        extern "C" void plus_reference(float *y, const float *x, uint32_t n)
        {
            for (uint32_t i = 0; i < n; i++)
                y[i] = 2 * x[i] + 1;
        }
        "#,
    );
    let options = |text: &str| {
        format!(
            r#"
            #[bico::tunable(
                {text},
                space(TILE in [1, 2, 4, 8]),
                problem(n = 256),
                budget(evaluations = 8, seconds = 20),
            )]"#
        )
    };
    package.file(
        "src/main.rs",
        &format!(
            r#"
            {}
            fn work(#[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32) -> bico::Result<()>;
            {}
            fn plus(#[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32) -> bico::Result<()>;

            fn main() {{
                let x: Vec<f32> = (0..256).map(|i| i as f32).collect();
                for (tunable, with) in [
                    (work_tunable(), work_with as fn(&bico::Config, &mut [f32], &[f32], u32) -> bico::Result<()>),
                    (plus_tunable(), plus_with),
                ] {{
                    println!("{{}} {{}}", tunable.name(), bico::config_of(tunable, &[256]).unwrap().config);
                    assert!(tunable.candidates().count() > 1);
                    for config in tunable.candidates() {{
                        let mut y = vec![0.0; 256];
                        with(&config, &mut y, &x, 256).unwrap();
                        for i in 0..256 {{
                            assert_eq!(y[i], 2.0 * x[i] + 1.0, "{{config}} at {{i}}");
                        }}
                    }}
                }}
            }}
            "#,
            options("source = \"kernels/work.c\", verify(reference = \"work_reference\")"),
            options("source = \"kernels/plus.cpp\", verify(reference = \"plus_reference\")"),
        ),
    );
    package.build("auto").ok();
    assert_eq!(package.run(), "work TILE=4\nplus TILE=4\n");
}

/// Configs whose object code is the same are measured once.
#[test]
fn identical_code_is_measured_once() {
    let package = Package::work("identical");
    package.edit(
        "src/main.rs",
        "space(SPIN in [400000, 0, 20000])",
        "space(SPIN in [400000, 0], UNUSED in [\"a\", \"b\", \"c\"])",
    );
    package.build("auto").ok();
    let trail = package.trail("work");
    let trials: Vec<_> = trail.iter().filter(|row| row["kind"] != "final").collect();
    assert_eq!(trials.len(), 6);
    assert_eq!(
        trials
            .iter()
            .filter(|row| row["same_as"].is_number())
            .count(),
        4,
        "{trail:#?}"
    );
    assert_eq!(package.winner("work")["SPIN"], 0);
}

/// What the compiler says of a source that it refuses reaches the user.
#[test]
fn a_source_that_does_not_compile() {
    let package = Package::work("syntax");
    package.file(
        "kernels/work.c",
        &KERNEL.replace("y[i] = 2 * x[i] + 1;", "y[i] = 2 * undeclared + 1;"),
    );
    package
        .build("auto")
        .fails()
        .says("undeclared")
        .says("work.c");
    package.file(
        "src/main.rs",
        &format!(
            "{}{MAIN}",
            tunable("work", "").replace("work.c", "missing.c")
        ),
    );
    package
        .build("auto")
        .fails()
        .says("kernels/missing.c")
        .says("src/main.rs:3:14")
        .says("relative to the package");
    // The mended package builds without further ado.
    package.file("kernels/missing.c", KERNEL);
    package.build("auto").ok();
    assert_eq!(package.winner("work")["SPIN"], 0);
}
