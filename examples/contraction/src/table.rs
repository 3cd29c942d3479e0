//! The best configs that the lock knows, a table per device.

use bico_build::lock::{self, Entry, Error};
use std::fmt::Write;
use std::path::Path;

/// Reads `bico.lock` of this package.
///
/// # Errors
///
/// The file is faulty.
pub fn tables() -> Result<String, Error> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("bico.lock");
    let Some(lock) = lock::load(&path)? else {
        return Ok("no device has tuned it: there is no bico.lock\n".to_string());
    };
    let mut out = String::new();
    for (device, problems) in lock.kernels.get("contract").into_iter().flatten() {
        for (problem, entry) in problems {
            let _ = writeln!(
                out,
                "{device}: {problem}, {} of {} configs measured",
                entry.evaluations, entry.space_size
            );
            out += &table(entry);
        }
    }
    Ok(out)
}

fn table(entry: &Entry) -> String {
    let names: Vec<&String> = entry.winner.config.keys().collect();
    let mut rows = vec![names.iter().map(ToString::to_string).collect::<Vec<_>>()];
    rows[0].push("ms".to_string());
    for trial in &entry.trials {
        let values = names.iter().map(|name| {
            let value = trial.config.get(*name);
            value.map_or("?".to_string(), ToString::to_string)
        });
        let mut row: Vec<String> = values.collect();
        row.push(format!("{:.3}", trial.seconds * 1e3));
        rows.push(row);
    }
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..=names.len()).map(width).collect();
    let mut out = String::new();
    for row in &rows {
        let cells = row.iter().zip(&widths);
        let line: Vec<String> = cells
            .map(|(cell, width)| format!("{cell:>width$}"))
            .collect();
        let _ = writeln!(out, "  {}", line.join("  "));
    }
    out
}
