//! `args(..)`: what a kernel gets, in its own order.

use crate::harness::Package;

/// Outputs last, a count that only it wants, a pointer that it does not need, a buffer of its caller's in between.
const KERNEL: &str = r#"
#include <stddef.h>
#include <stdint.h>

void scaled(int blocks, const void *plan, const double *x, float *partial, double by, int64_t rows, double *y)
{
    for (volatile int spin = 0; spin < SPIN; spin++) {
    }
    if (plan)
        return;
    for (int block = 0; block < blocks; block++)
        for (int64_t i = (int64_t)block * TILE; i < (int64_t)(block + 1) * TILE && i < rows; i++) {
            partial[block] = 0;
            y[i] = by * x[i];
        }
}
"#;

const MAIN: &str = r#"
#[bico::tunable(
    source = "kernels/scaled.c",
    space(TILE in [4, 16], SPIN in [400000, 0]),
    scratch(PARTIAL: f32, len = rows.div_ceil(TILE)),
    args(rows.div_ceil(TILE) as i32, null, x, PARTIAL, 1.0 / by as f64, rows as i64, y),
    problem(rows = 256, by = 4),
    verify(reference = "kernels/plain.c", entry = "plain"),
    budget(evaluations = 4, seconds = 20),
)]
fn scaled(#[len(rows)] y: &mut [f64], #[len(rows)] x: &[f64], by: u32, rows: u32) -> bico::Result<()>;

/// Without scratch, and nothing of the config's.
#[bico::tunable(
    source = "kernels/shifted.cpp",
    space(SPIN in [400000, 0]),
    args(n, y, x, 2 * n as u8, true as bool),
    problem(n = 100),
    verify(reference = "kernels/shift.c", entry = "shift"),
    budget(evaluations = 2, seconds = 20),
)]
fn shifted(#[len(n)] x: &[i32], #[len(n)] y: &mut [i32], n: u32) -> bico::Result<()>;

fn main() -> bico::Result<()> {
    for rows in [1, 3, 256, 1000] {
        let x: Vec<f64> = (0..rows).map(|i| i as f64).collect();
        let mut y = vec![0.0; rows];
        scaled(&mut y, &x, 8, rows as u32)?;
        assert!(y.iter().zip(&x).all(|(y, x)| *y == x / 8.0), "{rows}");
    }
    let x = vec![1; 200];
    let mut y = vec![0; 200];
    shifted(&x, &mut y, 100)?;
    println!("{}", y[7]);
    println!("{}", shifted(&x, &mut y, 200).unwrap_err());
    Ok(())
}
"#;

#[test]
fn what_the_kernel_gets_is_listed() {
    let package = Package::new("args");
    package.file("kernels/scaled.c", KERNEL);
    package.file(
        "kernels/plain.c",
        "void plain(double *y, const double *x, unsigned by, unsigned rows)\n{\n    for (unsigned i = 0; i < rows; i++)\n        y[i] = x[i] / by;\n}\n",
    );
    package.file(
        "kernels/shifted.cpp",
        "extern \"C\" void shifted(unsigned n, int *y, const int *x, unsigned char by, bool yes)\n{\n    for (volatile int spin = 0; spin < SPIN; spin++) {\n    }\n    for (unsigned i = 0; i < n; i++)\n        y[i] = x[i] + by + yes;\n}\n",
    );
    package.file(
        "kernels/shift.c",
        "void shift(const int *x, int *y, unsigned n)\n{\n    for (unsigned i = 0; i < n; i++)\n        y[i] = x[i] + 2 * n + 1;\n}\n",
    );
    package.file("src/main.rs", MAIN);
    package.build("auto").ok();
    for row in package
        .trail("scaled")
        .iter()
        .chain(&package.trail("shifted"))
    {
        assert!(row["seconds"].is_number(), "{row:#}");
    }
    assert_eq!(package.winner("scaled")["SPIN"], 0);
    let printed = package.run();
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines[0], "202");
    assert_eq!(
        lines[1],
        "shifted: `2 * n` has no value: attempt to compute 400 as u8: it does not fit"
    );
    // The order is part of what was tuned.
    package.edit(
        "src/main.rs",
        "PARTIAL, 1.0 / by as f64",
        "PARTIAL, 2.0 / by as f64",
    );
    let refused = package.build("locked").fails();
    assert!(refused.stderr.contains("scaled"), "{}", refused.stderr);
}
