//! What a call costs while it is captured, in a process of its own.

use super::touch;
use serde_json::{Value, json};
use std::hint::black_box;
use std::process::Command;
use std::time::Instant;

const CALLS: u32 = 100_000;
const ROUNDS: u32 = 10;

/// Nanoseconds, the fastest of some rounds.
pub(super) fn run(json: bool) -> Result<Value, String> {
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let own = std::env::current_exe().map_err(|e| e.to_string())?;
    let output = Command::new(own)
        .arg("dispatch-captured")
        .env("BICO_CAPTURE", folder.path().join("calls"))
        .output()
        .map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let ns: Value = serde_json::from_str(text.lines().last().unwrap_or_default())
        .map_err(|e| format!("the process that is captured: {e}"))?;
    if !json {
        println!("{:<32}  {ns}", "wrapper, captured into a file");
    }
    Ok(ns)
}

/// The calls.
pub(crate) fn calls() -> Result<Value, String> {
    let (mut out, input) = ([0.0], [1.0, 1.0]);
    let mut fastest = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for _ in 0..CALLS {
            touch(&mut out, &input, black_box(1), black_box(1)).map_err(|e| e.to_string())?;
        }
        fastest = fastest.min(start.elapsed().as_nanos() as f64 / f64::from(CALLS));
    }
    Ok(json!(fastest.round()))
}
