//! The other tools, and the harness that all picks are measured in: `benches/seconds/rivals.py`.

use super::{Config, Progress, Run, folder};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

fn rivals() -> Result<Command, String> {
    let python = crate::rivals().map(|of| of.join("bin/python"));
    let python = python
        .filter(|of| of.exists())
        .ok_or("there is no `rivals/bin/python` in the target folder (benches/README.md)")?;
    let mut command = Command::new(python);
    command
        .arg(folder().join("rivals.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    Ok(command)
}

fn number(row: &Value, of: &str) -> Result<f64, String> {
    row[of]
        .as_f64()
        .ok_or_else(|| format!("no `{of}` in {row}"))
}

/// Runs a tool for so many seconds after it was called, and sees what it finds.
pub(super) fn rival(tool: &str, kernel: &str, seed: u64, seconds: f64) -> Result<Progress, String> {
    let mut command = rivals()?;
    command.args([tool, kernel, &seed.to_string()]);
    let mut child = command
        .stderr(Stdio::null())
        .spawn()
        .map_err(|e| e.to_string())?;
    let stdout = child.stdout.take();
    let (send, lines) = mpsc::channel();
    std::thread::spawn(move || {
        let out = stdout.into_iter().flat_map(|of| BufReader::new(of).lines());
        out.map_while(Result::ok)
            .all(|line| send.send(line).is_ok())
    });
    // Starting Python and reading its libraries is none of the tool's seconds: it says when it was called.
    let give_up = Instant::now() + Duration::from_secs_f64(seconds + 30.0);
    let mut progress = Progress::new();
    let mut best = f64::INFINITY;
    while let Ok(line) = lines.recv_timeout(give_up.saturating_duration_since(Instant::now())) {
        let Ok(row) = serde_json::from_str::<Value>(&line) else {
            continue;
        };
        let (at, ms) = (number(&row, "seconds")?, number(&row, "ms")?);
        if at > seconds {
            break;
        }
        if ms < best {
            best = ms;
            let config = serde_json::from_value(row["config"].clone());
            progress.push((at, config.map_err(|e| e.to_string())?));
        }
    }
    _ = child.kill();
    child.wait().map_err(|e| e.to_string())?;
    match progress.is_empty() {
        true => Err(format!("{kernel}: {tool} found nothing")),
        false => Ok(progress),
    }
}

/// Milliseconds of each config that any run took for its best, measured in turns.
pub(super) fn measured(kernel: &str, runs: &[Run]) -> Result<Vec<(Config, f64)>, String> {
    let configs = runs.iter().flat_map(|run| &run.progress);
    let mut configs: Vec<String> = configs.map(|(_, of)| json!(of).to_string()).collect();
    configs.sort_unstable();
    configs.dedup();
    let mut command = rivals()?;
    command.args(["measure", kernel]);
    let mut child = command.spawn().map_err(|e| e.to_string())?;
    if let Some(mut stdin) = child.stdin.take() {
        let lines = configs.join("\n") + "\n";
        stdin
            .write_all(lines.as_bytes())
            .map_err(|e| e.to_string())?;
    }
    let output = child.wait_with_output().map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let times: Vec<&str> = text.lines().collect();
    if !output.status.success() || times.len() != configs.len() {
        return Err(format!("{kernel}: its picks could not be measured"));
    }
    let one = |(config, time): (&String, &str)| {
        let config = serde_json::from_str(config).map_err(|e| e.to_string())?;
        let time = serde_json::from_str(time).map_err(|e| e.to_string())?;
        Ok((config, number(&time, "ms")?))
    };
    configs.iter().zip(times).map(one).collect()
}
