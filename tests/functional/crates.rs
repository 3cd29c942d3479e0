//! Rust functions that use the package's dependencies.

use crate::harness::Package;

const WITH_CRATES: &str = r#"#![deny(warnings)]
use fastrand::*;
use itoa as digits;

/// Adds numbers that depend on the element alone.
#[bico::tunable(
    space(BLOCK in [16, 64]),
    problem(n = 256),
    verify(reference = "plain"),
    budget(evaluations = 2, seconds = 60),
)]
pub fn noise<const BLOCK: usize>(#[len(n)] y: &mut [u32], n: u32) {
    for (at, y) in y.chunks_mut(BLOCK).enumerate() {
        for (i, y) in y.iter_mut().enumerate() {
            *y = one((at * BLOCK + i) as u64);
        }
    }
    assert_eq!(digits::Buffer::new().format(n), n.to_string());
}

fn one(seed: u64) -> u32 {
    Rng::with_seed(seed).u32(..)
}

fn plain(y: &mut [u32], n: u32) {
    for at in 0..n {
        y[at as usize] = one(at.into());
    }
}

fn main() -> bico::Result<()> {
    let mut y = [0; 256];
    noise(&mut y, 256)?;
    assert_eq!(y[77], fastrand::Rng::with_seed(77).u32(..));
    println!("{}", bico::config_of(noise_tunable(), &[256])?);
    Ok(())
}
"#;

/// Dependencies of the package, which cargo compiles for the function once more.
#[test]
fn a_function_may_use_crates() {
    let package = Package::new("rust-crates");
    package.file("src/main.rs", WITH_CRATES);
    package.edit(
        "Cargo.toml",
        "[dependencies]\n",
        "[dependencies]\nfastrand = \"2\"\nitoa = { version = \"1\", default-features = false }\n",
    );
    package.build("tune").ok();
    assert!(package.run().contains("(tuned on "), "{}", package.run());
    // Their versions are a part of it.
    let source_file = package.trail_file("noise").with_extension("rs");
    let source = std::fs::read_to_string(&source_file).unwrap();
    let line = "//# dependency fastrand = { version = \"2\" }\n//# locked fastrand 2.";
    assert!(source.contains(line), "{source}");
    package.build("locked").ok();
    // Where they may have changed, a build looks again.
    std::fs::remove_file(&source_file).unwrap();
    package.file("Cargo.lock", &package.read("Cargo.lock"));
    package.build("locked").ok();
    assert!(source_file.is_file());
    package.edit(
        "Cargo.toml",
        "fastrand = \"2\"",
        "fastrand = { version = \"2\", features = [\"std\"] }",
    );
    package.build("locked").fails().says("noise").says("source");

    // A program has no such copies of them to link with.
    package.edit(
        "src/main.rs",
        "    problem(",
        "    ship = measured,\n    problem(",
    );
    package
        .build("off")
        .fails()
        .says("`itoa` is another crate, and a Rust function is tuned by itself")
        .says("what ships as it was measured uses `core`, `std` and its own file");
    package.edit("src/main.rs", "    ship = measured,\n", "");
    // What cargo has to say against it is told.
    let said = package
        .command(&["tune"])
        .env("CARGO", "/nowhere/cargo")
        .run();
    said.fails()
        .says("the crates that the function uses cannot be compiled for it (`fastrand = { features = [\"std\"], version = \"2\" }`, `itoa = ")
        .says("/nowhere/cargo")
        .says("`cargo fetch` brings what is missing");
}
