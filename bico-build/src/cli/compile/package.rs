//! The CUDA tunables of a package, outside of a build.

use crate::env::{Env, Mode};
use crate::scan::{Found, scan};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Scans a package as a build with all its features would.
///
/// # Errors
///
/// There is no readable manifest, or the sources hold a mistake that the macro cannot see.
pub(super) fn tunables(root: &Path) -> Result<Vec<Found>, String> {
    let scan = scan(&env(root)?);
    if !scan.errors.is_empty() {
        return Err(scan.errors.join("\n"));
    }
    let found = scan.tunables.into_iter();
    Ok(found
        .filter(|found| found.spec.source.language.is_cuda())
        .collect())
}

fn env(root: &Path) -> Result<Env, String> {
    let path = root.join("Cargo.toml");
    let text = std::fs::read_to_string(&path)
        .map_err(|error| format!("could not read `{}`: {error}", path.display()))?;
    let manifest: toml::Table = text
        .parse()
        .map_err(|error| format!("{}: {error}", path.display()))?;
    let table = |name: &str| manifest.get(name).and_then(toml::Value::as_table);
    let package = table("package").and_then(|package| package.get("name"));
    let Some(package) = package.and_then(toml::Value::as_str) else {
        return Err(format!(
            "{}: there is no package\n  = help: name the folder of a member",
            path.display()
        ));
    };
    let features = table("features").into_iter().flatten();
    Ok(Env {
        manifest_dir: root.to_path_buf(),
        out_dir: PathBuf::new(),
        package: package.to_string(),
        version: String::new(),
        target: String::new(),
        host: String::new(),
        mode: Mode::Off,
        runner: Vec::new(),
        nvrtc: None,
        skip: None,
        features: features
            .map(|(name, _)| name.to_uppercase().replace('-', "_"))
            .collect::<BTreeSet<String>>(),
        cfg: vec![
            (std::env::consts::FAMILY.to_string(), vec![String::new()]),
            pair("target_os", std::env::consts::OS),
            pair("target_arch", std::env::consts::ARCH),
            pair("target_family", std::env::consts::FAMILY),
        ],
        jobs: 1,
        cache_dir: None,
    })
}

fn pair(name: &str, value: &str) -> (String, Vec<String>) {
    (name.to_string(), vec![value.to_string()])
}
