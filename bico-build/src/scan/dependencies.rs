//! The crates that a Rust function may use: dependencies of its package, which are compiled for it once more.
//!
//! They are told to whoever compiles it by lines of its source (`//# dependency ..`, `//# locked ..`), which belong to what
//! results depend on: another version is another function. A crate in a folder may change without a version, so it is none.

use crate::env;
use bico_core::Lists;
use boml::table::TomlTable;
use boml::types::TomlValue;
use std::path::{Path, PathBuf};

/// Begins a line with a dependency, as Cargo.toml has it.
pub(crate) const DEPENDENCY: &str = "dependency ";

/// Begins a line with what Cargo.lock says of one.
const LOCKED: &str = "locked ";

/// The dependencies of a package that can be told by a line.
pub(super) struct Dependencies {
    /// The name in code, the package's name, and the line.
    all: Vec<(String, String, String)>,
    lock: String,
    root: Option<PathBuf>,
}

impl Dependencies {
    pub(super) fn read(manifest_dir: &Path) -> Dependencies {
        let root = env::workspace_root(manifest_dir);
        let read = |folder: &Path, file: &str| std::fs::read_to_string(folder.join(file));
        let own = read(manifest_dir, "Cargo.toml").unwrap_or_default();
        let of_root = |file: &str| {
            let text = root.as_ref().and_then(|root| read(root, file).ok());
            text.unwrap_or_default()
        };
        let (shared, lock) = (of_root("Cargo.toml"), of_root("Cargo.lock"));
        Dependencies {
            all: told(&own, &shared).unwrap_or_default(),
            lock,
            root,
        }
    }

    /// The files that say which they are, besides the package's own manifest.
    pub(super) fn files(&self) -> impl Iterator<Item = PathBuf> {
        let files = ["Cargo.toml", "Cargo.lock"].into_iter();
        let files = files.filter_map(|file| Some(self.root.as_ref()?.join(file)));
        files.filter(|path| path.is_file())
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.all.iter().any(|(known, ..)| known == name)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|(name, ..)| name.as_str())
    }

    /// The lines of a source that uses these.
    pub(super) fn lines(&self, used: &[String]) -> Vec<String> {
        let mut lines = Vec::new();
        for (_, package, line) in self.all.iter().filter(|(name, ..)| used.contains(name)) {
            lines.push(format!("{DEPENDENCY}{line}"));
            let locked = locked(&self.lock, package).into_iter();
            lines.extend(locked.map(|what| format!("{LOCKED}{package} {what}")));
        }
        lines
    }
}

/// Name in code, package, and line of each dependency that is not in a folder.
fn told(own: &str, shared: &str) -> Option<Vec<(String, String, String)>> {
    let (own, shared) = (boml::parse(own).ok()?, boml::parse(shared).ok()?);
    let shared = shared.get_table("workspace").ok();
    let shared = shared.and_then(|of| of.get_table("dependencies").ok());
    let mut all = Vec::new();
    for (key, value) in own.get_table("dependencies").ok()?.iter() {
        let key = key.as_str();
        let mut fields: Vec<(String, String)> = Vec::new();
        let mut add = |value: &TomlValue<'_>| match value {
            TomlValue::Table(table) => add_fields(table, &mut fields),
            TomlValue::String(version) => fields.push(field("version", version.as_str())),
            _ => {}
        };
        let of_workspace = |value: &TomlValue<'_>| {
            let table = value.as_table();
            table.is_some_and(|of| of.get_boolean("workspace").is_ok())
        };
        add(value);
        if of_workspace(value) {
            shared
                .and_then(|of| of.get(key))
                .into_iter()
                .for_each(&mut add);
        }
        if fields.iter().any(|(name, _)| name == "path") {
            continue;
        }
        let package = fields.iter().find(|(name, _)| name == "package");
        let package = package.map_or(key, |(_, text)| text.trim_matches('"'));
        let package = package.to_string();
        // A table keeps no order.
        fields.sort_unstable();
        let fields = fields.iter().map(|(name, text)| format!("{name} = {text}"));
        let line = format!("{key} = {{ {} }}", fields.collect_vec().join(", "));
        all.push((key.replace('-', "_"), package, line));
    }
    all.sort_unstable();
    Some(all)
}

/// What says which crate it is, and how it is compiled; features of a workspace and of its member are joined.
fn add_fields(table: &TomlTable<'_>, fields: &mut Vec<(String, String)>) {
    for (name, value) in table.iter() {
        let name = name.as_str();
        match value {
            TomlValue::String(text) => fields.push(field(name, text.as_str())),
            TomlValue::Boolean(on) if name == "default-features" => {
                fields.push((name.to_string(), on.to_string()));
            }
            TomlValue::Array(list) if name == "features" => {
                let own = list.iter().filter_map(TomlValue::as_string);
                let own = own.map(|text| format!("{text:?}")).collect_vec().join(", ");
                match fields.iter_mut().find(|(known, _)| known == name) {
                    Some((_, text)) => *text = format!("{}, {own}]", text.trim_end_matches(']')),
                    None => fields.push((name.to_string(), format!("[{own}]"))),
                }
            }
            _ => {}
        }
    }
}

fn field(name: &str, text: &str) -> (String, String) {
    (name.to_string(), format!("{text:?}"))
}

/// Version and source of each package of this name.
fn locked(lock: &str, package: &str) -> Vec<String> {
    let name = format!("name = \"{package}\"");
    let blocks = lock.split("[[package]]");
    let own = blocks.filter(|block| block.lines().any(|line| line == name));
    let said = own.map(|block| {
        let of = |key: &str| {
            let found = block.lines().find_map(|line| line.strip_prefix(key));
            found.unwrap_or_default().trim_matches('"')
        };
        let (version, source) = (of("version = "), of("source = "));
        // A registry by any other name has the same crates; what git holds is known by its commit.
        match source.starts_with("git+") {
            true => format!("{version} {source}"),
            false => version.to_string(),
        }
    });
    said.collect_vec()
}

/// The file that keeps versions, of the package in this folder.
pub(crate) fn lock_file(package: &Path) -> Option<PathBuf> {
    let path = env::workspace_root(package)?.join("Cargo.lock");
    path.is_file().then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_for_whoever_compiles() {
        let own = "[dependencies]\nrayon = \"1.10\"\nhalf-float = { package = \"half\", version = \"2\", features = [\"num-traits\"], optional = true }\n\
            own = { path = \"../own\" }\nwide.workspace = true\nwide.features = [\"b\"]\n";
        let shared = "[workspace.dependencies]\nwide = { version = \"0.7\", default-features = false, features = [\"a\"] }\n";
        let dependencies = Dependencies {
            all: told(own, shared).unwrap(),
            lock: "version = 4\n\n[[package]]\nname = \"half\"\nversion = \"2.4.1\"\nsource = \"registry+https://example.org\"\n\n\
                [[package]]\nname = \"half\"\nversion = \"1.8.0\"\n".into(),
            root: None,
        };
        let mut names = dependencies.names().collect_vec();
        names.sort_unstable();
        assert_eq!(names, ["half_float", "rayon", "wide"]);
        assert!(!dependencies.has("own"));
        let lines = |name: &str| dependencies.lines(&[name.to_string()]);
        assert_eq!(
            lines("half_float"),
            [
                "dependency half-float = { features = [\"num-traits\"], package = \"half\", version = \"2\" }",
                "locked half 2.4.1",
                "locked half 1.8.0",
            ]
        );
        assert_eq!(
            lines("rayon"),
            ["dependency rayon = { version = \"1.10\" }"]
        );
        let wide = lines("wide").join("");
        for part in [
            "features = [\"b\", \"a\"]",
            "default-features = false",
            "version = \"0.7\"",
        ] {
            assert!(wide.contains(part), "{wide}");
        }
    }
}
