//! Where the cache is.

use etcetera::BaseStrategy;
use std::path::PathBuf;
use std::sync::OnceLock;

/// The folder of what was learned, in the cache of bico.
pub const LEARNED: &str = "learned";

/// The path of [`LEARNED`]: below `BICO_CACHE` or, by default, the user's cache folder. `None`
/// where it is switched off (`BICO_CACHE=off`), or there is no home folder. Read once per process.
pub fn folder() -> Option<&'static PathBuf> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let user = etcetera::choose_base_strategy().ok();
        // What is made up in this crate's own tests must not reach a cache, nor another test: these name a
        // variable of their own.
        let (variable, default) = match cfg!(test) {
            true => ("BICO_TEST_CACHE", None),
            false => ("BICO_CACHE", user.map(|user| user.cache_dir())),
        };
        // A setting of a running program, where bico-build's of a build do not reach.
        #[allow(clippy::disallowed_methods)]
        let setting = std::env::var(variable).ok();
        of(setting.as_deref(), default).map(|cache| cache.join(LEARNED))
    });
    folder.as_ref()
}

/// The cache of bico; the builds use the same.
fn of(variable: Option<&str>, default: Option<PathBuf>) -> Option<PathBuf> {
    match variable {
        Some("off") => None,
        Some(folder) if !folder.is_empty() => Some(PathBuf::from(folder)),
        _ => default.map(|folder| folder.join("bico")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_overrides_and_switches_off() {
        let user = || Some(PathBuf::from("/home/me/.cache"));
        let default = Some(PathBuf::from("/home/me/.cache/bico"));
        assert_eq!(of(None, user()), default);
        assert_eq!(of(Some(""), user()), default);
        assert_eq!(of(Some("off"), user()), None);
        assert_eq!(of(Some("/tmp/c"), user()), Some(PathBuf::from("/tmp/c")));
        assert_eq!(of(None, None), None);
        assert_eq!(of(Some("/tmp/c"), None), Some(PathBuf::from("/tmp/c")));
    }
}
