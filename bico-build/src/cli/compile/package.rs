//! The CUDA tunables of a package, outside of a build.

use crate::env::{Env, Mode};
use crate::scan::{Features, Found, scan};
use std::path::Path;

/// What a build of the package with all its features would know.
///
/// # Errors
///
/// There is no readable manifest.
pub(super) fn env(root: &Path) -> Result<Env, String> {
    Env::of_command(&root.join("Cargo.toml"), &Features::All, Mode::Off)
}

/// Scans a package.
///
/// # Errors
///
/// The sources hold a mistake that the macro cannot see.
pub(super) fn tunables(env: &Env) -> Result<Vec<Found>, String> {
    let found = scan(env).found()?.into_iter();
    Ok(found
        .filter(|found| found.spec.source.language.is_cuda())
        .collect())
}
