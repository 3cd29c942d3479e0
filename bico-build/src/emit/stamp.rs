//! What an archive was made from, so that a fresh one is recognised without starting a process.
//!
//! ```text
//! <hash of units, entries, symbols and the environment>
//! <hash> <file below the package root that the compiler read>
//! ..
//! ```

use super::{Emission, EmitError};
use crate::compile::{Hasher, Service, lines, spelled, unchanged, variables};
use crate::files::could_not;
use std::path::{Path, PathBuf};

/// The first line: all that is known before compiling.
pub(super) fn head(emission: &Emission, service: &Service) -> Result<String, EmitError> {
    let options = service.options();
    let mut hasher = Hasher::new();
    hasher
        .field("archive 2")
        .field(&emission.symbol)
        .field(&options.target);
    for name in variables(&options.target, &options.host) {
        if let Some(value) = crate::env::get(&name) {
            hasher.field(name).field(value);
        }
    }
    #[cfg(feature = "rust")]
    if emission.is_rust() {
        let compiler = crate::env::get("RUSTC").unwrap_or_default();
        hasher
            .field(compiler)
            .fields(crate::env::rust_flags().iter());
    }
    for candidate in &emission.candidates {
        let unit = &candidate.unit;
        let content = service.source(unit);
        let content = content.map_err(could_not("read", &unit.source))?;
        hasher
            .field(content.whole().to_string())
            .fields(candidate.entries.iter())
            .field(spelled(unit.language, "c", "c++"));
        unit.hash_options(&mut hasher);
        if emission.passes.len() > 1 {
            hasher.field(candidate.kernel.to_string());
        }
    }
    if emission.passes.len() > 1 {
        hasher.field(format!("{:?}", emission.passes));
    }
    Ok(hasher.finish().to_string())
}

/// The whole stamp.
pub(super) fn text(head: &str, files: &[PathBuf]) -> String {
    format!("{head}\n{}", lines(files, Path::new("")))
}

/// The files of the stamp at `path`, if what it says still holds.
pub(super) fn fresh(path: &Path, head: &str) -> Option<Vec<PathBuf>> {
    let text = std::fs::read_to_string(path).ok()?;
    let mut lines = text.lines();
    let is_ours = lines.next() == Some(head);
    is_ours.then(|| unchanged(lines, Path::new("")))?
}
