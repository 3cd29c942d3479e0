//! The sources that bico writes itself, `target/bico/<package>/<key>.c` or `.cu`.
//!
//! They stand beside the trails, where people find them, and are read from there like everybody's. Nothing that
//! lasts knows the path: hashes take the content.

use crate::env::Env;
use crate::files::write_if_changed;
use bico_contraction::tunable;
use bico_syntax::{Error, TunableSpec, file_stem};
use std::path::PathBuf;

/// Writes the source of an einsum, if it is one; gives its path.
///
/// # Errors
///
/// No generator can write it, or the file cannot be written.
pub(super) fn write(spec: &TunableSpec, env: &Env) -> Result<Option<PathBuf>, Error> {
    let Some(text) = tunable::source(spec) else {
        return Ok(None);
    };
    let place = spec.place();
    let failed = |message: String| Error::new(place, message);
    let text = text.map_err(|error| failed(error.to_string()))?;
    let ending = match spec.is_cuda() {
        true => "cu",
        false => "c",
    };
    let name = format!("{}.{ending}", file_stem(&spec.key.text));
    let path = env.trail_dir().join(name);
    write_if_changed(&path, text.as_bytes()).map_err(|error| {
        let path = path.display();
        failed(format!(
            "could not write the generated kernel to `{path}`: {error}"
        ))
    })?;
    Ok(Some(path))
}
