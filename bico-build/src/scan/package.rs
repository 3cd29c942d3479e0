//! The package's manifest and crate roots.

use super::items::Place;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// `[package.metadata.bico]`, and the crate roots that the manifest names.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Seconds that tuning may take for the whole package. Default 300.
    pub cap: f64,
    roots: Vec<PathBuf>,
}

impl Settings {
    /// Reads `Cargo.toml`.
    pub fn read(manifest_dir: &Path) -> Result<Settings, String> {
        let path = manifest_dir.join("Cargo.toml");
        let text = std::fs::read_to_string(&path)
            .map_err(|e| format!("cannot read {}: {e}", path.display()))?;
        Settings::parse(&text)
    }

    fn parse(text: &str) -> Result<Settings, String> {
        let manifest = DeTable::parse(text).map_err(|e| format!("Cargo.toml: {e}"))?;
        let manifest = manifest.get_ref();
        let mut settings = Settings {
            cap: 300.0,
            roots: Vec::new(),
        };
        let package = manifest.get("package").map(Spanned::get_ref);
        let bico = package
            .and_then(|package| package.get("metadata")?.get_ref().get("bico"))
            .and_then(|bico| bico.get_ref().as_table());
        for (key, value) in bico.into_iter().flatten() {
            match key.get_ref().as_ref() {
                "cap" => {
                    settings.cap = number(value.get_ref())
                        .filter(|cap| cap.is_finite() && *cap >= 0.0)
                        .ok_or_else(|| {
                            "Cargo.toml: `cap` in [package.metadata.bico] is no number of seconds\n  = help: write `cap = 300`".to_string()
                        })?;
                }
                other => {
                    return Err(format!(
                        "Cargo.toml: unsupported setting `{other}` in [package.metadata.bico]\n  = help: the only setting is `cap`, the seconds that tuning may take"
                    ));
                }
            }
        }
        let path = |target: &Spanned<DeValue<'_>>| {
            let path = target.get_ref().get("path")?.get_ref().as_str()?;
            Some(PathBuf::from(path))
        };
        settings.roots.extend(manifest.get("lib").and_then(path));
        for kind in ["bin", "example", "test", "bench"] {
            let targets = manifest.get(kind);
            let targets = targets.and_then(|targets| targets.get_ref().as_array());
            let targets = targets.into_iter().flat_map(|targets| targets.iter());
            settings.roots.extend(targets.filter_map(path));
        }
        Ok(settings)
    }
}

/// A number of TOML.
fn number(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Float(number) => number.as_str().parse().ok(),
        DeValue::Integer(number) => {
            let whole = i64::from_str_radix(number.as_str(), number.radix());
            whole.ok().map(|whole| whole as f64)
        }
        _ => None,
    }
}

/// The crate roots: those that the manifest names, and those that cargo finds by itself.
pub(super) fn roots(manifest_dir: &Path, inputs: &mut BTreeSet<PathBuf>) -> Vec<Place> {
    let mut files = vec![PathBuf::from("src/lib.rs"), PathBuf::from("src/main.rs")];
    for folder in ["src/bin", "examples", "tests", "benches"] {
        let Ok(entries) = std::fs::read_dir(manifest_dir.join(folder)) else {
            continue;
        };
        // A new file in one of them may be a new root.
        inputs.insert(PathBuf::from(folder));
        let mut names: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
        names.sort();
        for name in names {
            let path = Path::new(folder).join(&name);
            if path.extension().is_some_and(|e| e == "rs") {
                files.push(path);
            } else {
                files.push(path.join("main.rs"));
            }
        }
    }
    if let Ok(settings) = Settings::read(manifest_dir) {
        files.extend(settings.roots);
    }
    files
        .into_iter()
        .filter(|file| manifest_dir.join(file).is_file())
        .map(Place::root)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cap_and_roots() {
        let text = "[package]\nname = 'x'\n[package.metadata.bico]\ncap = 2_0\n[lib]\npath = 'a.rs'\n[[bin]]\nname = 'b'\npath = 'b.rs'\n";
        let settings = Settings::parse(text).unwrap();
        assert_eq!(settings.cap, 20.0);
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
        assert!(parse("budget = 3").contains("unsupported setting `budget`"));
    }
}
