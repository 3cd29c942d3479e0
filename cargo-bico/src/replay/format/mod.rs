//! The formats that a recorded space comes in. What a file is, its content says, not its name.

mod cache;
mod csv;
mod fields;
mod json;
mod sidecar;
mod t4;
mod text;
mod value;

use super::{Error, Table};
use std::path::Path;

pub(super) use text::read as read_text;

/// Reads a recorded space: a CSV with its JSON sidecar (either of the two may be named), a Kernel
/// Tuner cache file or T4 results, each of them plain or gzipped.
///
/// # Errors
///
/// What cannot be read or makes no sense, with its line or field.
pub(super) fn read(path: &Path) -> Result<Table, Error> {
    let text = text::read(path)?;
    parse(path, &text)
}

pub(super) fn parse(path: &Path, text: &str) -> Result<Table, Error> {
    if text.trim().is_empty() {
        return Err(Error::new(path, "the file is empty").help("name a recorded space"));
    }
    if !text.trim_start().starts_with(['{', '[']) {
        return csv::read(path, text);
    }
    let (object, cut) = json::object(path, text)?;
    if object.contains_key("cache") {
        cache::read(path, &object, cut)
    } else if object.contains_key("results") {
        t4::read(path, &object)
    } else if object.contains_key("params") {
        let table = sidecar::table_beside(path)?;
        csv::read(&table, &text::read(&table)?)
    } else {
        Err(Error::new(path, "this JSON is no recorded space")
            .help("it has neither `cache` (Kernel Tuner), `results` (T4) nor `params` (the sidecar of a CSV)"))
    }
}
