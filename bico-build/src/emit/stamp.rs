//! What an archive was made from, so that a fresh one is recognised without starting a process.
//!
//! ```text
//! <hash of units, entries, symbols and the environment>
//! <hash> <file below the package root that the compiler read>
//! ..
//! ```

use super::{Emission, EmitError};
use crate::compile::{Hasher, Service, Unit, file_hash, variables};
use bico_syntax::Language;
use std::path::{Path, PathBuf};

/// The first line: all that is known before compiling.
pub(super) fn head(emission: &Emission, service: &Service) -> Result<String, EmitError> {
    let options = service.options();
    let mut hasher = Hasher::new();
    hasher
        .field("archive 1")
        .field(&emission.symbol)
        .field(&options.target);
    for name in variables(&options.target, &options.host) {
        if let Some(value) = crate::env::get(&name) {
            hasher.field(name).field(value);
        }
    }
    for candidate in &emission.candidates {
        let Unit {
            source,
            language,
            defines,
            flags,
            gpu: _,
        } = &candidate.unit;
        let content = service.source(source).map_err(|error| {
            EmitError::new(format!("could not read `{}`: {error}", source.display()))
        })?;
        hasher
            .field(content.hash.to_string())
            .field(&candidate.entry);
        hasher.field(if *language == Language::Cpp {
            "c++"
        } else {
            "c"
        });
        hasher
            .fields(
                defines
                    .iter()
                    .map(|(name, value)| format!("{name}={value}")),
            )
            .fields(flags.iter());
    }
    Ok(hasher.finish().to_string())
}

/// The whole stamp.
pub(super) fn text(head: &str, files: &[PathBuf]) -> String {
    let mut text = format!("{head}\n");
    for file in files {
        // A file that cannot be read now is one that changed.
        let hash =
            file_hash(file).map_or_else(|_| "unreadable".to_string(), |hash| hash.to_string());
        text.push_str(&format!("{hash} {}\n", file.display()));
    }
    text
}

/// The files of the stamp at `path`, if what it says still holds.
pub(super) fn fresh(path: &Path, head: &str) -> Option<Vec<PathBuf>> {
    let text = std::fs::read_to_string(path).ok()?;
    let mut lines = text.lines();
    if lines.next() != Some(head) {
        return None;
    }
    let mut files = Vec::new();
    for line in lines {
        let (hash, file) = line.split_once(' ')?;
        let file = PathBuf::from(file);
        if file_hash(&file).ok()?.to_string() != hash {
            return None;
        }
        files.push(file);
    }
    Some(files)
}
