//! The other tools, each in a process of its own, with a time limit.

use super::definition::Definition;
use serde_json::Value as Json;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

pub(crate) const TOOLS: [&str; 2] = ["kernel_tuner", "pyatf"];

/// What a tool may take for one space, with listing.
const LIMIT: Duration = Duration::from_secs(240);

/// What a tool did with one space.
#[derive(Default)]
pub(crate) struct Outcome {
    /// The fastest repetition.
    pub(crate) ms: Option<f64>,
    pub(crate) valid: Option<u64>,
    /// All configs, sorted, one after the other; `None` if it could not list them in time.
    pub(crate) rows: Option<Vec<i32>>,
    /// What is missing, and why.
    pub(crate) note: Option<String>,
}

pub(crate) fn run(tool: &str, definition: &Definition) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let Some(python) = python() else {
        outcome.note = Some(
            "skipped: there is no `rivals/bin/python` in the target folder (benches/README.md)"
                .into(),
        );
        return Ok(outcome);
    };
    let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
    let (space, rows) = (dir.path().join("space.json"), dir.path().join("rows"));
    std::fs::write(&space, definition.python.to_string()).map_err(|e| e.to_string())?;
    let mut child = Command::new(python)
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/space/rivals.py"))
        .arg(tool)
        .arg(&space)
        .arg(&rows)
        .arg(LIMIT.as_secs().to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| e.to_string())?;
    let (stdout, mut stderr) = (child.stdout.take(), child.stderr.take());
    let reader = std::thread::spawn(move || -> Vec<Json> {
        let lines = stdout
            .into_iter()
            .flat_map(|out| BufReader::new(out).lines());
        lines
            .map_while(Result::ok)
            .filter_map(|line| serde_json::from_str(&line).ok())
            .collect()
    });
    let complaints = std::thread::spawn(move || {
        let mut text = String::new();
        if let Some(stderr) = &mut stderr {
            _ = std::io::Read::read_to_string(stderr, &mut text);
        }
        text
    });
    let ended = finished(&mut child)?;
    let said = reader.join().unwrap_or_default();
    let complaints = complaints.join().unwrap_or_default();
    for object in &said {
        if let Some(ms) = object["ms"].as_f64() {
            (outcome.ms, outcome.valid) = (Some(ms), object["valid"].as_u64());
        }
        if object["listed"] == true {
            let bytes = std::fs::read(&rows).map_err(|e| e.to_string())?;
            let words = bytes.chunks_exact(4);
            outcome.rows = Some(
                words
                    .map(|w| i32::from_ne_bytes([w[0], w[1], w[2], w[3]]))
                    .collect(),
            );
        }
    }
    outcome.note = match ended {
        None if outcome.ms.is_none() => Some(format!("did not finish in {} s", LIMIT.as_secs())),
        None => Some(format!(
            "could not list the configs in {} s",
            LIMIT.as_secs()
        )),
        Some(status) if !status.success() => {
            let last = complaints.lines().last().unwrap_or_default();
            Some(format!("{status}: {last}"))
        }
        Some(_) => None,
    };
    Ok(outcome)
}

/// How it ended; `None` if it had to be ended.
fn finished(child: &mut Child) -> Result<Option<ExitStatus>, String> {
    let begin = Instant::now();
    loop {
        match child.try_wait().map_err(|e| e.to_string())? {
            Some(status) => return Ok(Some(status)),
            None if begin.elapsed() > LIMIT => {
                _ = child.kill();
                _ = child.wait();
                return Ok(None);
            }
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    }
}

/// The interpreter of the virtual environment beside our own executable's folder.
fn python() -> Option<PathBuf> {
    let path = crate::rivals()?.join("bin/python");
    path.exists().then_some(path)
}
