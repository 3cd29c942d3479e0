//! `pass(..)`: several kernels that a call runs in a row.

use crate::harness::Package;

/// Sums of parts, then their sum; FEW leaves the last of them out.
const SUM: &str = r#"
#include <stdint.h>

void sums(const double *x, double *part, uint32_t n, int64_t parts)
{
    for (volatile int spin = 0; spin < SPIN; spin++) {
    }
    for (int64_t p = 0; p < parts; p++) {
        part[p] = 0;
        for (uint32_t i = p * PART; i < n && i < (p + 1) * PART; i++)
            part[p] += x[i];
    }
}

void total(uint32_t parts, double *out, const double *part)
{
    *out = 0;
    for (uint32_t p = 0; p + FEW < parts; p++)
        *out += part[p];
}

void sum(double *out, const double *x, uint32_t n)
{
    *out = 0;
    for (uint32_t i = 0; i < n; i++)
        *out += x[i];
}
"#;

/// One function twice, and nothing else of C++'s.
const TWICE: &str = r#"
template <class T> static T doubled(T x)
{
    return x + x;
}

extern "C" void twice(int *to, const int *from, unsigned n, bool first)
{
    for (volatile int spin = 0; spin < SPIN; spin++) {
    }
    for (unsigned i = 0; i < n; i++)
        to[i] = doubled(from[i]) + first;
}
"#;

const MAIN: &str = r#"
#[bico::tunable(
    source = "kernels/sum.c",
    space(FEW in [1, 0], SPIN in [400000, 0], PART in [16, 64]),
    scratch(PARTIAL: f64, len = n.div_ceil(PART)),
    pass(entry = "sums", args(x, PARTIAL, n, n.div_ceil(PART) as i64)),
    pass(entry = if PART == 16 { "total" } else { "total" }, args(n.div_ceil(PART) as u32, out, PARTIAL)),
    problem(n = 1000),
    verify(reference = "sum", live = true),
    budget(evaluations = 8, seconds = 20),
)]
fn sum(#[len(1)] out: &mut [f64], #[len(n)] x: &[f64], n: u32) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/twice.cpp",
    space(SPIN in [400000, 0]),
    scratch(DOUBLE: i32, len = n),
    pass(entry = "twice", args(DOUBLE, x, n, n > 0 as bool)),
    pass(entry = "twice", args(y, DOUBLE, n, false as bool)),
    problem(n = 100),
    verify(reference = "kernels/plain.c", entry = "plain"),
    budget(evaluations = 2, seconds = 20),
)]
fn quadruple(#[len(n)] y: &mut [i32], #[len(n)] x: &[i32], n: u32) -> bico::Result<()>;

fn main() -> bico::Result<()> {
    for n in [0, 1, 16, 17, 1000, 5000] {
        let x: Vec<f64> = (0..n).map(f64::from).collect();
        let mut out = [-1.0];
        sum(&mut out, &x, n)?;
        assert_eq!(out[0], x.iter().sum::<f64>(), "{n}");
        for config in sum_tunable().candidates() {
            sum_with(&config, &mut out, &x, n)?;
            assert_eq!(out[0], x.iter().sum::<f64>(), "{n} {config}");
        }
    }
    let mut y = [0; 3];
    quadruple(&mut y, &[1, -5, 7], 3)?;
    println!("{y:?}");
    Ok(())
}
"#;

#[test]
fn kernels_run_one_after_the_other() {
    let package = Package::new("passes");
    package.file("kernels/sum.c", SUM);
    package.file("kernels/twice.cpp", TWICE);
    package.file(
        "kernels/plain.c",
        "void plain(int *y, const int *x, unsigned n)\n{\n    for (unsigned i = 0; i < n; i++)\n        y[i] = 4 * x[i] + 2;\n}\n",
    );
    package.file("src/main.rs", MAIN);
    package.build("auto").ok();
    package.only_zero_is_right("sum", "FEW");
    assert_eq!(package.winner("quadruple")["SPIN"], 0);
    assert_eq!(package.run().trim(), "[6, -18, 30]");
    let check = package.command(&["check", "--configs", "2"]).run().fails();
    check.says("wrong: FEW=1 SPIN=400000 PART=16: wrong: out[0] is ");
    // The second kernel takes something else, and so does its twin; it is told by its name.
    package.edit("src/main.rs", "out, PARTIAL)", "PARTIAL, n, out)");
    package
        .build("tune")
        .fails()
        .says("the arguments of the wrapper differ from those of the kernel `total` in");
    package.edit("src/main.rs", "PARTIAL, n, out)", "PARTIAL, out)");
    let locked = package.build("locked").fails();
    assert!(locked.stderr.contains("`sum`"), "{}", locked.stderr);
}
