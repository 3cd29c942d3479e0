//! Copies of the carried packages, which tuning may write to.

use crate::shrink;
use std::fs;
use std::path::{Path, PathBuf};

/// Copies a package to where it is tuned. In the self-test its problems and budgets become small.
pub(crate) fn copy(from: &Path, to: &Path, self_test: bool) -> Result<(), String> {
    let said = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    fs::create_dir_all(to).map_err(|error| said(to, error))?;
    for entry in fs::read_dir(from).map_err(|error| said(from, error))? {
        let path = entry.map_err(|error| said(from, error))?.path();
        let Some(name) = path.file_name() else {
            continue;
        };
        let target = to.join(name);
        if path.is_dir() {
            copy(&path, &target, self_test)?;
        } else if self_test && path.extension().is_some_and(|end| end == "rs") {
            let text = fs::read_to_string(&path).map_err(|error| said(&path, error))?;
            fs::write(&target, shrink::source(&text)).map_err(|error| said(&target, error))?;
        } else {
            fs::copy(&path, &target).map_err(|error| said(&path, error))?;
        }
    }
    Ok(())
}

/// Says how many seconds tuning a package may take from now on.
pub(crate) fn cap(package: &Path, seconds: f64) -> Result<(), String> {
    const HEAD: &str = "[package.metadata.bico]";
    let manifest: PathBuf = package.join("Cargo.toml");
    let said = |error: std::io::Error| format!("{}: {error}", manifest.display());
    let text = fs::read_to_string(&manifest).map_err(said)?;
    let before = text.split(HEAD).next().unwrap_or("").trim_end();
    let after = text.split_once(HEAD).map_or("", |(_, after)| after);
    // What follows the next head stays.
    let after = after.find("\n[").map_or("", |at| &after[at..]);
    fs::write(
        &manifest,
        format!("{before}\n\n{HEAD}\ncap = {seconds:.1}\n{after}"),
    )
    .map_err(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cap_is_written_and_changed() {
        let folder = tempfile::tempdir().unwrap();
        let manifest = folder.path().join("Cargo.toml");
        fs::write(&manifest, "[package]\nname = \"a\"\n\n[package.metadata.bico]\ncap = 300\n\n[lints]\nworkspace = true\n").unwrap();
        cap(folder.path(), 12.34).unwrap();
        cap(folder.path(), 5.0).unwrap();
        let text = fs::read_to_string(&manifest).unwrap();
        assert!(
            text.contains("[package]\nname = \"a\"\n\n[package.metadata.bico]\ncap = 5.0\n"),
            "{text}"
        );
        assert!(text.ends_with("[lints]\nworkspace = true\n"), "{text}");
        assert_eq!(text.matches("cap =").count(), 1);
    }
}
