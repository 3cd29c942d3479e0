//! How long until a kernel is fast? bico's builds beside other tools' searches, on the same kernels, spaces, compiler and
//! flags, cold and in turns; then all that each tool took for its best on the way, measured anew in one harness.
//!
//! A run's clock starts when the tool is called with everything compiled but the kernel, and runs through whatever the tool does: for
//! bico that is all of `cargo build`. Each computes the reference's result itself, and is killed at the end of its seconds.
//! What was run is kept in `seconds` in the target folder, so that the two hours can be had in parts.

mod options;
mod package;
mod run;
mod table;

use options::Options;
use package::Tuned;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// One of `benches/seconds/kernels.json`.
#[derive(Deserialize)]
pub(super) struct Kernel {
    pub(super) name: String,
    source: String,
    sizes: Vec<(String, Value)>,
    params: Vec<(String, Value)>,
    restrictions: Vec<String>,
    buffers: Vec<(String, String, String)>,
    scratch: Vec<(String, String)>,
}

/// A config, by its parameters.
pub(super) type Config = BTreeMap<String, Value>;

/// What a tool took for its best, and after how many seconds.
pub(super) type Progress = Vec<(f64, Config)>;

/// One search of one tool.
pub(super) struct Run {
    pub(super) tool: String,
    pub(super) progress: Progress,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("seconds")
}

fn kernels() -> Result<Vec<Kernel>, String> {
    let path = folder().join("kernels.json");
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))
}

pub(crate) fn run(json: bool) -> Result<Value, String> {
    let options = Options::read(std::env::args().skip(2))?;
    let kept = crate::rivals().ok_or("no target folder")?;
    let kept = kept.with_file_name("seconds");
    let kernels: Vec<Kernel> = kernels()?;
    let kernels: Vec<&Kernel> = kernels.iter().filter(|of| options.has(&of.name)).collect();
    for kernel in &kernels {
        std::fs::create_dir_all(kept.join(&kernel.name)).map_err(|e| e.to_string())?;
        let tuned = Tuned::new(kernel, &kept)?;
        for seed in 0..options.seeds {
            // Nobody always comes first.
            let turn = seed as usize % options.tools.len();
            for tool in options.tools[turn..].iter().chain(&options.tools[..turn]) {
                let file = kept.join(&kernel.name).join(format!("{tool}-{seed}.json"));
                if file.is_file() {
                    continue;
                }
                eprintln!("{}: {tool}, seed {seed}", kernel.name);
                let progress = match tool.as_str() {
                    "bico" => tuned.run(seed, options.seconds)?,
                    other => run::rival(other, &kernel.name, seed, options.seconds)?,
                };
                let text = json!(progress).to_string();
                std::fs::write(&file, text).map_err(|e| format!("{}: {e}", file.display()))?;
            }
        }
    }
    let mut rows = serde_json::Map::new();
    let mut all = Vec::new();
    for kernel in &kernels {
        let runs = read(kernel, &kept, &options)?;
        let measured = run::measured(&kernel.name, &runs)?;
        let of = table::Kernel::new(&kernel.name, runs, &measured, &options);
        if !json {
            of.print(&options);
        }
        rows.insert(kernel.name.clone(), of.json(&options));
        all.push(of);
    }
    if !json {
        table::print_all(&all, &options);
    }
    Ok(Value::Object(rows))
}

fn read(kernel: &Kernel, kept: &Path, options: &Options) -> Result<Vec<Run>, String> {
    let mut runs = Vec::new();
    for tool in &options.tools {
        for seed in 0..options.seeds {
            let file = kept.join(&kernel.name).join(format!("{tool}-{seed}.json"));
            let text =
                std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
            let progress =
                serde_json::from_str(&text).map_err(|e| format!("{}: {e}", file.display()))?;
            runs.push(Run {
                tool: tool.clone(),
                progress,
            });
        }
    }
    Ok(runs)
}
