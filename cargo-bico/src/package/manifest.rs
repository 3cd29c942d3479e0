//! What cargo would tell a build script of its package, read off the manifest.

use bico_core::Set;
use std::path::Path;
use toml::Table;

/// Name, version and features of a package.
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

impl Features {
    /// Those that are named.
    pub(super) fn names(&self) -> &[String] {
        match self {
            Features::All => &[],
            Features::Some { names, .. } => names,
        }
    }

    /// Those that a package has.
    pub(super) fn of(&self, package: &Manifest) -> Features {
        let mut own = self.clone();
        if let Features::Some { names, .. } = &mut own {
            names.retain(|name| package.has(name));
        }
        own
    }
}

impl Manifest {
    /// Reads a manifest.
    ///
    /// # Errors
    ///
    /// It cannot be read, is no TOML, or belongs to no package.
    pub(super) fn read(manifest: &Path) -> Result<Manifest, String> {
        let text = std::fs::read_to_string(manifest);
        let manifest = manifest.display();
        let text = text.map_err(|error| format!("cannot read {manifest}: {error}"))?;
        Manifest::parse(&text).map_err(|error| format!("{manifest}: {error}"))
    }

    fn parse(text: &str) -> Result<Manifest, String> {
        let manifest: Table = text.parse().map_err(|e: toml::de::Error| e.to_string())?;
        let table = |key: &str| manifest.get(key).and_then(|table| table.as_table());
        let package = table("package").ok_or(
            "it describes no package\n  = help: name a member's manifest with `--manifest-path`",
        )?;
        let text = |key: &str| package.get(key).and_then(|value| value.as_str());
        let is_optional = |of: &toml::Value| of.get("optional").and_then(toml::Value::as_bool);
        let optional = table("dependencies").into_iter().flatten();
        let optional = optional.filter(|(_, dependency)| is_optional(dependency) == Some(true));
        Ok(Manifest {
            name: text("name").ok_or("`package` has no `name`")?.to_string(),
            version: text("version").unwrap_or("0.0.0").to_string(),
            features: table("features").cloned().unwrap_or_default(),
            optional: optional.map(|(name, _)| name.clone()).collect(),
        })
    }

    /// Whether there is a feature of this name.
    pub(super) fn has(&self, name: &String) -> bool {
        self.features.contains_key(name) || self.optional.contains(name)
    }

    /// The names of the features that are on, as `CARGO_FEATURE_` spells them.
    ///
    /// # Errors
    ///
    /// The package has no such feature.
    pub(super) fn enabled(&self, wanted: &Features) -> Result<Set<String>, String> {
        let all = || self.features.keys().chain(&self.optional).cloned();
        let mut waiting: Vec<String> = match wanted {
            Features::All => all().collect(),
            Features::Some { names, default } => {
                if let Some(name) = names.iter().find(|name| !self.has(name)) {
                    let (package, all) = (&self.name, all().collect::<Vec<_>>().join(", "));
                    return Err(match all.is_empty() {
                        true => {
                            format!(
                                "the package `{package}` has no features\n  = help: leave `{name}` out"
                            )
                        }
                        false => format!(
                            "the package `{package}` has no feature `{name}`\n  = help: it has: {all}"
                        ),
                    });
                }
                let default = default.then(|| "default".to_string());
                names.iter().cloned().chain(default).collect()
            }
        };
        let mut on = Set::default();
        while let Some(name) = waiting.pop() {
            if !on.insert(name.clone()) {
                continue;
            }
            let implied = self.features.get(&name).and_then(toml::Value::as_array);
            let names = implied.into_iter().flatten().filter_map(|o| o.as_str());
            // `dep:x` and `x/y` speak of dependencies.
            waiting.extend(names.map(String::from).filter(|name| self.has(name)));
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
        assert!(all.unwrap().has("CUDARC"));
    }

    #[test]
    fn a_workspace_is_no_package() {
        let error = Manifest::parse("[workspace]\nmembers = []\n")
            .err()
            .unwrap();
        assert!(error.contains("--manifest-path"), "{error}");
        assert!(Manifest::parse("[package\n").is_err());
    }
}
