//! Where the cache is.

use std::path::PathBuf;
use std::sync::OnceLock;

/// The folder of what was learned, in the cache of bico.
pub const LEARNED: &str = "learned";

/// The path of [`LEARNED`]: below `BICO_CACHE` or, by default, the user's cache folder. `None`
/// where it is switched off (`BICO_CACHE=off`), or there is no home folder. Read once per process.
pub fn folder() -> Option<&'static PathBuf> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        // What is made up in this crate's own tests must not reach a cache, nor another test: these name a
        // variable of their own.
        let (variable, default) = match cfg!(test) {
            true => ("BICO_TEST_CACHE", None),
            false => ("BICO_CACHE", bico_core::users_cache()),
        };
        // A setting of a running program, where bico-build's of a build do not reach.
        #[allow(clippy::disallowed_methods)]
        let setting = std::env::var(variable).ok();
        bico_core::cache(setting.as_deref(), default).map(|cache| cache.join(LEARNED))
    });
    folder.as_ref()
}
