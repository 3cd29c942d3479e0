//! `cargo bico new`: what it prints is taken by macro and build script as it stands.

use crate::harness::Package;

const SUMS: &str = r#"
#include <stddef.h>

/* The sum of each row, times a factor. */
void row_sums(float *out, const float *restrict x, int rows, int columns, float factor)
{
    for (int r = 0; r < rows; r++) {
        const float *row = x + (size_t)r * columns;
        float sum = 0;
        for (int c = 0; c < columns; c++)
            sum += row[c];
        out[r] = factor * sum;
    }
}
"#;

#[test]
fn a_guess_is_tuned_as_it_stands() {
    let package = Package::new("guessed");
    package.file("kernels/sums.c", SUMS);
    package.file("src/main.rs", "");
    let printed = package
        .command(&["new", "kernels/sums.c"])
        .run()
        .ok()
        .stdout;
    for line in [
        "source = \"kernels/sums.c\",",
        "#[len(rows)] out: &mut [f32],",
        "#[len(columns * rows)] x: &[f32],",
    ] {
        assert!(printed.contains(line), "{line}\n{printed}");
    }
    package.file(
        "src/main.rs",
        &format!("#![allow(dead_code)]\n{printed}\nfn main() {{}}\n"),
    );
    package.build("off").ok();
    package
        .command(&["check"])
        .run()
        .ok()
        .says_nothing_of("wrong:");
}

#[test]
fn files_that_are_no_kernels() {
    let package = Package::work("no-guess");
    package
        .command(&["new", "kernels/work.c"])
        .run()
        .fails()
        .says("kernels/work.c has 2 kernels")
        .says("choose by `--entry`: work, work_reference");
    let chosen = package
        .command(&["new", "kernels/work.c", "--entry", "work"])
        .run()
        .ok();
    chosen
        .says("SPIN in [1, 2, 4], // named and declared nowhere")
        .says("verify(reference = \"work_reference\"),");
    for (args, said) in [
        (&["new", "nowhere.c"][..], "cannot read nowhere.c"),
        (&["new", "Cargo.toml"], "ends in .c, .cpp, .cc, .cu or .cuh"),
        (
            &["new", "--from", "cltune", "a.py"],
            "invalid value 'cltune'",
        ),
        (
            &["new", "--from", "kernel_tuner", "Cargo.toml"],
            "has no `tune_params` whose values are literals",
        ),
        (
            &["new", "a.py", "kernels/work.c"],
            "a script needs `--from kernel_tuner`",
        ),
    ] {
        package.command(args).run().fails().says(said);
    }
    package.file(
        "a.py",
        "tune_params = {'SPIN': [0, 5]}\nrestrictions = ['SPIN < 5']\n",
    );
    let args = [
        "new",
        "--from",
        "kernel_tuner",
        "a.py",
        "kernels/work.c",
        "--entry",
        "work",
    ];
    let printed = package.command(&args).run().ok();
    printed
        .says("SPIN in [0, 5],")
        .says("require(\n        SPIN < 5,");
}
