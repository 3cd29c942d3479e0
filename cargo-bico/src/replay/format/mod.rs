//! The formats that a recorded space comes in. What a file is, its content says, not its name.

mod cache;
mod csv;
mod json;
mod sidecar;
mod t4;
mod text;
mod value;
mod write;

use super::{Error, Table};
use std::path::Path;
use value::{Domain, finish};

pub(crate) use text::read as read_text;
pub(crate) use write::{Written, sidecar, text as written};

/// Parameters with their values, and a table that lacks them still.
type Raw = (Vec<Domain>, Table);

/// Milliseconds in one second, for files that count in them.
const MILLI: f64 = 1e-3;

/// Reads a recorded space: a CSV with its JSON sidecar (either of the two may be named), a Kernel
/// Tuner cache file or T4 results, each of them plain or gzipped.
///
/// # Errors
///
/// What cannot be read or makes no sense, with its line or field.
pub(crate) fn read(path: &Path) -> Result<Table, Error> {
    let text = text::read(path)?;
    if text.trim().is_empty() {
        return Err(Error::new(path, "the file is empty").help("name a recorded space"));
    }
    if !text.trim_start().starts_with(['{', '[']) {
        return whole(path, "CSV", csv::read(path, &text)?);
    }
    let (object, cut) = json::object(path, &text)?;
    if object.contains_key("cache") {
        whole(path, "Kernel Tuner cache", cache::read(path, &object, cut)?)
    } else if object.contains_key("results") {
        whole(path, "T4 results", t4::read(path, &object)?)
    } else if object.contains_key("params") {
        let table = sidecar::table_beside(path)?;
        whole(&table, "CSV", csv::read(&table, &text::read(&table)?)?)
    } else {
        Err(Error::new(path, "this JSON is no recorded space")
            .help("it has neither `cache` (Kernel Tuner), `results` (T4) nor `params` (the sidecar of a CSV)"))
    }
}

/// Adds to a table what its parameters and the file's name say; a name in the file counts more.
fn whole(path: &Path, format: &'static str, (domains, mut table): Raw) -> Result<Table, Error> {
    let [name, kernel, device] = text::names(path, format != "CSV");
    (table.name, table.format) = (name, format);
    for (own, by_file) in [(&mut table.kernel, kernel), (&mut table.device, device)] {
        if own.is_empty() {
            *own = by_file;
        }
    }
    table.parameters = finish(domains, &mut table.rows);
    Ok(table)
}
