//! `drive(..)`: a function of the author's that calls the kernels while they are measured.

use crate::harness::Package;

/// A reduction in two passes. With `EXTRA` the second call in a row of `sums` is wrong.
const SUM: &str = r#"
#include <stdint.h>

void sums(const double *x, double *part, uint32_t n, int64_t parts)
{
    static int calls;
    for (volatile int spin = 0; spin < SPIN; spin++) {
    }
    calls++;
    for (int64_t p = 0; p < parts; p++) {
        part[p] = EXTRA && calls > 1 ? 1 : 0;
        for (uint32_t i = p * PART; i < n && i < (p + 1) * PART; i++)
            part[p] += x[i];
    }
}

void total(uint32_t parts, double *out, const double *part)
{
    *out = 0;
    for (uint32_t p = 0; p < parts; p++)
        *out += part[p];
}

void sum(double *out, const double *x, uint32_t n)
{
    *out = 0;
    for (uint32_t i = 0; i < n; i++)
        *out += x[i];
}
"#;

/// As a program that looks at other data between its calls.
const DRIVE: &str = r#"
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
void sums_launch(const double *x, double *part, uint32_t n);
void total_launch(double *out, const double *part);

static double others[4096];

void drive(double *out, const double *x, unsigned n, double *part)
{
    sums_launch(x, part, n);
    for (int i = 0; i < 4096; i++)
        others[i] += i;
    sums_launch(x, part, n);
    total_launch(out, part);
}
#ifdef __cplusplus
}
#endif
"#;

/// A pipeline of three kernels.
const PIPELINE: &str = r#"
#include <stdint.h>

void scale(float *to, const float *x, uint32_t n)
{
    for (volatile int spin = 0; spin < SPIN; spin++) {
    }
    for (uint32_t i = 0; i < n; i++)
        to[i] = 2 * x[i];
}

void shift(float *to, const float *from, uint32_t n, float by)
{
    for (uint32_t i = 0; i < n; i++)
        to[i] = from[i] + by + BAD;
}

void mirror(float *y, const float *from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = from[n - 1 - i];
}

void whole(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[n - 1 - i] + 3;
}
"#;

const CALLS: &str = r#"
void scale_launch(float *to, const float *x, unsigned n);
void shift_launch(float *to, const float *from, unsigned n);
void mirror_launch(float *y, const float *from, unsigned n);

void pipeline(float *y, const float *x, unsigned n, float *a, float *b)
{
    scale_launch(a, x, n);
    shift_launch(b, a, n);
    mirror_launch(y, b, n);
}
"#;

const MAIN: &str = r#"
#[bico::tunable(
    source = "kernels/pipeline.c",
    space(BAD in [1, 0], SPIN in [400000, 0]),
    scratch(A: f32, len = n),
    scratch(B: f32, len = n),
    pass(entry = "scale", args(A, x, n)),
    pass(entry = "shift", args(B, A, n, 3.0 as f32)),
    pass(entry = "mirror", args(y, B, n)),
    drive(file = "kernels/calls.c", entry = "pipeline"),
    problem(n = 1000),
    verify(reference = "whole"),
    budget(evaluations = 4, seconds = 20),
)]
fn pipeline(#[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/sum.c",
    space(EXTRA in [1, 0], SPIN in [400000, 0], PART in [16, 64]),
    scratch(PARTIAL: f64, len = n.div_ceil(PART)),
    pass(entry = "sums", args(x, PARTIAL, n, n.div_ceil(PART) as i64)),
    pass(entry = "total", args(n.div_ceil(PART) as u32, out, PARTIAL)),
    drive(file = "kernels/drive.c", entry = "drive"),
    problem(n = 1000),
    verify(reference = "sum"),
    budget(evaluations = 8, seconds = 20),
)]
fn sum(#[len(1)] out: &mut [f64], #[len(n)] x: &[f64], n: u32) -> bico::Result<()>;

fn main() -> bico::Result<()> {
    for n in [0, 1, 16, 17, 1000, 5000] {
        let x: Vec<f64> = (0..n).map(f64::from).collect();
        let mut out = [-1.0];
        sum(&mut out, &x, n)?;
        let from: Vec<f32> = (0..n).map(|i| i as f32).collect();
        let mut y = vec![0.0; n as usize];
        pipeline(&mut y, &from, n)?;
        assert!(y.iter().zip(from.iter().rev()).all(|(y, x)| *y == 2.0 * x + 3.0));
        println!("{n} {}", out[0] == x.iter().sum::<f64>());
    }
    Ok(())
}
"#;

fn package(name: &str) -> Package {
    let package = Package::new(name);
    package.file("kernels/sum.c", SUM);
    package.file("kernels/drive.c", DRIVE);
    package.file("kernels/pipeline.c", PIPELINE);
    package.file("kernels/calls.c", CALLS);
    package.file("src/main.rs", MAIN);
    package
}

/// What is wrong only where the driver calls it twice is found, so the driver's outputs are what is verified.
fn right_ones_win(package: &Package) {
    package.only_zero_is_right("sum", "EXTRA");
    package.only_zero_is_right("pipeline", "BAD");
    let right = "0 true\n1 true\n16 true\n17 true\n1000 true\n5000 true\n";
    assert_eq!(package.run(), right);
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn a_reduction_is_measured_as_it_is_driven() {
    let package = package("drive");
    package.build("auto").ok();
    right_ones_win(&package);
    // What it does counts, and so does which function it is.
    package.build("locked").ok();
    package.edit("kernels/drive.c", "i < 4096", "i < 2048");
    package
        .command(&["status"])
        .run()
        .fails()
        .says("changed: launch");
    package.edit("src/main.rs", "drive.c", "drive.cpp");
    package.file("kernels/drive.cpp", DRIVE);
    package.build("tune").ok();
    right_ones_win(&package);
}

/// Without the second call nothing shows what is wrong with it.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn what_it_does_not_call_is_not_measured() {
    let package = package("drive-once");
    package.edit(
        "kernels/drive.c",
        "    total_launch(out, part);",
        "    (void)out;",
    );
    package.build("auto").fails().says("no config");
    for row in package.trail("sum") {
        assert_eq!(row["failure"], "unwritten", "{row:#}");
    }
}

#[test]
fn mistakes_of_a_driver() {
    let package = package("drive-mistakes");
    let build = || package.build("tune").fails().says("kernels/drive.c\"");
    let broken = |from: &str, to: &str| {
        package.edit("kernels/drive.c", from, to);
        let said = build();
        package.file("kernels/drive.c", DRIVE);
        said
    };
    broken("void drive(", "void drives(")
        .says("has no function `drive`")
        .says("name the driver's function by `drive(entry = \"..\")`")
        .says("or define: void drive(double *, const double *, uint32_t, double *)");
    broken(
        "unsigned n, double *part)",
        "unsigned n)\n{\n    double part[64];",
    )
    .says("does not compile");
    broken(
        "const double *x, unsigned n, double",
        "const float *y, unsigned n, const double *x, double",
    )
    .says("the arguments of the wrapper differ from those of the driver `drive`")
    .says("the wrapper passes: void drive(double *, const double *, uint32_t, double *)");
    broken("void drive(double", "static void drive(double")
        .says("the driver `drive` in")
        .says("cannot be called from outside");
    broken("uint32_t n);", "uint64_t n);")
        .says("declares `sums_launch` otherwise than the kernel `sums` is called")
        .says("declare: void sums_launch(const double *, double *, uint32_t)");
    package.edit(
        "kernels/drive.c",
        "void total_launch(double *out, const double *part);",
        "",
    );
    broken("    total_launch(out, part);", "")
        .says("does not declare `total_launch`, which calls the kernel `total`")
        .says("declare: void total_launch(double *, double *)");
    broken(
        "    sums_launch(x, part, n);\n    total",
        "    nonsense;\n    total",
    )
    .says("the driver `drive` in")
    .says("does not compile");
    package.edit("src/main.rs", "drive.c\"", "none.c\"");
    package
        .build("auto")
        .fails()
        .says("cannot read `kernels/none.c`")
        .says("drive(file = \"kernels/none.c\"");
}
