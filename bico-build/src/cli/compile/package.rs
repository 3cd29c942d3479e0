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
    let scan = scan(env);
    if !scan.errors.is_empty() {
        return Err(scan.errors.join("\n"));
    }
    let found = scan.tunables.into_iter();
    Ok(found
        .filter(|found| found.spec.source.language.is_cuda())
        .collect())
}
