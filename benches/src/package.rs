//! Temporary packages, built by real cargo.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A package in a temporary folder that uses this checkout's crates.
pub(crate) struct Package {
    dir: tempfile::TempDir,
}

impl Package {
    /// `files`: path and content, beside a manifest and a build script.
    pub(crate) fn new(name: &str, files: &[(&str, &str)]) -> Result<Package, String> {
        let dir = tempfile::Builder::new()
            .prefix("bico-bench")
            .tempdir()
            .map_err(|e| e.to_string())?;
        let package = Package { dir };
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\n\
             bico-runtime = {{ path = \"{root}/bico-runtime\" }}\n\n[build-dependencies]\n\
             bico-build = {{ path = \"{root}/bico-build\" }}\n\n[workspace]\n"
        );
        package.write("Cargo.toml", &manifest)?;
        package.write("build.rs", "fn main() {\n    bico_build::tune();\n}\n")?;
        for (path, content) in files {
            package.write(path, content)?;
        }
        Ok(package)
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn write(&self, path: &str, content: &str) -> Result<(), String> {
        let path = self.path().join(path);
        let parent = path.parent().unwrap_or(self.path());
        std::fs::create_dir_all(parent)
            .and_then(|()| std::fs::write(&path, content))
            .map_err(|e| format!("{}: {e}", path.display()))
    }

    /// Runs cargo there, with a target folder and a cache of the package's own.
    pub(crate) fn cargo(
        &self,
        arguments: &[&str],
        variables: &[(&str, &str)],
    ) -> Result<Output, String> {
        let output = Command::new("cargo")
            .args(arguments)
            .current_dir(self.path())
            .env("CARGO_TARGET_DIR", self.path().join("target"))
            .env("BICO_CACHE", "off")
            .env_remove("CI")
            .envs(variables.iter().copied())
            .output()
            .map_err(|e| format!("cargo: {e}"))?;
        if !output.status.success() {
            return Err(format!(
                "cargo {arguments:?}:\n{}",
                String::from_utf8_lossy(&output.stderr)
            ));
        }
        Ok(output)
    }

    /// The compiled build script.
    pub(crate) fn build_script(&self, profile: &str, name: &str) -> Result<PathBuf, String> {
        let folder = self.path().join("target").join(profile).join("build");
        let entries =
            std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        entries
            .flatten()
            .filter(|e| e.file_name().to_string_lossy().starts_with(name))
            .map(|e| e.path().join("build-script-build"))
            .find(|path| path.is_file())
            .ok_or_else(|| format!("no build script in {}", folder.display()))
    }
}
