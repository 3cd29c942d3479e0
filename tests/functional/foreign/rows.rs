//! Kernels that take matrices as pointers to rows, `static` beside a main of their own.

use crate::harness::Package;

const KERNEL: &str = r#"
#include <stdio.h>
#include <stdlib.h>

static void scaled(int n, int m, double by, double y[restrict n][m], double x[restrict n][m])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j += UNROLL)
            for (int k = j; k < m && k < j + UNROLL; k++)
                y[i][k] = by * x[i][k];
}

int main(void)
{
    int n = 100;
    double (*x)[n] = calloc(n, sizeof *x), (*y)[n] = calloc(n, sizeof *y);
    scaled(n, n, 2, y, x);
    printf("%g\n", y[n - 1][n - 1]);
    free(x);
    free(y);
    return 0;
}
"#;

const REFERENCE: &str = r#"
void plain(double *y, const double *x, double by, int n, int m)
{
    for (long i = 0; i < (long)n * m; i++)
        y[i] = by * x[i];
}
"#;

const MAIN: &str = r#"
#[bico::tunable(
    source = "kernels/scaled.c",
    flags = ["-Dstatic="],
    space(UNROLL in [1, 4]),
    args(n, m, by, y, x),
    problem(n = 40, m = 30, by = 3.0),
    verify(reference = "kernels/plain.c", entry = "plain"),
    budget(evaluations = 2, seconds = 20),
)]
fn scaled(#[len(n * m)] y: &mut [f64], #[len(n * m)] x: &[f64], by: f64, n: i32, m: i32) -> bico::Result<()>;

fn main() -> bico::Result<()> {
    let mut y = [0.0; 6];
    scaled(&mut y, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 0.5, 2, 3)?;
    println!("{y:?}");
    Ok(())
}
"#;

#[test]
fn pointers_to_rows() {
    let package = Package::new("rows");
    package.file("kernels/scaled.c", KERNEL);
    package.file("kernels/plain.c", REFERENCE);
    package.file("src/main.rs", MAIN);
    package.build("auto").ok();
    assert_eq!(package.run().trim(), "[0.5, 1.0, 1.5, 2.0, 2.5, 3.0]");

    // What another file of theirs defines.
    package.edit("kernels/scaled.c", "free(y)", "freed(y)");
    package.edit(
        "kernels/scaled.c",
        "static void",
        "void freed(void *);\nstatic void",
    );
    package
        .build("tune")
        .fails()
        .says("undefined symbol: freed: what defines it belongs into `source`, or into `link`");

    package.edit(
        "kernels/scaled.c",
        "double by, double y",
        "double by, float y",
    );
    package
        .build("auto")
        .fails()
        .says("the arguments of the wrapper differ from those of the kernel `scaled`")
        .says("float (* restrict)[m]");
}

const IN_CPP: &str = r#"
extern "C" void scaled(int n, double by, double (*y)[4], const double (*x)[4])
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 4; k += UNROLL)
            for (int j = k; j < k + UNROLL; j++)
                y[i][j] = by * x[i][j];
}
"#;

#[test]
fn rows_in_cpp() {
    let package = Package::new("rows-cpp");
    package.file("kernels/scaled.cpp", IN_CPP);
    let reference = REFERENCE
        .replace("int n, int m", "int n")
        .replace("* m", "* 4");
    package.file("kernels/plain.c", &reference);
    let main = MAIN
        .replace("scaled.c", "scaled.cpp")
        .replace("n, m, by", "n, by");
    let main = main
        .replace("n * m", "4 * n")
        .replace(", m = 30", "")
        .replace(", m: i32", "");
    let main = main
        .replace("    flags = [\"-Dstatic=\"],\n", "")
        .replace("[0.0; 6]", "[0.0; 4]");
    package.file("src/main.rs", &main.replace("0.5, 2, 3", "0.5, 1"));
    package.build("auto").ok();
    assert_eq!(package.run().trim(), "[0.5, 1.0, 1.5, 2.0]");
}
