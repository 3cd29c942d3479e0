//! The packages of a workspace whose build scripts tune, as cargo would find them.

use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// The members of the workspace with this root, in the order of their paths, that depend on bico-build to build.
///
/// # Errors
///
/// A manifest cannot be read, or a member is not there.
pub(super) fn tuning(root: &Path) -> Result<Vec<PathBuf>, String> {
    let workspace = Workspace::read(root)?;
    let mut found: Vec<PathBuf> = Vec::new();
    let mut tuning = Vec::new();
    let mut waiting = workspace.named()?;
    while let Some(folder) = waiting.pop() {
        if found.contains(&folder) {
            continue;
        }
        let manifest = read(&folder)?;
        waiting.extend(workspace.beside(&folder, &manifest));
        if workspace.tunes(&folder, &manifest) {
            tuning.push(folder.clone());
        }
        found.push(folder);
    }
    tuning.sort();
    Ok(tuning)
}

/// The root's manifest, and what it says of its members.
struct Workspace {
    root: PathBuf,
    manifest: Table,
}

/// A folder's manifest.
fn read(folder: &Path) -> Result<Table, String> {
    let path = folder.join("Cargo.toml");
    let text = std::fs::read_to_string(&path);
    let text = text.map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    text.parse()
        .map_err(|error| format!("{}: {error}", path.display()))
}

/// The tables of dependencies, of every target, that have one of these names.
fn dependencies<'a>(
    manifest: &'a Table,
    kinds: &'a [&str],
) -> impl Iterator<Item = (&'a String, &'a Value)> {
    let targets = manifest.get("target").and_then(Value::as_table);
    let targets = targets
        .into_iter()
        .flatten()
        .filter_map(|(_, of)| of.as_table());
    let tables = std::iter::once(manifest).chain(targets);
    let tables =
        tables.flat_map(|table| kinds.iter().filter_map(|kind| table.get(*kind)?.as_table()));
    tables.flatten()
}

impl Workspace {
    fn read(root: &Path) -> Result<Workspace, String> {
        Ok(Workspace {
            manifest: read(root)?,
            root: root.to_path_buf(),
        })
    }

    fn table(&self) -> Option<&Table> {
        self.manifest.get("workspace")?.as_table()
    }

    /// Texts of a list of `[workspace]`.
    fn list(&self, name: &str) -> impl Iterator<Item = &str> {
        let list = self.table().and_then(|table| table.get(name)?.as_array());
        list.into_iter().flatten().filter_map(Value::as_str)
    }

    /// The members that `[workspace]` names, and the root's package.
    fn named(&self) -> Result<Vec<PathBuf>, String> {
        let mut named = Vec::new();
        if self.manifest.contains_key("package") {
            named.push(self.root.clone());
        }
        for pattern in self.list("members") {
            let path = self.root.join(pattern);
            let wrong = |why: String| format!("`{pattern}` of the workspace's members: {why}");
            let paths =
                glob::glob(&path.to_string_lossy()).map_err(|error| wrong(error.to_string()))?;
            let mut folders: Vec<PathBuf> = paths.flatten().collect();
            // A pattern may match what is no package.
            let is_pattern = pattern.contains(['*', '?', '[']);
            folders.retain(|folder| !is_pattern || folder.join("Cargo.toml").is_file());
            if folders.is_empty() && !is_pattern {
                return Err(wrong("there is no such folder".into()));
            }
            named.extend(folders.into_iter().filter(|folder| !self.excludes(folder)));
        }
        Ok(named
            .into_iter()
            .filter_map(|folder| folder.canonicalize().ok())
            .collect())
    }

    fn excludes(&self, folder: &Path) -> bool {
        self.list("exclude")
            .any(|name| folder.starts_with(self.root.join(name)))
    }

    /// What the workspace says of a dependency that is inherited from it.
    fn resolve<'a>(&'a self, name: &str, dependency: &'a Value) -> (&'a Value, bool) {
        let inherits = dependency.get("workspace").and_then(Value::as_bool) == Some(true);
        let shared = self
            .table()
            .and_then(|table| table.get("dependencies")?.get(name));
        match shared.filter(|_| inherits) {
            Some(shared) => (shared, true),
            None => (dependency, false),
        }
    }

    /// The packages below the root that a member depends on by path: they are members, too.
    fn beside(&self, folder: &Path, manifest: &Table) -> Vec<PathBuf> {
        let kinds = ["dependencies", "build-dependencies", "dev-dependencies"];
        let paths = dependencies(manifest, &kinds).filter_map(|(name, dependency)| {
            let (dependency, is_shared) = self.resolve(name, dependency);
            let base = if is_shared { &self.root } else { folder };
            let path = dependency.get("path")?.as_str()?;
            base.join(path).canonicalize().ok()
        });
        let is_member = |path: &PathBuf| path.starts_with(&self.root) && !self.excludes(path);
        paths.filter(is_member).collect()
    }

    /// Whether a build script of it may call bico-build.
    fn tunes(&self, folder: &Path, manifest: &Table) -> bool {
        let build = manifest
            .get("package")
            .and_then(|package| package.get("build"));
        let script = build.map_or(Some("build.rs"), Value::as_str);
        let has_script = script.is_some_and(|script| folder.join(script).is_file());
        let is_ours = |(name, dependency): (&String, &Value)| {
            let (dependency, _) = self.resolve(name, dependency);
            let package = dependency.get("package").and_then(Value::as_str);
            package.unwrap_or(name) == "bico-build"
        };
        has_script && dependencies(manifest, &["build-dependencies"]).any(is_ours)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn package(root: &Path, folder: &str, more: &str) {
        let text = format!("[package]\nname = \"{}\"\n{more}", folder.replace('/', "-"));
        write(root, &format!("{folder}/Cargo.toml"), &text);
        write(root, &format!("{folder}/build.rs"), "fn main() {}\n");
    }

    #[test]
    fn members_whose_build_scripts_tune() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let tunes = "[build-dependencies]\nbico-build = \"0.1\"\n";
        write(
            &root,
            "Cargo.toml",
            "[workspace]\nmembers = [\"app\", \"kernels/*\"]\nexclude = [\"kernels/old\"]\n\
             [workspace.dependencies]\ntuner = { package = \"bico-build\", version = \"0.1\" }\n\
             deep = { path = \"deep/inside\" }\n",
        );
        package(
            &root,
            "app",
            "[dependencies]\nbeside = { path = \"../beside\" }\ndeep.workspace = true\n",
        );
        package(&root, "kernels/a", tunes);
        package(
            &root,
            "kernels/b",
            "[target.'cfg(unix)'.build-dependencies]\ntuner.workspace = true\n",
        );
        package(&root, "kernels/old", tunes);
        package(
            &root,
            "kernels/plain",
            "[dependencies]\nbico-runtime = \"0.1\"\n",
        );
        package(&root, "kernels/without", &format!("build = false\n{tunes}"));
        package(&root, "beside", tunes);
        package(&root, "deep/inside", tunes);
        package(&root, "nobody", tunes);
        std::fs::create_dir(root.join("kernels/empty")).unwrap();
        let found = tuning(&root).unwrap();
        let found: Vec<_> = found
            .iter()
            .map(|path| path.strip_prefix(&root).unwrap())
            .collect();
        let expected = ["beside", "deep/inside", "kernels/a", "kernels/b"];
        assert_eq!(found, expected.map(Path::new));
        // A package alone is its own workspace.
        let alone = tuning(&root.join("nobody")).unwrap();
        assert_eq!(alone, [root.join("nobody")]);

        write(
            &root,
            "Cargo.toml",
            "[workspace]\nmembers = [\"nowhere\"]\n",
        );
        let error = tuning(&root).unwrap_err();
        assert!(
            error.contains("`nowhere` of the workspace's members: there is no such folder"),
            "{error}"
        );
        write(&root, "app/Cargo.toml", "[package\n");
        write(&root, "Cargo.toml", "[workspace]\nmembers = [\"app\"]\n");
        assert!(tuning(&root).unwrap_err().contains("app/Cargo.toml: "));
    }
}
