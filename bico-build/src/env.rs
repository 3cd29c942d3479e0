//! Everything that is read from the environment, and what follows from who runs the build.
//!
//! The only module that reads environment variables: what a build depends on is listed here once,
//! together with its `rerun-if-env-changed`.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
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

/// Why this run must not measure although the mode would let it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Skip {
    Ci,
    RustAnalyzer,
    DocsRs,
    Packaged,
    OutsideWorkspace,
    CrossCompiling,
    NoGpu,
    /// Nothing that searches or measures is compiled.
    NoTune,
}

impl Skip {
    /// Whether the reason is who ran the build, so that the next build by someone else must look again.
    pub fn depends_on_runner(self) -> bool {
        matches!(self, Skip::Ci | Skip::RustAnalyzer)
    }

    /// Whether the package is somebody's dependency (or a copy of one): there every mode is lenient.
    pub fn is_foreign(self) -> bool {
        matches!(self, Skip::DocsRs | Skip::Packaged | Skip::OutsideWorkspace)
    }
}

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Skip::Ci => "the environment variable CI is set",
            Skip::RustAnalyzer => "rust-analyzer runs this build",
            Skip::DocsRs => "docs.rs runs this build",
            Skip::Packaged => "this is a packaged copy",
            Skip::OutsideWorkspace => "the package lies outside the workspace that is built",
            Skip::CrossCompiling => "this is a cross build",
            Skip::NoGpu => "no GPU can be measured on here",
            Skip::NoTune => "bico-build is compiled without its feature `tune`",
        })
    }
}

/// What decides which CUDA compiler is taken.
const CUDA: [&str; 5] = [
    "BICO_NVRTC",
    "CUDA_PATH",
    "CUDA_HOME",
    "NVCC_PREPEND_FLAGS",
    "NVCC_APPEND_FLAGS",
];

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
    /// `BICO_NVRTC`: the library that compiles CUDA kernels, or its folder.
    pub nvrtc: Option<PathBuf>,
    /// Why measuring is out of the question, if it is.
    pub skip: Option<Skip>,
    /// Names of the enabled features, as `CARGO_FEATURE_` spells them.
    pub features: BTreeSet<String>,
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
        let mut features = BTreeSet::new();
        let mut cfg = Vec::new();
        for (key, value) in all() {
            if let Some(name) = key.strip_prefix("CARGO_FEATURE_") {
                features.insert(name.to_string());
            } else if let Some(name) = key.strip_prefix("CARGO_CFG_") {
                let values = value.split(',').map(str::to_string).collect();
                cfg.push((name.to_lowercase(), values));
            }
        }
        let skip = skip_reason(&manifest_dir, &target, &host);
        Ok(Env {
            macro_follows: true,
            skip,
            package: need("CARGO_PKG_NAME")?,
            version: need("CARGO_PKG_VERSION")?,
            jobs: get("NUM_JOBS")
                .and_then(|n| n.parse().ok())
                .unwrap_or(1)
                .max(1),
            nvrtc: nvrtc(),
            cache_dir: cache_dir(),
            manifest_dir,
            out_dir,
            target,
            host,
            mode,
            runner: runner()?,
            features,
            cfg,
        })
    }

    /// The `rerun-if-env-changed` directives of this run: what changes what a build gives. `CI` and
    /// the like are missing on purpose: see [`Skip::depends_on_runner`].
    pub fn directives(&self) -> Vec<String> {
        let mut names = vec!["BICO".to_string()];
        if cfg!(feature = "cuda") {
            names.extend(CUDA.map(String::from));
        }
        names.extend(crate::compile::variables(&self.target, &self.host));
        names
            .into_iter()
            .map(|name| format!("cargo::rerun-if-env-changed={name}"))
            .collect()
    }

    /// The folder that outlives this run's OUT_DIR: `target/bico`. The target folder is the nearest
    /// ancestor of OUT_DIR with cargo's cache tag; without one, OUT_DIR itself must do.
    pub fn state_dir(&self) -> PathBuf {
        self.out_dir
            .ancestors()
            .find(|dir| dir.join("CACHEDIR.TAG").is_file())
            .unwrap_or(&self.out_dir)
            .join("bico")
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
        time.ok()
            .filter(|time| *time <= now)
            .unwrap_or(now - Duration::from_secs(1))
    }
}

/// The variable, if set to valid Unicode.
#[allow(clippy::disallowed_methods)]
pub fn get(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

#[allow(clippy::disallowed_methods)]
fn all() -> impl Iterator<Item = (String, String)> {
    std::env::vars_os().filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?)))
}

/// `BICO_RUNNER`.
pub fn runner() -> Result<Vec<String>, String> {
    let text = get("BICO_RUNNER").unwrap_or_default();
    split_words(&text).map_err(|e| format!("BICO_RUNNER: {e}"))
}

/// `BICO_NVRTC`.
pub fn nvrtc() -> Option<PathBuf> {
    let path = get("BICO_NVRTC").filter(|path| !path.is_empty());
    path.map(PathBuf::from)
}

/// `BICO_CACHE`, else the user's cache folder with `bico` appended; `None` if switched off.
pub fn cache_dir() -> Option<PathBuf> {
    match get("BICO_CACHE").as_deref() {
        Some("off") => None,
        Some(dir) if !dir.is_empty() => Some(PathBuf::from(dir)),
        _ => {
            use etcetera::BaseStrategy;
            etcetera::choose_base_strategy()
                .ok()
                .map(|s| s.cache_dir().join("bico"))
        }
    }
}

fn skip_reason(manifest_dir: &Path, target: &str, host: &str) -> Option<Skip> {
    // Foreign packages first: what they must not do does not depend on who builds them.
    if get("DOCS_RS").is_some() {
        return Some(Skip::DocsRs);
    }
    // Cargo leaves these in every copy of its own: registry, vendored, `cargo package`.
    let marks = ["Cargo.toml.orig", ".cargo-checksum.json"];
    let is_packed = marks.iter().any(|mark| manifest_dir.join(mark).is_file());
    // This one lies at the root of a git checkout, and the package somewhere below.
    let mut folders = manifest_dir.ancestors();
    if is_packed || folders.any(|folder| folder.join(".cargo-ok").is_file()) {
        return Some(Skip::Packaged);
    }
    if !inside_workspace(manifest_dir) {
        return Some(Skip::OutsideWorkspace);
    }
    if cfg!(not(feature = "tune")) {
        return Some(Skip::NoTune);
    }
    if target != host {
        return Some(Skip::CrossCompiling);
    }
    let wrapper = get("RUSTC_WRAPPER").or_else(|| get("RUSTC_WORKSPACE_WRAPPER"));
    if get("RA_RUSTC_WRAPPER").is_some()
        || wrapper.is_some_and(|w| {
            Path::new(&w)
                .file_stem()
                .is_some_and(|s| s == "rust-analyzer")
        })
    {
        return Some(Skip::RustAnalyzer);
    }
    // Set by every CI service; `CI=false` and `CI=` are how people switch it off.
    if get("CI").is_some_and(|v| !matches!(v.as_str(), "" | "0" | "false")) {
        return Some(Skip::Ci);
    }
    None
}

/// Whether the package belongs to the workspace that cargo was asked to build. Cargo does not tell
/// build scripts, so it is read off the cargo process: its `--manifest-path`, the `--path` that it
/// installs from, else its folder. Where that cannot be seen, the package counts as inside: it is not a packaged copy.
fn inside_workspace(manifest_dir: &Path) -> bool {
    let Some((folder, arguments)) = crate::os::parent_process() else {
        return true;
    };
    let start = match option_value(&arguments, "--manifest-path") {
        Some(path) => match folder.join(path).parent() {
            Some(parent) => parent.to_path_buf(),
            None => folder,
        },
        None => match option_value(&arguments, "--path").or(option_value(&arguments, "-C")) {
            Some(path) => folder.join(path),
            None => folder,
        },
    };
    let Ok(start) = start.canonicalize() else {
        return true;
    };
    let Ok(package) = manifest_dir.canonicalize() else {
        return true;
    };
    match workspace_root(&start) {
        Some(root) => package.starts_with(root),
        // Cargo itself found a manifest, so the folder is not what it started from.
        None => true,
    }
}

fn option_value<'a>(arguments: &'a [String], option: &str) -> Option<&'a str> {
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        if argument == "--" {
            return None;
        }
        if argument == option {
            return arguments.next().map(String::as_str);
        }
        if let Some(value) = argument
            .strip_prefix(option)
            .and_then(|rest| rest.strip_prefix('='))
        {
            return Some(value);
        }
    }
    None
}

/// The folder of the nearest manifest with a `[workspace]`, else of the nearest manifest.
pub fn workspace_root(start: &Path) -> Option<PathBuf> {
    let mut nearest = None;
    for dir in start.ancestors() {
        let Ok(text) = std::fs::read_to_string(dir.join("Cargo.toml")) else {
            continue;
        };
        if text.lines().any(|line| {
            let line = line.trim_start();
            line.starts_with("[workspace]") || line.starts_with("[workspace.")
        }) {
            return Some(dir.to_path_buf());
        }
        nearest.get_or_insert_with(|| dir.to_path_buf());
    }
    nearest
}

/// Splits a command prefix into words: blanks separate, quotes keep together, a backslash keeps the
/// next character.
fn split_words(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (Some('\''), c) => word.get_or_insert_default().push(c),
            (_, '\\') => {
                let next = chars.next().ok_or("it ends with a backslash")?;
                word.get_or_insert_default().push(next);
            }
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err("a quote is not closed".to_string());
    }
    words.extend(word);
    Ok(words)
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
        let words = |text| split_words(text).unwrap();
        assert_eq!(
            words("srun --gres=gpu:1  -n1"),
            ["srun", "--gres=gpu:1", "-n1"]
        );
        assert_eq!(
            words(r#"env "A=b c" 'd "e' f\ g"#),
            ["env", "A=b c", "d \"e", "f g"]
        );
        assert_eq!(words(""), Vec::<String>::new());
        assert!(split_words("a 'b").is_err());
    }

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
