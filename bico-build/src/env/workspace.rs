//! The workspace that cargo was asked to build.

use std::path::{Path, PathBuf};

/// Whether the package belongs to the workspace that cargo was asked to build. Cargo does not tell
/// build scripts, so it is read off the cargo process: its `--manifest-path`, the `--path` that it
/// installs from, else its folder. Where that cannot be seen, the package counts as inside: it is not a packaged copy.
pub(super) fn inside_workspace(manifest_dir: &Path) -> bool {
    let Some((folder, arguments)) = crate::os::parent_process() else {
        return true;
    };
    let given = |option| option_value(&arguments, option).map(|path| folder.join(path));
    let manifest = given("--manifest-path");
    let start = match manifest.as_deref().and_then(Path::parent) {
        Some(parent) => parent.to_path_buf(),
        None => given("--path").or(given("-C")).unwrap_or(folder.clone()),
    };
    let (Ok(start), Ok(package)) = (start.canonicalize(), manifest_dir.canonicalize()) else {
        return true;
    };
    // Cargo itself found a manifest: where none is seen, the folder is not what it started from.
    workspace_root(&start).is_none_or(|root| package.starts_with(root))
}

fn option_value<'a>(arguments: &'a [String], option: &str) -> Option<&'a str> {
    let own = arguments.split(|argument| argument == "--").next()?;
    let mut numbered = own.iter().enumerate();
    numbered.find_map(|(at, argument)| match argument.strip_prefix(option)? {
        "" => own.get(at + 1).map(String::as_str),
        value => value.strip_prefix('='),
    })
}

/// The folder of the nearest manifest with a `[workspace]`, else of the nearest manifest.
pub fn workspace_root(start: &Path) -> Option<PathBuf> {
    let starts = |line: &str| line.starts_with("[workspace]") || line.starts_with("[workspace.");
    let mut nearest = None;
    for dir in start.ancestors() {
        let Ok(text) = std::fs::read_to_string(dir.join("Cargo.toml")) else {
            continue;
        };
        if text.lines().any(|line| starts(line.trim_start())) {
            return Some(dir.to_path_buf());
        }
        nearest.get_or_insert_with(|| dir.to_path_buf());
    }
    nearest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifest_path_is_found_before_the_double_dash() {
        let args = |list: &[&str]| list.iter().map(|s| s.to_string()).collect::<Vec<_>>();
        let given = args(&["cargo", "build", "--manifest-path=x/Cargo.toml"]);
        assert_eq!(
            option_value(&given, "--manifest-path"),
            Some("x/Cargo.toml")
        );
        let after = args(&["cargo", "run", "--", "--manifest-path", "x"]);
        assert_eq!(option_value(&after, "--manifest-path"), None);
    }

    #[test]
    fn a_workspace_wins_over_a_package() {
        let dir = tempfile::tempdir().unwrap();
        let inner = dir.path().join("a/b");
        std::fs::create_dir_all(&inner).unwrap();
        std::fs::write(inner.join("Cargo.toml"), "[package]\n").unwrap();
        assert_eq!(workspace_root(&inner), Some(inner.clone()));
        std::fs::write(dir.path().join("Cargo.toml"), "[workspace]\n").unwrap();
        assert_eq!(workspace_root(&inner), Some(dir.path().to_path_buf()));
    }
}
