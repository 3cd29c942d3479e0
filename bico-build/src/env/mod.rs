//! Everything that is read from the environment, and what follows from who runs the build.
//!
//! The only module that reads environment variables: what a build depends on is listed here once,
//! together with its `rerun-if-env-changed`.

mod skip;
#[cfg(feature = "workers")]
mod workers;
#[cfg(not(feature = "workers"))]
#[path = "without_workers.rs"]
mod workers;
mod workspace;

pub use skip::Skip;
pub use workers::{Workers, workers};
pub use workspace::workspace_root;

use bico_core::{Lists, Set};
#[cfg(feature = "tune")]
use bico_search::search::Shard;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// `BICO`: when tuning happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Use what is fresh, tune what is missing, check again what is stale. The default.
    Auto,
    /// Tune everything anew.
    Tune,
    /// Never measure; what is stale or unknown is an error.
    Locked,
    /// Never measure; predict what is not known.
    Off,
}

impl Mode {
    /// Reads the value of `BICO`.
    pub fn parse(text: Option<&str>) -> Result<Mode, String> {
        match text.unwrap_or("auto") {
            "" | "auto" => Ok(Mode::Auto),
            "tune" => Ok(Mode::Tune),
            "locked" => Ok(Mode::Locked),
            "off" => Ok(Mode::Off),
            other => Err(format!(
                "unknown value `{other}` of the environment variable BICO\n  = help: use `auto` (the default), `tune`, `locked` or `off`"
            )),
        }
    }
}

/// What decides which CUDA compiler is taken.
const CUDA: [&str; 6] = [
    "BICO_NVRTC",
    "NVCC",
    "CUDA_PATH",
    "CUDA_HOME",
    "NVCC_PREPEND_FLAGS",
    "NVCC_APPEND_FLAGS",
];

/// Variables that cargo sets for build scripts and that do not begin with `CARGO`.
#[cfg(feature = "tune")]
const OF_BUILD_SCRIPTS: [&str; 12] = [
    "DEBUG",
    "HOST",
    "MAKEFLAGS",
    "MFLAGS",
    "NUM_JOBS",
    "OPT_LEVEL",
    "OUT_DIR",
    "PROFILE",
    "RUSTC",
    "RUSTC_LINKER",
    "RUSTDOC",
    "TARGET",
];

/// The variables by which a program sees that a build runs it.
#[cfg(feature = "tune")]
pub(crate) fn of_the_build() -> impl Iterator<Item = std::ffi::OsString> {
    let names = std::env::vars_os().map(|(name, _)| name);
    names.filter(|name| {
        let name = name.to_string_lossy();
        name.starts_with("CARGO") || OF_BUILD_SCRIPTS.contains(&&*name)
    })
}

/// The environment of one run of the build script.
#[derive(Debug, Clone)]
pub struct Env {
    /// The package's folder.
    pub manifest_dir: PathBuf,
    /// Cargo's folder for what this run makes.
    pub out_dir: PathBuf,
    /// `CARGO_PKG_NAME`.
    pub package: String,
    /// `CARGO_PKG_VERSION`.
    pub version: String,
    /// `TARGET`, the triple that is built for.
    pub target: String,
    /// `HOST`, the triple that builds.
    pub host: String,
    /// `BICO`.
    pub mode: Mode,
    /// `BICO_RUNNER`, split into words: a command prefix for workers.
    pub runner: Vec<String>,
    /// `BICO_WORKERS`, or the user's file: in place of the runner, where there are any.
    pub workers: Vec<Workers>,
    /// What was left alone of that, and why.
    pub refused: Option<String>,
    /// `BICO_SHARD`: the part of each space that is searched, for a search that many machines share.
    #[cfg(feature = "tune")]
    pub shard: Option<Shard>,
    /// `BICO_NVRTC`: the library that compiles CUDA kernels, or its folder.
    pub nvrtc: Option<PathBuf>,
    /// Why measuring is out of the question, if it is.
    pub skip: Option<Skip>,
    /// Names of the enabled features, as `CARGO_FEATURE_` spells them.
    pub features: Set<String>,
    /// `CARGO_CFG_*`: name in lower case -> values.
    pub cfg: Vec<(String, Vec<String>)>,
    /// Parallel jobs cargo allows.
    pub jobs: usize,
    /// `BICO_CACHE`, else the user's cache folder with `bico` appended; `None` if switched off.
    pub cache_dir: Option<PathBuf>,
    /// Whether the macro reads the attributes, too, and reports their mistakes: in a build it does.
    pub macro_follows: bool,
}

impl Env {
    /// Reads the environment that cargo gives a build script.
    pub fn read() -> Result<Env, String> {
        let need = |name: &str| {
            get(name).ok_or_else(|| {
                format!("the environment variable {name} is not set\n  = help: call `bico_build::tune()` from a build script that cargo runs")
            })
        };
        let manifest_dir = PathBuf::from(need("CARGO_MANIFEST_DIR")?);
        let out_dir = PathBuf::from(need("OUT_DIR")?);
        let target = need("TARGET")?;
        let host = need("HOST")?;
        let mode = Mode::parse(get("BICO").as_deref())?;
        let mut features = Set::default();
        let mut cfg = Vec::new();
        for (key, value) in std::env::vars_os() {
            let (Ok(key), Ok(value)) = (key.into_string(), value.into_string()) else {
                continue;
            };
            if let Some(name) = key.strip_prefix("CARGO_FEATURE_") {
                features.insert(name.to_string());
            } else if let Some(name) = key.strip_prefix("CARGO_CFG_") {
                let values = value.split(',').map(str::to_string).collect_vec();
                cfg.push((name.to_lowercase(), values));
            }
        }
        let jobs = get("NUM_JOBS");
        let skip = Skip::reason(&manifest_dir, &target, &host);
        let (workers, refused) = workers(true)?;
        Ok(Env {
            macro_follows: true,
            skip,
            package: need("CARGO_PKG_NAME")?,
            version: need("CARGO_PKG_VERSION")?,
            jobs: jobs.and_then(|n| n.parse().ok()).unwrap_or(1).max(1),
            nvrtc: nvrtc(),
            cache_dir: cache_dir(),
            manifest_dir,
            out_dir,
            target,
            host,
            mode,
            runner: runner()?,
            workers,
            refused,
            #[cfg(feature = "tune")]
            shard: shard()?,
            features,
            cfg,
        })
    }

    /// The `rerun-if-env-changed` directives of this run: what changes what a build gives. `CI` and
    /// the like are missing on purpose: see [`Skip::depends_on_runner`].
    pub fn directives(&self) -> Vec<String> {
        let mut names = vec!["BICO".to_string()];
        if cfg!(feature = "tune") {
            names.push("BICO_SHARD".to_string());
        }
        if cfg!(feature = "cuda") {
            names.extend(CUDA.map(String::from));
        }
        names.extend(crate::compile::variables(&self.target, &self.host));
        let directive = |name: &String| format!("cargo::rerun-if-env-changed={name}");
        names.iter().map(directive).collect_vec()
    }

    /// The folder that outlives this run's OUT_DIR: `target/bico`. The target folder is the nearest
    /// ancestor of OUT_DIR with cargo's cache tag; without one, OUT_DIR itself must do.
    pub fn state_dir(&self) -> PathBuf {
        let mut folders = self.out_dir.ancestors();
        let target = folders.find(|dir| dir.join("CACHEDIR.TAG").is_file());
        target.unwrap_or(&self.out_dir).join("bico")
    }

    /// The folder of the package's trails, `target/bico/<package>`: two packages of a workspace may
    /// use the same key.
    pub fn trail_dir(&self) -> PathBuf {
        self.state_dir().join(&self.package)
    }

    /// When this run began by cargo's reckoning: what is newer among the watched files causes another
    /// run. That is the time of a file of cargo's, some milliseconds before this process started
    /// (`now`); where the file is not found, a second before must do.
    pub fn begun(&self, now: SystemTime) -> SystemTime {
        let stamp = self.out_dir.with_file_name("invoked.timestamp");
        let time = std::fs::metadata(stamp).and_then(|meta| meta.modified());
        let time = time.ok().filter(|time| *time <= now);
        time.unwrap_or(now - Duration::from_secs(1))
    }
}

/// Whether a variable has this value already, for whatever is started.
#[allow(clippy::disallowed_methods)]
pub(crate) fn has(name: &std::ffi::OsStr, value: &std::ffi::OsStr) -> bool {
    std::env::var_os(name).is_some_and(|own| own == value)
}

/// The variable, if set to valid Unicode.
#[allow(clippy::disallowed_methods)]
pub fn get(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The flags that cargo gives rustc for this package.
#[cfg(feature = "rust")]
pub(crate) fn rust_flags() -> Vec<String> {
    let (text, separator) = match get("CARGO_ENCODED_RUSTFLAGS") {
        Some(text) => (text, '\u{1f}'),
        None => (get("RUSTFLAGS").unwrap_or_default(), ' '),
    };
    let flags = text.split(separator).filter(|flag| !flag.is_empty());
    flags.map(String::from).collect_vec()
}

/// Those of rustc's flags that say for which CPU it compiles, one word each.
#[cfg(feature = "rust")]
pub(crate) fn cpu_flags(flags: &[String]) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for flag in flags {
        match words.last_mut() {
            Some(last) if last == "-C" || last == "--codegen" => *last = format!("-C{flag}"),
            _ => words.push(flag.replace("--codegen=", "-C")),
        }
    }
    words.retain(|word| word.starts_with("-Ctarget-cpu=") || word.starts_with("-Ctarget-feature="));
    words
}

/// `BICO_RUNNER`.
pub fn runner() -> Result<Vec<String>, String> {
    let text = get("BICO_RUNNER").unwrap_or_default();
    words(&text).map_err(|why| format!("BICO_RUNNER: {why}"))
}

/// The words of a command, as a shell reads them.
///
/// # Errors
///
/// It does not end where it should.
pub fn words(text: &str) -> Result<Vec<String>, &'static str> {
    shlex::split(text).ok_or(match text.ends_with('\\') {
        true => "it ends with a backslash",
        false => "a quote is not closed",
    })
}

/// `BICO_SHARD`.
///
/// # Errors
///
/// It is no part of a space.
#[cfg(feature = "tune")]
pub fn shard() -> Result<Option<Shard>, String> {
    let text = get("BICO_SHARD").filter(|text| !text.is_empty());
    let shard = text.map(|text| Shard::parse(&text)).transpose();
    shard.map_err(|why| format!("BICO_SHARD: {why}"))
}

/// `BICO_NVRTC`.
pub fn nvrtc() -> Option<PathBuf> {
    let path = get("BICO_NVRTC").filter(|path| !path.is_empty());
    path.map(PathBuf::from)
}

/// `BICO_CACHE`, else the user's cache folder with `bico` appended; `None` if switched off.
pub fn cache_dir() -> Option<PathBuf> {
    bico_core::cache(get("BICO_CACHE").as_deref(), bico_core::users_cache())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes() {
        assert_eq!(Mode::parse(None), Ok(Mode::Auto));
        assert_eq!(Mode::parse(Some("locked")), Ok(Mode::Locked));
        let error = Mode::parse(Some("lock")).unwrap_err();
        assert!(
            error.contains("`lock`") && error.contains("`locked`"),
            "{error}"
        );
    }

    #[test]
    fn words_of_a_runner() {
        let words = |text| super::words(text).unwrap();
        assert_eq!(
            words("srun --gres=gpu:1  -n1"),
            ["srun", "--gres=gpu:1", "-n1"]
        );
        assert_eq!(
            words(r#"env "A=b c" 'd "e' f\ g"#),
            ["env", "A=b c", "d \"e", "f g"]
        );
        assert_eq!(words(""), Vec::<String>::new());
        assert_eq!(super::words("a 'b"), Err("a quote is not closed"));
        assert_eq!(super::words("a\\"), Err("it ends with a backslash"));
    }
}
