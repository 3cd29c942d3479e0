//! The sources that bico writes itself, `target/bico/<package>/<key>.c` or `.cu`.
//!
//! They stand beside the trails, where people find them, and are read from there like everybody's. Nothing that
//! lasts knows the path: hashes take the content.

use crate::contraction::tunable;
use crate::env::Env;
use bico_syntax::{Error, TunableSpec, file_stem};
use std::path::Path;

/// Writes the source of an einsum, if it is one, and makes its path known to the rest.
///
/// # Errors
///
/// No generator can write it, or the file cannot be written.
pub(super) fn write(spec: &mut TunableSpec, env: &Env) -> Result<(), Error> {
    let Some(text) = tunable::source(spec) else {
        return Ok(());
    };
    let place = spec.source.path.span;
    let failed = |message: String| Error::new(place, message);
    let text = text.map_err(|error| failed(error.to_string()))?;
    let ending = match spec.source.language.is_cuda() {
        true => "cu",
        false => "c",
    };
    let path = env
        .trail_dir()
        .join(format!("{}.{ending}", file_stem(&spec.key.text)));
    replace(&path, &text).map_err(|error| {
        failed(format!(
            "could not write the generated kernel to `{}`: {error}",
            path.display()
        ))
    })?;
    spec.source.path.text = path.display().to_string();
    Ok(())
}

/// Writes a file that another build may read at the same time, if it is another one.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    if std::fs::read(path).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(name);
    std::fs::write(&temporary, text)?;
    std::fs::rename(&temporary, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_says_the_same_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p/k.c");
        replace(&path, "one").unwrap();
        let file = std::fs::File::open(&path).unwrap();
        let long_ago = std::time::SystemTime::UNIX_EPOCH;
        file.set_modified(long_ago).unwrap();
        let modified = || std::fs::metadata(&path).unwrap().modified().unwrap();
        replace(&path, "one").unwrap();
        assert_eq!(modified(), long_ago);
        replace(&path, "two").unwrap();
        assert_ne!(modified(), long_ago);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "two");
        // Nothing is left of the way there.
        assert_eq!(
            std::fs::read_dir(folder.path().join("p")).unwrap().count(),
            1
        );
    }
}
