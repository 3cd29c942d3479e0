//! Every message, as a user sees it: wording, place, help.
//!
//! Each list below gives items with one or more mistakes; what is said about them lies in
//! `tests/messages/*.txt`. A test that fails rewrites its file: review it with `git diff`.

#[path = "../common/mod.rs"]
mod common;
mod einsums;
mod expressions;
mod functions;
mod inputs;
mod options;
mod passes;
mod problems;
mod values;
mod variants;

use common::read;
use std::fmt::Write;

/// An item for a CPU with these options in addition.
fn cpu(options: &str) -> String {
    format!(
        "#[bico::tunable(source = \"k.c\", space(A in [1, 2], S in [\"x\", \"y\"], F in [0.5, 1.0], B in [true, false]), problem(n = 8, x = 0.5, on = true),
{options}
)]
fn f(#[len(n)] c: &mut [f32], n: u32, x: f64, on: bool) -> bico::Result<()>;
"
    )
}

/// An item for a GPU with these options in addition.
fn gpu(options: &str) -> String {
    format!(
        "#[bico::tunable(source = \"k.cu\", space(A in [1, 2]), problem(n = 8),
{options}
)]
fn f(s: &Arc<CudaStream>, #[len(n)] c: &mut CudaSlice<f32>, n: u32) -> bico::Result<()>;
"
    )
}

/// An item with nothing but these options.
fn bare(options: &str) -> String {
    format!(
        "#[bico::tunable(
{options}
)]
fn f(#[len(n)] c: &mut [f32], n: u32) -> bico::Result<()>;
"
    )
}

/// A CPU item with another space.
fn space(entries: &str) -> String {
    format!(
        "#[bico::tunable(source = \"k.c\", problem(n = 8, const ACT = \"silu\"), space(
{entries}
))]
fn f(#[len(n)] c: &mut [f32], n: u32) -> bico::Result<()>;
"
    )
}

/// A CPU item with other problems.
fn problem(problems: &str) -> String {
    format!(
        "#[bico::tunable(source = \"k.c\", space(A in [1, 2]),
{problems}
)]
fn f(#[len(n)] c: &mut [f32], m: u8, n: u32, x: f64, by: &str) -> bico::Result<()>;
"
    )
}

/// A CPU or GPU item with another function.
fn function(source: &str, text: &str) -> String {
    format!(
        "#[bico::tunable(source = \"{source}\", space(A in [1, 2]), problem(n = 8){})]
{text}
",
        if source.ends_with("cu") {
            ", launch(grid = n, block = 1)"
        } else {
            ""
        }
    )
}

/// A CPU item with other arguments beside `n`.
fn cpu_argument(text: &str) -> String {
    function(
        "k.c",
        &format!("fn f(\n    {text},\n    n: u32) -> bico::Result<()>;"),
    )
}

/// A GPU item with other arguments beside `n`.
fn gpu_argument(text: &str) -> String {
    function(
        "k.cu",
        &format!("fn f(s: &Arc<CudaStream>,\n    {text},\n    n: u32) -> bico::Result<()>;"),
    )
}

/// Compares what is said about each item with the file `name`.
fn check(name: &str, items: &[String]) {
    let mut found = String::new();
    for item in items {
        let said = match read(item) {
            Ok(_) => panic!("no mistake was found in\n{item}"),
            Err(errors) => errors.render("lib.rs", item),
        };
        let _ = writeln!(found, "{said}");
    }
    let path = format!("{}/tests/messages/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    let expected = std::fs::read_to_string(&path)
        .unwrap_or_default()
        .replace("\r\n", "\n");
    if found != expected {
        std::fs::write(&path, &found).unwrap();
        panic!("{path} was rewritten: review it with `git diff`");
    }
}
