//! The package's manifest and crate roots.

use super::items::SourceFile;
use crate::compile::Options;
use bico_core::sorted::sort_by;
use bico_core::{Lists, Set};
use boml::table::TomlTable;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// `[package.metadata.bico]`, and the crate roots that the manifest names.
#[derive(Debug)]
pub(super) struct Settings {
    /// Seconds that tuning may take for the whole package. Default 300.
    pub cap: f64,
    /// Seconds that one compile may take. Default [`Options::TIMEOUT`].
    pub compile_seconds: f64,
    pub roots: Vec<PathBuf>,
}

impl Settings {
    /// Reads `Cargo.toml`.
    pub(super) fn read(manifest_dir: &Path) -> Result<Settings, String> {
        let path = manifest_dir.join("Cargo.toml");
        let unreadable = |error| format!("cannot read {}: {error}", path.display());
        Settings::parse(&std::fs::read_to_string(&path).map_err(unreadable)?)
    }

    fn parse(text: &str) -> Result<Settings, String> {
        let manifest = boml::parse(text).map_err(|e| format!("Cargo.toml: {:?}", e.kind))?;
        let mut settings = Settings {
            cap: 300.0,
            compile_seconds: Options::TIMEOUT.as_secs_f64(),
            roots: Vec::new(),
        };
        let metadata = manifest.get_table("package").ok();
        let metadata = metadata.and_then(|package| package.get_table("metadata").ok());
        if let Some(bico) = metadata.and_then(|metadata| metadata.get_table("bico").ok()) {
            settings.read_own(bico)?;
        }
        let path = |target: &TomlTable<'_>| target.get_string("path").ok().map(PathBuf::from);
        let library = manifest.get_table("lib").ok();
        settings.roots.extend(library.and_then(path));
        for kind in ["bin", "example", "test", "bench"] {
            let Ok(targets) = manifest.get_array(kind) else {
                continue;
            };
            for target in targets.iter() {
                settings.roots.extend(target.as_table().and_then(path));
            }
        }
        Ok(settings)
    }

    /// Reads `[package.metadata.bico]`.
    fn read_own(&mut self, bico: &TomlTable<'_>) -> Result<(), String> {
        let mut own = [
            ("cap", 0.0, &mut self.cap),
            ("compile_seconds", 0.1, &mut self.compile_seconds),
        ];
        let names = bico.keys().map(|key| key.as_str());
        let others = names.filter(|name| own.iter().all(|of| of.0 != *name));
        if let Some(other) = others.min() {
            return Err(format!(
                "Cargo.toml: unsupported setting `{other}` in [package.metadata.bico]\n  = help: there are `cap`, the seconds that tuning may take, and `compile_seconds`, those of one compile"
            ));
        }
        for (name, least, setting) in &mut own {
            let Some(value) = bico.get(*name) else {
                continue;
            };
            let whole = value.as_integer().map(|whole| whole as f64);
            let number = value.as_float().or(whole);
            let number = number.filter(|number| number.is_finite() && *number >= *least);
            **setting = number.ok_or_else(|| {
                let usual = **setting;
                format!("Cargo.toml: `{name}` in [package.metadata.bico] is no number of seconds\n  = help: write `{name} = {usual}`")
            })?;
        }
        Ok(())
    }
}

/// What one compile may take in this package. A mistake in the manifest is the scan's to report.
pub(crate) fn compile_limit(manifest_dir: &Path) -> Duration {
    let settings = Settings::read(manifest_dir).ok();
    // No clock counts much further than this.
    let seconds = settings.map(|of| of.compile_seconds.min(1e9));
    seconds.map_or(Options::TIMEOUT, Duration::from_secs_f64)
}

/// The crate roots: those that cargo finds by itself, and those that the manifest names.
pub(super) fn roots(
    manifest_dir: &Path,
    named: Vec<PathBuf>,
    inputs: &mut Set<PathBuf>,
) -> Vec<SourceFile> {
    let mut files = vec![PathBuf::from("src/lib.rs"), PathBuf::from("src/main.rs")];
    for folder in ["src/bin", "examples", "tests", "benches"] {
        let Ok(entries) = std::fs::read_dir(manifest_dir.join(folder)) else {
            continue;
        };
        // A new file in one of them may be a new root.
        inputs.insert(PathBuf::from(folder));
        let mut names: Vec<OsString> = entries
            .flatten()
            .map(|entry| entry.file_name())
            .collect_vec();
        sort_by(&mut names, &OsString::cmp);
        for name in names {
            let path = Path::new(folder).join(&name);
            files.push(match path.extension().is_some_and(|e| e == "rs") {
                true => path,
                false => path.join("main.rs"),
            });
        }
    }
    files.extend(named);
    files.retain(|file| manifest_dir.join(file).is_file());
    files.into_iter().map(SourceFile::root).collect_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cap_and_roots() {
        let text = "[package]\nname = 'x'\n[package.metadata.bico]\ncap = 2_0\n[lib]\npath = 'a.rs'\n[[bin]]\nname = 'b'\npath = 'b.rs'\n";
        let settings = Settings::parse(text).unwrap();
        assert_eq!((settings.cap, settings.compile_seconds), (20.0, 60.0));
        assert_eq!(
            settings.roots,
            [PathBuf::from("a.rs"), PathBuf::from("b.rs")]
        );
        assert_eq!(Settings::parse("[package]\nname = 'x'").unwrap().cap, 300.0);
    }

    #[test]
    fn mistakes_in_the_settings() {
        let parse = |line: &str| {
            Settings::parse(&format!("[package.metadata.bico]\n{line}\n")).unwrap_err()
        };
        assert!(parse("cap = 'long'").contains("no number of seconds"));
        assert!(parse("cap = -1").contains("no number of seconds"));
        let said = parse("cap = 10\ncompile_seconds = 0");
        assert!(said.contains("`compile_seconds`") && said.ends_with("`compile_seconds = 60`"));
        assert!(parse("budget = 3").contains("unsupported setting `budget`"));
    }
}
