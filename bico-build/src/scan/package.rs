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
    pub limits: Limits,
    /// Seconds that one compile may take. Default [`Options::TIMEOUT`].
    pub compile_seconds: f64,
    pub roots: Vec<PathBuf>,
}

/// What the package says of tuning.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Seconds that tuning may take for the whole package. Default 300.
    pub cap: f64,
    /// By what share of its time a config must be faster than the default or the lock's winner to take its place; `None`: as
    /// much as is usual.
    pub margin: Option<f64>,
    /// Whether it says what a compile may take: then each may take that long.
    pub is_patient: bool,
    /// By what share winners may become slower before `cargo bico check --perf` fails.
    pub perf: Option<f64>,
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
            limits: Limits {
                cap: 300.0,
                margin: None,
                is_patient: false,
                perf: None,
            },
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
        self.limits.is_patient = bico.keys().any(|key| key.as_str() == "compile_seconds");
        let mut own = [
            ("cap", 0.0, &mut self.limits.cap),
            ("compile_seconds", 0.1, &mut self.compile_seconds),
        ];
        let names = bico.keys().map(|key| key.as_str());
        let mut shares = [
            ("margin", 1, &mut self.limits.margin),
            ("perf", 5, &mut self.limits.perf),
        ];
        let known =
            |name: &str| own.iter().any(|of| of.0 == name) || shares.iter().any(|of| of.0 == name);
        let others = names.filter(|name| !known(name));
        if let Some(other) = others.min() {
            return Err(format!(
                "Cargo.toml: unsupported setting `{other}` in [package.metadata.bico]\n  = help: there are `cap`, the seconds that tuning may take, `compile_seconds`, those of one compile, `margin`, by which a config must be faster than the default, and `perf`, by which winners may become slower"
            ));
        }
        for (name, usual, setting) in &mut shares {
            let Some(value) = bico.get(*name) else {
                continue;
            };
            let share = value.as_string().and_then(share);
            let share = share.ok_or_else(|| {
                format!("Cargo.toml: `{name}` in [package.metadata.bico] is no share from 0 % to 50 %\n  = help: write `{name} = \"{usual} %\"`")
            })?;
            **setting = Some(share);
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

/// `"1.5 %"` as 0.015.
fn share(text: &str) -> Option<f64> {
    let percent: f64 = text.strip_suffix('%')?.trim_end().parse().ok()?;
    (0.0..=50.0).contains(&percent).then_some(percent / 100.0)
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
        assert_eq!(
            (settings.limits.cap, settings.compile_seconds),
            (20.0, 60.0)
        );
        assert_eq!(
            settings.roots,
            [PathBuf::from("a.rs"), PathBuf::from("b.rs")]
        );
        let limits = Settings::parse("[package]\nname = 'x'").unwrap().limits;
        assert_eq!((limits.cap, limits.margin), (300.0, None));
        let text = "[package.metadata.bico]\nmargin = '2.5 %'\n";
        assert_eq!(Settings::parse(text).unwrap().limits.margin, Some(0.025));
    }

    #[test]
    fn mistakes_in_the_settings() {
        let text = "[package.metadata.bico]\nperf = '3%'\n";
        assert_eq!(Settings::parse(text).unwrap().limits.perf, Some(0.03));
        let parse = |line: &str| {
            Settings::parse(&format!("[package.metadata.bico]\n{line}\n")).unwrap_err()
        };
        assert!(parse("cap = 'long'").contains("no number of seconds"));
        assert!(parse("cap = -1").contains("no number of seconds"));
        let said = parse("cap = 10\ncompile_seconds = 0");
        assert!(said.contains("`compile_seconds`") && said.ends_with("`compile_seconds = 60`"));
        for margin in ["'1'", "0.01", "'-1 %'", "'90 %'", "'NaN %'"] {
            let said = parse(&format!("margin = {margin}"));
            assert!(said.contains("no share") && said.ends_with("`margin = \"1 %\"`"));
        }
        assert!(parse("budget = 3").contains("unsupported setting `budget`"));
    }
}
