//! The recorded spaces, where they are.

use cargo_bico::replay::{Recording, locate};
use std::path::{Path, PathBuf};

/// Their folder; says so where there is none.
pub(crate) fn folder() -> Option<PathBuf> {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/spaces");
    let set = bico_build::env::get("BICO_SPACES");
    let folder = PathBuf::from(set.unwrap_or_else(|| default.into()));
    if !folder.is_dir() {
        eprintln!(
            "SKIPPED: {} is not there (BICO_SPACES names the folder of recorded spaces; \
             benches/README.md says how to get them)",
            folder.display()
        );
        return None;
    }
    Some(folder)
}

/// All of a folder.
pub(crate) fn read(folder: &Path) -> Result<Vec<Recording>, String> {
    let files = locate(folder).map_err(|error| error.to_string())?;
    let mut recordings = Vec::with_capacity(files.len());
    for file in files {
        let recording = Recording::read(&file).map_err(|error| error.to_string())?;
        for note in &recording.notes {
            eprintln!("note: {}: {note}", recording.name);
        }
        recordings.push(recording);
    }
    Ok(recordings)
}
