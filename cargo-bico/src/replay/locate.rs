//! From what a user names to files.

use super::{Error, format};
use std::path::{Path, PathBuf};

/// The recorded spaces that a path stands for: a file stands for itself, a folder for every
/// recorded space in it, by name.
///
/// # Errors
///
/// A path that is not there, or a folder without any recorded space.
pub fn locate(path: &Path) -> Result<Vec<PathBuf>, Error> {
    if path.is_file() {
        return Ok(vec![path.into()]);
    }
    let entries = std::fs::read_dir(path).map_err(|error| {
        Error::new(path, format!("cannot be read: {error}"))
            .help("name a recorded space (CSV, Kernel Tuner cache, T4 results) or a folder of them")
    })?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let is_file = |path: &PathBuf| path.is_file() && is_candidate(path);
    let mut files: Vec<PathBuf> = paths.filter(is_file).collect();
    files.sort();
    // The benchmark hub has many recordings in two formats.
    let caches = files.clone();
    files.retain(|path| !is_copy(path, &caches));
    if files.is_empty() {
        return Err(Error::new(path, "holds no recorded space")
            .help("a recorded space ends in .csv or .json, or either of them and .gz"));
    }
    Ok(files)
}

/// A CSV, or JSON that is a cache or results: not a sidecar, not anything else.
fn is_candidate(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    // Caches are long, and what tells them apart stands anywhere: let the text say.
    // What cannot be read is left for reading to complain about.
    let marks = ["\"cache\"", "\"results\""];
    let is_space = |text: String| marks.iter().any(|mark| text.contains(mark));
    name.ends_with(".csv")
        || name.ends_with(".json") && format::read_text(path).map_or(true, is_space)
}

/// T4 results beside a cache file of the same recording.
fn is_copy(path: &Path, others: &[PathBuf]) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let Some((stem, ending)) = name.split_once("_T4.json") else {
        return false;
    };
    others.contains(&path.with_file_name(format!("{stem}.json{ending}")))
}
