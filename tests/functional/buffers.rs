//! What kernels get, and what they must leave alone.

use crate::harness::Package;

/// A kernel in place: it traps when it is run on its own results.
#[test]
fn in_place_buffers_are_restored_between_runs() {
    let package = Package::new("inplace");
    package.file(
        "kernels/work.c",
        r#"
        #include <stdint.h>

        void work(float *y, uint32_t n)
        {
            for (volatile int spin = 0; spin < SPIN; spin++) {
            }
            for (uint32_t i = 0; i < n; i++) {
                if (y[i] < -1 || y[i] > 1)
                    __builtin_trap();
                y[i] = y[i] + 3;
            }
        }

        void work_reference(float *y, uint32_t n)
        {
            for (uint32_t i = 0; i < n; i++)
                y[i] += 3;
        }
        "#,
    );
    package.file(
        "src/main.rs",
        r#"
        #[bico::tunable(
            source = "kernels/work.c",
            space(SPIN in [400000, 0]),
            problem(n = 1000),
            verify(reference = "work_reference"),
            budget(evaluations = 8, seconds = 20),
        )]
        fn work(#[len(n)] #[init(uniform(-1, 1))] y: &mut [f32], n: u32) -> bico::Result<()>;

        fn main() {
            let mut y = [0.5; 7];
            work(&mut y, 7).unwrap();
            println!("{}", y[6]);
        }
        "#,
    );
    package.build("auto").ok();
    for row in package.trail("work") {
        assert!(row["seconds"].is_number(), "{row:#}");
    }
    assert_eq!(package.winner("work")["SPIN"], 0);
    assert_eq!(package.run(), "3.5\n");
}

/// `x` is shared memory in the eyes of Rust, and belongs to the next config as well.
#[test]
fn a_kernel_that_modifies_its_input_is_refused() {
    let package = Package::work("modifies");
    package.edit(
        "kernels/work.c",
        "void work(float *y, const float *x, uint32_t n)\n{",
        "void work(float *y, const float *x, uint32_t n)\n{\n    if (SPIN == 0)\n        ((float *)x)[n / 2] = 9;\n",
    );
    package.build("auto").ok();
    assert_eq!(package.winner("work")["SPIN"], 20000);
    let trail = package.trail("work");
    let row = trail.iter().find(|row| row["values"]["SPIN"] == 0).unwrap();
    assert!(row["failure"].is_string(), "{row:#}");
    assert!(row["detail"].as_str().unwrap().contains("x"), "{row:#}");
}

/// A kernel whose loads ask for alignment is refused, unless the wrapper asks for it, too.
#[test]
fn alignment_is_declared_or_not_needed() {
    let package = Package::work("aligned");
    package.edit(
        "kernels/work.c",
        "void work(float *y, const float *x, uint32_t n)\n{",
        "void work(float *y, const float *x, uint32_t n)\n{\n    if (SPIN == 0 && n > 0 && (((uintptr_t)x | (uintptr_t)y) % 64))\n        __builtin_trap();\n",
    );
    package.build("auto").ok();
    assert_eq!(package.winner("work")["SPIN"], 20000);
    package.edit("src/main.rs", "#[len(n)] y:", "#[len(n)] #[align(64)] y:");
    package.edit("src/main.rs", "#[len(n)] x:", "#[len(n)] #[align(64)] x:");
    package.edit(
        "src/main.rs",
        "fn main() -> bico::Result<()> {",
        r#"#[repr(align(64))]
        struct Lines([f32; 32]);

        fn main() -> bico::Result<()> {
            let (mut y, x) = (Lines([0.0; 32]), Lines([1.0; 32]));
            for from in [0, 1, 16] {
                println!("{:?}", work(&mut y.0[from..], &x.0[from..], 8));
            }
            println!("{:?}", work(&mut [], &[], 0));
            return Ok(());
        "#,
    );
    package.build("tune").ok();
    assert_eq!(package.winner("work")["SPIN"], 0);
    let printed = package.run();
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!((lines[0], &lines[2..4]), ("Ok(())", &["Ok(())"; 2][..]));
    assert!(
        lines[1].starts_with("Err(work: `y` begins at address 0x"),
        "{printed}"
    );
    assert!(
        lines[1].ends_with(", 4 bytes behind a multiple of 64: the kernel needs an aligned buffer (`#[align(64)]`))"),
        "{printed}"
    );
}

/// Buffers of every kind, scalars of every width, and a buffer of bico's own behind them.
#[test]
fn arguments_arrive_as_they_are() {
    let package = Package::new("arguments");
    package.file(
        "kernels/work.c",
        r#"
        #include <stdbool.h>
        #include <stddef.h>
        #include <stdint.h>

        void work(double *a, int64_t *b, uint8_t *c, const int16_t *d, uint32_t n, int64_t shift, size_t m,
                  double scale, float offset, bool flip, float *near, uint64_t *far, uint16_t *turns)
        {
            for (volatile int spin = 0; spin < SPIN; spin++) {
            }
            if ((uintptr_t)near % 64 || (uintptr_t)far % 64)
                __builtin_trap();
            for (uint32_t i = 0; i < n; i++) {
                near[i] = d[i];
                far[i * m] = i;
            }
            for (uint32_t i = 0; i < n; i++) {
                a[i] = near[i] * scale + offset;
                b[i] = far[i * m] + shift + turns[i]++;
                c[i] = flip ? 255 - c[i] : c[i];
                turns[i] = 0;
            }
        }

        void work_reference(double *a, int64_t *b, uint8_t *c, const int16_t *d, uint32_t n, int64_t shift, size_t m,
                  double scale, float offset, bool flip)
        {
            for (uint32_t i = 0; i < n; i++) {
                a[i] = d[i] * scale + offset;
                b[i] = i + shift;
                c[i] = flip ? 255 - c[i] : c[i];
            }
        }
        "#,
    );
    package.file(
        "src/main.rs",
        r#"
        #[bico::tunable(
            source = "kernels/work.c",
            space(SPIN in [400000, 0]),
            problem(n = 100, shift = -5000000000, m = 3, scale = 0.25, offset = -1.5, flip = true),
            scratch(near: f32, len = n),
            scratch(far: u64, len = n * m),
            scratch(turns: u16, len = n, zeroed),
            verify(reference = "work_reference"),
            budget(evaluations = 8, seconds = 20),
        )]
        #[allow(clippy::too_many_arguments)]
        fn work(
            #[len(n)] a: &mut [f64],
            #[len(n)] b: &mut [i64],
            #[len(n)] #[init(iota)] c: &mut [u8],
            #[len(n)] #[init(iota)] d: &[i16],
            n: u32,
            shift: i64,
            m: usize,
            scale: f64,
            offset: f32,
            flip: bool,
        ) -> bico::Result<()>;

        fn main() {
            let (mut a, mut b, mut c) = ([0.0; 4], [0; 4], [7; 4]);
            for flip in [false, true] {
                work(&mut a, &mut b, &mut c, &[1, -2, 3, -4], 4, 1 << 40, 2, 0.5, 0.25, flip).unwrap();
            }
            println!("{a:?} {b:?} {c:?}");
        }
        "#,
    );
    package.build("auto").ok();
    for row in package.trail("work") {
        assert!(row["seconds"].is_number(), "{row:#}");
    }
    assert_eq!(package.winner("work")["SPIN"], 0);
    assert_eq!(
        package.run(),
        "[0.75, -0.75, 1.75, -1.75] [1099511627776, 1099511627777, 1099511627778, 1099511627779] [248, 248, 248, 248]\n"
    );
}

/// Wrapper and kernel must take the same; the message shows both.
#[test]
fn a_wrapper_that_does_not_match_its_kernel() {
    let package = Package::work("mismatch");
    let right = "void work(float *y, const float *x, uint32_t n)";
    for (wrong, shown) in [
        (
            "void work(float *y, const float *x, uint64_t n)",
            "uint64_t",
        ),
        (
            "void work(float *y, const double *x, uint32_t n)",
            "const double *",
        ),
        (
            "void work(float *y, const float *x, uint32_t n, int more)",
            "int)",
        ),
    ] {
        package.edit("kernels/work.c", right, wrong);
        let said = package
            .build("auto")
            .fails()
            .says("`work`")
            .says("kernels/work.c");
        let said = said
            .says("the wrapper passes: void work(float *")
            .says(shown);
        said.says("src/main.rs:").says_nothing_of("panicked");
        assert!(!package.measured());
        assert!(!package.has_lock());
        package.edit("kernels/work.c", wrong, right);
    }
    package.edit("src/main.rs", "entry = \"work\"", "entry = \"wrok\"");
    package
        .build("auto")
        .fails()
        .says("no function `wrok`")
        .says("src/main.rs:");
    // What only looks different is fine: signedness, `const`, another type of the same width.
    package.edit("src/main.rs", "entry = \"wrok\"", "entry = \"work\"");
    package.edit(
        "kernels/work.c",
        right,
        "void work(float *restrict y, float *x, int n)",
    );
    package.build("auto").ok();
    assert_eq!(package.winner("work")["SPIN"], 0);
}
