//! What bico adds to a build: the build script's time when everything is fresh, in a package of
//! 4,000 lines with three tunables, with build scripts unoptimised (cargo's default) and optimised. And what `cargo bico status`
//! takes, which needs no build.

mod status;

use crate::package::Package;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

const NAME: &str = "fresh-package";
const RUNS: usize = 21;

pub(crate) fn run(json: bool) -> Result<Value, String> {
    let mut lib = String::from("//! Generated.\n#![allow(missing_docs)]\n");
    for module in 0..9 {
        lib += &format!("pub mod m{module};\n");
    }
    for i in 0..3 {
        lib += &format!(
            "/// A tunable.\n#[bico::tunable(\n    source = \"kernels/scale.c\",\n    entry = \"scale\",\n    \
             space(UNROLL in powers_of_two(1..=16)),\n    problem(n = 1000),\n    problem(n = 100000),\n    \
             work(flops = n, bytes = 8 * n),\n    budget(evaluations = 3, seconds = 2),\n)]\n\
             pub fn scale{i}(#[len(n)] out: &mut [f32], #[len(n)] x: &[f32], n: u32) -> bico::Result<()>;\n"
        );
    }
    // The file with the tunables is the one that must be read in full.
    while lib.lines().count() < 400 {
        let i = lib.lines().count();
        lib += &function(i);
    }
    let package = Package::new(NAME, &[("src/lib.rs", &lib), ("kernels/scale.c", SCALE)])?;
    let mut lines = lib.lines().count();
    for module in 0..9 {
        let text: String = (0..80).map(function).collect();
        lines += text.lines().count();
        package.write(&format!("src/m{module}.rs"), &text)?;
    }
    let mut times = Vec::new();
    for level in ["0", "3"] {
        let variables = [
            ("CARGO_PROFILE_DEV_BUILD_OVERRIDE_OPT_LEVEL", level),
            ("BICO", "auto"),
        ];
        let target = package.path().join("target");
        if target.exists() {
            std::fs::remove_dir_all(&target).map_err(|e| e.to_string())?;
        }
        package.cargo(&["build"], &variables)?;
        let script = package.build_script("debug", NAME)?;
        times.push(median_ms(&package, &script)?);
    }
    let dependencies = package.cargo(&["tree", "-e", "normal,build", "--prefix", "none"], &[])?;
    let listing = String::from_utf8_lossy(&dependencies.stdout).into_owned();
    let mut crates: Vec<&str> = listing
        .lines()
        .skip(1)
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| !name.starts_with("bico-") && !name.starts_with('['))
        .collect();
    crates.sort_unstable();
    crates.dedup();
    let status = status::median_ms()?;
    if !json {
        println!(
            "{lines} lines, 3 tunables with 2 problems each, all fresh, median of {RUNS} runs\n"
        );
        println!("build script at opt-level 0   {:7.1} ms", times[0]);
        println!("build script at opt-level 3   {:7.1} ms", times[1]);
        println!("crates beside bico's own      {:5}", crates.len());
        println!("\n{}: {status:.1} ms, median", status::subject());
    }
    Ok(json!({
        "fresh_ms": times[0],
        "fresh_optimised_ms": times[1],
        "dependencies": crates.len(),
        "lines": lines,
        "status_ms": status,
    }))
}

fn function(i: usize) -> String {
    format!(
        "pub fn f{i}(x: &[u64]) -> u64 {{\n    let sum: u64 = x.iter().map(|v| v * {i}).sum();\n    sum.wrapping_add({i})\n}}\n\n"
    )
}

const SCALE: &str = "#include <stdint.h>\nvoid scale(float *out, const float *x, uint32_t n)\n{\n    \
    uint32_t i = 0;\n    for (; n - i >= UNROLL; i += UNROLL)\n        for (uint32_t j = 0; j < UNROLL; j++)\n            \
    out[i + j] = 2 * x[i + j];\n    for (; i < n; i++)\n        out[i] = 2 * x[i];\n}\n";

/// Runs the script as cargo does, in the OUT_DIR of the build before.
fn median_ms(package: &Package, script: &Path) -> Result<f64, String> {
    let out_dir = out_dir(package)?;
    let target = target_triple()?;
    let mut times = Vec::new();
    for _ in 0..RUNS {
        let mut command = Command::new(script);
        command
            .current_dir(package.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .env("CARGO_MANIFEST_DIR", package.path())
            .env("OUT_DIR", &out_dir)
            .env("CARGO_PKG_NAME", NAME)
            .env("CARGO_PKG_VERSION", "0.1.0")
            .env("TARGET", &target)
            .env("HOST", &target)
            .env("NUM_JOBS", "2")
            .env("BICO_CACHE", "off")
            .env("BICO", "locked");
        let start = Instant::now();
        let status = command.status().map_err(|e| e.to_string())?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
        if !status.success() {
            return Err(format!("the build script failed: {status}"));
        }
    }
    times.sort_by(f64::total_cmp);
    Ok((times[RUNS / 2] * 10.0).round() / 10.0)
}

fn out_dir(package: &Package) -> Result<PathBuf, String> {
    let folder = package.path().join("target/debug/build");
    let entries = std::fs::read_dir(&folder).map_err(|e| e.to_string())?;
    entries
        .flatten()
        .map(|e| e.path().join("out"))
        .find(|out| out.join("bico").is_dir())
        .ok_or_else(|| "no OUT_DIR of bico".to_string())
}

fn target_triple() -> Result<String, String> {
    let output = Command::new("rustc")
        .arg("-vV")
        .output()
        .map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines()
        .find_map(|line| line.strip_prefix("host: ").map(str::to_string))
        .ok_or_else(|| "rustc -vV names no host".to_string())
}
