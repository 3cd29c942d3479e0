//! Does `cargo bico check --perf` find a kernel that became slower, and only such a one? A blur is linked with a library whose
//! only function does nothing while it is tuned; later it runs a loop, which no hash covers.

use crate::noise::busy;
use crate::package::Package;
use serde_json::{Value, json};
use std::process::Command;

/// By so many percent the kernel is to become slower.
const SLOWER: [u32; 4] = [0, 6, 10, 18];
const RUNS: usize = 50;
/// What the loop runs where its time is measured.
const PROBE: u64 = 20_000;

const KERNEL: &str = r#"
#include <stdint.h>
void extra(void);
void blur(float *y, const float *x, uint32_t n)
{
    extra();
    for (uint32_t i = 2; i + 2 < n; i += STEP)
        for (uint32_t j = i; j < i + STEP && j + 2 < n; j++)
            y[j] = SCALE * (x[j - 2] + x[j - 1] + x[j] + x[j + 1] + x[j + 2]) / SCALE;
    y[0] = y[1] = y[n - 2] = y[n - 1] = 0;
}
"#;

const REFERENCE: &str = r#"
#include <stdint.h>
void blur_plain(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = i < 2 || i + 2 >= n ? 0 : x[i - 2] + x[i - 1] + x[i] + x[i + 1] + x[i + 2];
}
"#;

const WRAPPER: &str = r#"
#[bico::tunable(
    source = "kernels/blur.c",
    space(STEP in [1, 2, 4, 8, 16, 32], SCALE in [1, 2]),
    require(n > 4),
    problem(n = 200_000),
    verify(reference = "kernels/plain.c", entry = "blur_plain"),
    link = ["extra"],
    budget(evaluations = 12, seconds = 20),
)]
pub fn blur(#[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32) -> bico::Result<()>;
"#;

pub(crate) fn run(json: bool) -> Result<Value, String> {
    let files = [
        ("src/lib.rs", WRAPPER),
        ("kernels/blur.c", KERNEL),
        ("kernels/plain.c", REFERENCE),
    ];
    let package = Package::new("gate", &files)?;
    library(&package, 0)?;
    bico(&package, &["tune"])?;
    let was = ratio(&package)?;
    library(&package, PROBE)?;
    let of_one = (ratio(&package)? - was) / PROBE as f64;
    let mut rows = Vec::new();
    if !json {
        println!(
            "{RUNS} runs each; the limit is 5 %\n\nslower by  machine   fine  slower  undecided"
        );
    }
    for percent in SLOWER {
        let loops = f64::from(percent) / 100.0 * was / of_one;
        library(&package, loops as u64)?;
        for (machine, is_busy) in [("quiet", false), ("busy", true)] {
            let runs = || looks(&package);
            let looks = if is_busy { busy(runs) } else { runs() }?;
            let of = |verdict: &str| looks.iter().filter(|(said, _)| said == verdict).count();
            let counts = [of("fine"), of("slower"), of("undecided")];
            let mut now: Vec<f64> = looks.iter().map(|(_, now)| now / was - 1.0).collect();
            now.sort_by(f64::total_cmp);
            let median = now.get(now.len() / 2).copied().unwrap_or(f64::NAN) * 100.0;
            if !json {
                let [fine, slower, undecided] = counts;
                println!("{median:7.1} %  {machine:<8}  {fine:4}  {slower:6}  {undecided:9}");
            }
            rows.push(json!({ "asked": percent, "slower_percent": median, "machine": machine, "fine": counts[0], "slower": counts[1], "undecided": counts[2] }));
        }
    }
    Ok(json!({ "runs": RUNS, "rows": rows }))
}

/// Builds the library, whose function runs a loop of so many rounds.
fn library(package: &Package, rounds: u64) -> Result<(), String> {
    let body = format!(
        "void extra(void)\n{{\n    for (volatile long i = 0; i < {rounds}; i++) {{\n    }}\n}}\n"
    );
    package.write("lib/extra.c", &body)?;
    let script = "gcc -O1 -fPIC -c extra.c -o extra.o && ar rcs libextra.a extra.o";
    let made = Command::new("sh")
        .args(["-c", script])
        .current_dir(package.path().join("lib"))
        .status();
    match made.is_ok_and(|status| status.success()) {
        true => Ok(()),
        false => Err("gcc and ar are needed".to_string()),
    }
}

/// Runs the command there, whose status says what it found.
fn bico(package: &Package, arguments: &[&str]) -> Result<String, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(own);
    command
        .arg("bico")
        .args(arguments)
        .current_dir(package.path());
    command.env("LIBRARY_PATH", package.path().join("lib"));
    command
        .env("BICO_CACHE", "off")
        .env_remove("BICO")
        .env_remove("CI");
    let output = command.output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    match output.status.code() {
        Some(0) => Ok(text),
        Some(1 | 3) if arguments[0] == "check" && !text.is_empty() => Ok(text),
        _ => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

/// One look of the gate: what it says, and the ratio.
fn look(package: &Package) -> Result<(String, f64), String> {
    let text = bico(package, &["check", "--perf", "--json"])?;
    let results: Value = serde_json::from_str(&text).map_err(|e| format!("{e}: {text}"))?;
    let said = results[0]["verdict"].as_str().unwrap_or_default();
    let now = results[0]["now"].as_f64();
    Ok((said.to_string(), now.ok_or_else(|| results[0].to_string())?))
}

fn looks(package: &Package) -> Result<Vec<(String, f64)>, String> {
    (0..RUNS).map(|_| look(package)).collect()
}

/// The median of a few looks.
fn ratio(package: &Package) -> Result<f64, String> {
    let looks: Result<Vec<f64>, String> =
        (0..9).map(|_| look(package).map(|(_, now)| now)).collect();
    let mut looks = looks?;
    looks.sort_by(f64::total_cmp);
    Ok(looks[looks.len() / 2])
}
