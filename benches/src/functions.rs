//! What functions in Rust cost to tune, beside the same kernel in C, and how what ships differs from what was measured.

use crate::package::Package;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

const RUST: &str = include_str!("../functions/product.rs");
const MAIN: &str = include_str!("../functions/main.rs");
const C: &str = include_str!("../functions/product.c");

/// Configs of one call of rustc.
const BATCHES: [usize; 4] = [1, 8, 16, 64];

const RUNS: usize = 3;

pub(crate) fn run(json: bool) -> Result<Value, String> {
    let rust = Package::new("functions", &[("src/main.rs", &format!("{RUST}{MAIN}"))])?;
    let features =
        |text: &str| text.replace("bico-build\" }", "bico-build\", features = [\"rust\"] }");
    let manifest = rust.path().join("Cargo.toml");
    let text = std::fs::read_to_string(&manifest).map_err(|e| e.to_string())?;
    rust.write(
        "Cargo.toml",
        &format!(
            "{}\n[profile.optimised]\ninherits = \"dev\"\nopt-level = 3\n",
            features(&text)
        ),
    )?;
    // Everything but `product`'s body, which the file in C has.
    let (head, rest) = RUST.split_once("pub fn product<").ok_or("no function")?;
    let (_, arguments) = rest.split_once(">(").ok_or("no arguments")?;
    let (arguments, _) = arguments.split_once("\n) {").ok_or("no body")?;
    let head = head.replace("tunable(", "tunable(\n    source = \"kernels/product.c\",");
    let main =
        format!("{head}pub fn product({arguments}) -> bico::Result<()>;\n\nfn main() {{}}\n");
    let c = Package::new("twin", &[("src/main.rs", &main), ("kernels/product.c", C)])?;
    let tuned = tuned(&rust, &c)?;
    let batches = batches(&rust)?;
    let shipped = shipped(&rust)?;
    if !json {
        println!(
            "seconds to tune 64 configs of 500, cold, runs in turns: Rust {:?}, C {:?}\n",
            tuned[0], tuned[1]
        );
        println!("configs of a call   seconds per config");
        for (count, seconds) in BATCHES.iter().zip(&batches) {
            println!("{count:>17}   {seconds:.4}");
        }
        println!(
            "\nprofile                          measured ms  shipped ms  wrapper ns  direct ns  in the binary  warns"
        );
        for row in &shipped {
            println!("{row}");
        }
    }
    let rows = shipped.iter().map(|row| row.json());
    Ok(
        json!({ "tune_rust": tuned[0], "tune_c": tuned[1], "batches": batches, "shipped": rows.collect::<Vec<_>>() }),
    )
}

/// Seconds that a search takes by its own account.
fn tuned(rust: &Package, c: &Package) -> Result<[Vec<f64>; 2], String> {
    let mut seconds = [Vec::new(), Vec::new()];
    for _ in 0..RUNS {
        for (package, seconds) in [rust, c].into_iter().zip(&mut seconds) {
            let _ = std::fs::remove_dir_all(package.path().join("target/bico"));
            package.cargo(&["build", "--release"], &[("BICO", "tune")])?;
            seconds.push(spent(package, "product")?);
        }
    }
    Ok(seconds)
}

/// When the last trial of a search was done.
fn spent(package: &Package, key: &str) -> Result<f64, String> {
    let bico = package.path().join("target/bico");
    let folders = std::fs::read_dir(&bico).map_err(|e| e.to_string())?;
    let files = folders
        .flatten()
        .map(|folder| folder.path().join(format!("{key}.jsonl")));
    let file = files
        .into_iter()
        .find(|file| file.is_file())
        .ok_or("no trail")?;
    let text = std::fs::read_to_string(file).map_err(|e| e.to_string())?;
    let rows = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let spent = rows
        .filter_map(|row| row["spent"].as_f64())
        .fold(0.0, f64::max);
    Ok((spent * 100.0).round() / 100.0)
}

/// Seconds per config, median of five: of the source that the build wrote, as it compiles it.
fn batches(rust: &Package) -> Result<Vec<f64>, String> {
    let source = rust.path().join("target/bico/functions/product.rs");
    let source = std::fs::read_to_string(source).map_err(|e| e.to_string())?;
    let mut batches = Vec::new();
    for count in BATCHES {
        let mut text = source.clone();
        for at in 0..count {
            text += &format!(
                "__bico_kernel!(bico_{at} {}, 16, {});\n",
                1 + at % 8,
                32 + at
            );
        }
        let file = rust.path().join("batch.rs");
        std::fs::write(&file, text).map_err(|e| e.to_string())?;
        let mut times = Vec::new();
        for _ in 0..5 {
            times.push(compile(&file)? / count as f64);
        }
        times.sort_by(f64::total_cmp);
        batches.push(times[times.len() / 2]);
    }
    Ok(batches)
}

fn compile(file: &Path) -> Result<f64, String> {
    let start = Instant::now();
    let status = Command::new("rustc")
        .args([
            "--edition=2024",
            "-Copt-level=3",
            "-Cpanic=abort",
            "--crate-type=cdylib",
        ])
        .args([
            "--crate-name=bico_function",
            "--cap-lints=allow",
            "-Cdebuginfo=0",
            "-Cstrip=debuginfo",
            "-o",
        ])
        .arg(file.with_extension("so"))
        .arg(file)
        .status();
    let status = status.map_err(|e| format!("rustc: {e}"))?;
    match status.success() {
        true => Ok(start.elapsed().as_secs_f64()),
        false => Err("rustc refused the batch".into()),
    }
}

/// One way to build the program.
struct Row {
    name: &'static str,
    /// Of the winner, in the lock.
    measured: f64,
    /// What the program says: seconds of a call, and nanoseconds of one of the small function, through the wrapper and not.
    told: [f64; 3],
    /// Symbols of the small function.
    symbols: usize,
    warns: bool,
}

impl Row {
    fn json(&self) -> Value {
        json!({ "name": self.name, "measured": self.measured, "shipped": self.told[0], "wrapper_ns": self.told[1],
                "direct_ns": self.told[2], "symbols": self.symbols, "warns": self.warns })
    }
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [shipped, wrapper, direct] = self.told;
        let (measured, shipped) = (1e3 * self.measured, 1e3 * shipped);
        let inlined = if self.symbols == 0 {
            "inlined"
        } else {
            "called"
        };
        let warns = if self.warns { "yes" } else { "no" };
        let name = self.name;
        write!(
            f,
            "{name:<32} {measured:>11.3} {shipped:>11.3} {wrapper:>11.1} {direct:>10.1}  {inlined:>13}  {warns}"
        )
    }
}

/// Builds the program in several ways, with the lock of a release build, and at the end with one of its own flags.
fn shipped(rust: &Package) -> Result<Vec<Row>, String> {
    let native = ("RUSTFLAGS", "-Ctarget-cpu=native");
    let fat = ("CARGO_PROFILE_RELEASE_LTO", "fat");
    type Way<'a> = (&'static str, &'static str, &'a [(&'a str, &'a str)]);
    let linked = format!("{RUST}{MAIN}")
        .replace("bico::tunable(", "bico::tunable(\n    ship = measured,")
        .replacen("space(", "flags = [\"-Ctarget-cpu={ISA}\"],\n    require(device.has(ISA)),\n    space(\n        ISA in [\"x86-64-v2\", \"x86-64-v3\", \"x86-64-v4\"],", 1);
    let ways: [Way<'_>; 8] = [
        ("release", "release", &[]),
        ("dev", "dev", &[]),
        ("dev, opt-level = 3", "optimised", &[]),
        ("release, lto = \"fat\"", "release", &[fat]),
        ("release, target-cpu=native", "release", &[native]),
        (
            "the same, tuned with it",
            "release",
            &[native, ("BICO", "tune")],
        ),
        (
            "`ship = measured`, ISA: release",
            "release",
            &[("BICO", "tune")],
        ),
        ("the same, dev", "dev", &[]),
    ];
    let mut rows = Vec::new();
    for (at, (name, profile, variables)) in ways.into_iter().enumerate() {
        if at == 6 {
            rust.write("src/main.rs", &linked)?;
        }
        let variables = [&[("BICO", "auto")][..], variables].concat();
        let said = rust.cargo(&["build", "--profile", profile], &variables)?;
        let said = String::from_utf8_lossy(&said.stderr).into_owned();
        let folder = if profile == "dev" { "debug" } else { profile };
        let program = rust.path().join("target").join(folder).join("functions");
        let output = Command::new(&program)
            .env("BICO_CACHE", "off")
            .output()
            .map_err(|e| e.to_string())?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut told = text.split_whitespace().filter_map(|word| word.parse().ok());
        let told = [(); 3].map(|()| told.next().unwrap_or(f64::NAN));
        let names = Command::new("nm")
            .arg(&program)
            .output()
            .map_err(|e| format!("nm: {e}"))?;
        let names = String::from_utf8_lossy(&names.stdout).into_owned();
        rows.push(Row {
            name,
            measured: measured(rust)?,
            told,
            symbols: names
                .lines()
                .filter(|line| line.contains("__bico_tiny_kernel_of") || line.contains("_tiny_c"))
                .count(),
            warns: [" was measured ", " were measured "]
                .iter()
                .any(|text| said.contains(text)),
        });
    }
    Ok(rows)
}

/// The winner's seconds in the lock.
fn measured(rust: &Package) -> Result<f64, String> {
    let text = std::fs::read_to_string(rust.path().join("bico.lock")).map_err(|e| e.to_string())?;
    let lock: Value = serde_json::from_str(&text).map_err(|e| e.to_string())?;
    let devices = lock["kernels"]["product"].as_object().ok_or("no entry")?;
    let entry = devices.values().next().map(|problems| &problems["n=256"]);
    let seconds = entry.and_then(|entry| entry["winner"]["seconds"].as_f64());
    seconds.ok_or_else(|| "no winner".to_string())
}
