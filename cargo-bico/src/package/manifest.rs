//! What cargo would tell a build script of its package, read off the manifest.

use std::collections::BTreeSet;
use std::path::Path;
use toml::Table;

/// Name, version and features of a package.
#[derive(Debug, Clone)]
pub(super) struct Manifest {
    /// Its name.
    pub(super) name: String,
    /// Its version; `0.0.0` where the workspace says it.
    pub(super) version: String,
    features: Table,
    /// Optional dependencies, each of which is a feature unless one asks for it by `dep:`.
    optional: Vec<String>,
}

/// Which features are on.
#[derive(Debug, Clone)]
pub enum Features {
    /// All.
    All,
    /// Those of these names, and the default ones if so said.
    Some {
        /// As cargo's `--features` takes them.
        names: Vec<String>,
        /// Not with `--no-default-features`.
        default: bool,
    },
}

impl Manifest {
    /// Reads a manifest.
    ///
    /// # Errors
    ///
    /// It cannot be read, is no TOML, or belongs to no package.
    pub(super) fn read(manifest: &Path) -> Result<Manifest, String> {
        let text = std::fs::read_to_string(manifest)
            .map_err(|error| format!("cannot read {}: {error}", manifest.display()))?;
        Manifest::parse(&text).map_err(|error| format!("{}: {error}", manifest.display()))
    }

    fn parse(text: &str) -> Result<Manifest, String> {
        let manifest: Table = text.parse().map_err(|e: toml::de::Error| e.to_string())?;
        let package = manifest.get("package").and_then(|p| p.as_table());
        let package = package.ok_or(
            "it describes no package\n  = help: name a member's manifest with `--manifest-path`",
        )?;
        let text = |key: &str| package.get(key).and_then(|value| value.as_str());
        let name = text("name").ok_or("`package` has no `name`")?;
        let dependencies = manifest.get("dependencies").and_then(|d| d.as_table());
        let is_optional = |of: &toml::Value| of.get("optional").and_then(toml::Value::as_bool);
        let optional = dependencies
            .into_iter()
            .flatten()
            .filter(|(_, dependency)| is_optional(dependency) == Some(true));
        Ok(Manifest {
            name: name.to_string(),
            version: text("version").unwrap_or("0.0.0").to_string(),
            features: manifest
                .get("features")
                .and_then(|features| features.as_table())
                .cloned()
                .unwrap_or_default(),
            optional: optional.map(|(name, _)| name.clone()).collect(),
        })
    }

    /// The names of the features that are on, as `CARGO_FEATURE_` spells them.
    ///
    /// # Errors
    ///
    /// The package has no such feature.
    pub(super) fn enabled(&self, wanted: &Features) -> Result<BTreeSet<String>, String> {
        let mut waiting: Vec<String> = match wanted {
            Features::All => self
                .features
                .keys()
                .chain(&self.optional)
                .cloned()
                .collect(),
            Features::Some { names, default } => {
                for name in names {
                    if !self.features.contains_key(name) && !self.optional.contains(name) {
                        return Err(format!(
                            "the package `{}` has no feature `{name}`",
                            self.name
                        ));
                    }
                }
                let default = default.then(|| "default".to_string());
                names.iter().cloned().chain(default).collect()
            }
        };
        let mut on = BTreeSet::new();
        while let Some(name) = waiting.pop() {
            if !on.insert(name.clone()) {
                continue;
            }
            let implied = self.features.get(&name).and_then(toml::Value::as_array);
            for other in implied.into_iter().flatten().filter_map(|o| o.as_str()) {
                // `dep:x` and `x/y` speak of dependencies.
                if self.features.contains_key(other) || self.optional.iter().any(|o| o == other) {
                    waiting.push(other.to_string());
                }
            }
        }
        let spelt = on.iter().map(|name| name.to_uppercase().replace('-', "_"));
        Ok(spelt.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "[package]\nname = \"p\"\nversion.workspace = true\n\
        [dependencies]\ncudarc = { version = \"1\", optional = true }\nserde = \"1\"\n\
        [features]\ndefault = [\"gemm\"]\ngemm = []\n\
        gemm-cuda = [\"gemm\", \"dep:cudarc\", \"serde/derive\"]\n";

    fn enabled(names: &[&str], default: bool) -> Result<Vec<String>, String> {
        let names = names.iter().map(|name| name.to_string()).collect();
        let on = Manifest::parse(MANIFEST)?.enabled(&Features::Some { names, default })?;
        Ok(on.into_iter().collect())
    }

    #[test]
    fn features_imply_others() {
        assert_eq!(enabled(&[], true).unwrap(), ["DEFAULT", "GEMM"]);
        assert_eq!(
            enabled(&["gemm-cuda"], false).unwrap(),
            ["GEMM", "GEMM_CUDA"]
        );
        assert!(enabled(&["nope"], true).unwrap_err().contains("`nope`"));
        let all = Manifest::parse(MANIFEST).unwrap().enabled(&Features::All);
        assert!(all.unwrap().contains("CUDARC"));
    }

    #[test]
    fn a_workspace_is_no_package() {
        let error = Manifest::parse("[workspace]\nmembers = []\n").unwrap_err();
        assert!(error.contains("--manifest-path"), "{error}");
        assert!(Manifest::parse("[package\n").is_err());
    }
}
