//! `cargo bico devices`.

use crate::Error;
use crate::gpus::{chosen, known};
use crate::out::out;
use bico_build::lock::Lock;
use bico_build::report::columns;
use bico_core::json::ToJson;

/// Lists the GPUs that `cargo bico space --device` knows though they are not here, and where their figures are published.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cargo bico devices                all that are known
  cargo bico devices --facts H100   one, as a file of facts to change")]
pub(super) struct Arguments {
    /// Prints the facts of one as JSON, to be edited and given as `--device FACTS.json`
    #[arg(long, value_name = "NAME")]
    facts: Option<String>,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Error> {
    if let Some(name) = &arguments.facts {
        let (facts, note) = chosen(name, &Lock::default())?;
        if let Some(note) = note {
            eprintln!("note: {note}");
        }
        return out(&(facts.to_json().to_text() + "\n"));
    }
    let head = "device|multiprocessors|L2 KiB|memory GB/s|clock MHz";
    let mut rows: Vec<Vec<String>> = vec![head.split('|').map(String::from).collect()];
    let mut sources = vec!["source".to_string()];
    for gpu in known()? {
        rows.push(vec![
            gpu.key().to_string(),
            gpu.multiprocessors.to_string(),
            gpu.l2_kib.to_string(),
            gpu.memory_gb_per_second.to_string(),
            gpu.clock_mhz.to_string(),
        ]);
        sources.push(gpu.source);
    }
    let table = columns(&rows, 1);
    let lines = table.lines().zip(sources);
    let lines = lines.map(|(line, source)| format!("{line}  {source}\n"));
    out(lines.collect::<String>())
}
