//! Stands for Rust functions in a build without them. The scan says which feature they need.

use super::cache::Object;
use super::shared::Shared;
use super::{CompileError, Options, Unit};
use std::path::{Path, PathBuf};

pub(super) const BATCH: usize = 1;

/// There is none.
pub(super) struct Compiler {
    pub(super) version: String,
}

impl Compiler {
    pub(super) fn find(_options: &Options) -> Result<Compiler, CompileError> {
        Err(missing())
    }
}

pub(super) fn objects(units: &[Unit], _: &Shared) -> Vec<Result<Object, CompileError>> {
    units.iter().map(|_| Err(missing())).collect()
}

pub(super) fn shipped(
    _: &[(Unit, String)],
    _: &str,
    _: &Path,
    _: &Shared,
) -> Result<Vec<PathBuf>, CompileError> {
    Err(missing())
}

fn missing() -> CompileError {
    CompileError::new(
        "this build cannot compile Rust functions\n  = help: add `features = [\"rust\"]` to bico-build in Cargo.toml",
    )
}
