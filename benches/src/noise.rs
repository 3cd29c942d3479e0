//! Is the pick right on a busy machine? The GEMM is tuned on the quiet machine, then again while
//! every core is kept busy; all picks are then measured on the quiet machine, in turns.

use crate::package::Package;
use serde_json::{Value, json};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

const REPETITIONS: usize = 5;
const ROUNDS: usize = 9;

const MAIN: &str = r#"
use std::time::Instant;
fn main() {
    let n = 1024u32;
    let a: Vec<f32> = (0..n * n).map(|i| (i % 17) as f32).collect();
    let mut c = vec![0f32; a.len()];
    let mut best = f64::INFINITY;
    for _ in 0..6 {
        let start = Instant::now();
        noise_kernel::gemm(&mut c, &a, &a, n, n, n).unwrap();
        best = best.min(start.elapsed().as_secs_f64());
    }
    println!("{}", 2.0 * f64::from(n).powi(3) / best * 1e-9);
}
"#;

pub(crate) fn run(json: bool) -> Result<Value, String> {
    let source = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../kernels/kernels/gemm.c"
    ))
    .map_err(|e| e.to_string())?;
    let wrapper = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../kernels/src/gemm.rs"
    ))
    .map_err(|e| e.to_string())?;
    let package = Package::new(
        "noise-kernel",
        &[
            ("src/lib.rs", &wrapper),
            ("src/main.rs", MAIN),
            ("kernels/gemm.c", &source),
        ],
    )?;
    let mut programs = vec![tune(&package, 0)?];
    for repetition in 1..=REPETITIONS {
        programs.push(busy(|| tune(&package, repetition))?);
    }
    let mut gflops = vec![0.0f64; programs.len()];
    for _ in 0..ROUNDS {
        for (program, best) in programs.iter().zip(&mut gflops) {
            let output = Command::new(program).output().map_err(|e| e.to_string())?;
            let text = String::from_utf8_lossy(&output.stdout);
            let value: f64 = text
                .trim()
                .parse()
                .map_err(|_| format!("no figure in {text:?}"))?;
            *best = best.max(value);
        }
    }
    for value in &mut gflops {
        *value = (*value * 10.0).round() / 10.0;
    }
    if !json {
        println!(
            "GEMM 1024^3, picks measured on the quiet machine, fastest of {ROUNDS} turns, GFLOP/s\n"
        );
        println!("tuned on the quiet machine  {:7.1}", gflops[0]);
        for value in &gflops[1..] {
            println!(
                "tuned on the busy machine   {value:7.1}  ({:.3} of the quiet pick)",
                value / gflops[0]
            );
        }
    }
    Ok(json!({ "quiet_gflops": gflops[0], "busy_gflops": gflops[1..] }))
}

/// Tunes anew and keeps the program that carries the winner.
fn tune(package: &Package, repetition: usize) -> Result<std::path::PathBuf, String> {
    package.cargo(&["build", "--release"], &[("BICO", "tune")])?;
    let built = package.path().join("target/release/noise-kernel");
    let kept = package.path().join(format!("pick-{repetition}"));
    std::fs::copy(&built, &kept).map_err(|e| e.to_string())?;
    // A changed source makes the script run again.
    package.write("src/touched.rs", &format!("// {repetition}\n"))?;
    let lock = package.path().join("bico.lock");
    std::fs::remove_file(&lock).map_err(|e| format!("{}: {e}", lock.display()))?;
    Ok(kept)
}

/// Runs `work` while every core has something else to do.
pub(crate) fn busy<T>(work: impl FnOnce() -> T) -> T {
    let stop = AtomicBool::new(false);
    let cores = std::thread::available_parallelism().map_or(2, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                let mut x = 1u64;
                while !stop.load(Ordering::Relaxed) {
                    for _ in 0..10_000 {
                        x = std::hint::black_box(
                            x.wrapping_mul(6364136223846793005).wrapping_add(1),
                        );
                    }
                }
            });
        }
        let result = work();
        stop.store(true, Ordering::Relaxed);
        result
    })
}
