//! The folder of what bico keeps for a user, across packages and builds.

use std::path::PathBuf;

/// The cache of bico, of what `BICO_CACHE` says and the user's cache folder. `None`: it is switched off, or there is no
/// such folder.
pub fn cache(setting: Option<&str>, users: Option<PathBuf>) -> Option<PathBuf> {
    match setting {
        Some("off") => None,
        Some(folder) if !folder.is_empty() => Some(PathBuf::from(folder)),
        _ => users.map(|folder| folder.join("bico")),
    }
}

/// The user's cache folder, as XDG names it; on Windows, that of local data. `None`: nobody knows the home folder.
pub fn users_cache() -> Option<PathBuf> {
    let (variable, below) = match cfg!(windows) {
        true => ("LOCALAPPDATA", "AppData/Local"),
        false => ("XDG_CACHE_HOME", ".cache"),
    };
    // A setting of the user's system, which a build does not depend on.
    #[allow(clippy::disallowed_methods)]
    let named = std::env::var_os(variable).map(PathBuf::from);
    // XDG takes no relative path for one.
    let named = named.filter(|path| path.is_absolute());
    named.or_else(|| Some(std::env::home_dir()?.join(below)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_overrides_and_switches_off() {
        let user = || Some(PathBuf::from("/home/me/.cache"));
        let default = Some(PathBuf::from("/home/me/.cache/bico"));
        assert_eq!(cache(None, user()), default);
        assert_eq!(cache(Some(""), user()), default);
        assert_eq!(cache(Some("off"), user()), None);
        assert_eq!(cache(Some("/tmp/c"), user()), Some(PathBuf::from("/tmp/c")));
        assert_eq!(cache(None, None), None);
        assert_eq!(cache(Some("/tmp/c"), None), Some(PathBuf::from("/tmp/c")));
    }
}
