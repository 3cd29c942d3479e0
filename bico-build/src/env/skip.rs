//! What follows from who runs the build, and where.

use super::get;
use super::workspace::inside_workspace;
use std::fmt;
use std::path::Path;

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

    /// Why the package in this folder must not be measured, if anything speaks against it.
    pub(super) fn reason(manifest_dir: &Path, target: &str, host: &str) -> Option<Skip> {
        // Cargo leaves these in every copy of its own: registry, vendored, `cargo package`.
        let marks = ["Cargo.toml.orig", ".cargo-checksum.json"];
        let is_packed = || marks.iter().any(|mark| manifest_dir.join(mark).is_file());
        // This one lies at the root of a git checkout, and the package somewhere below.
        let is_checkout = |folder: &Path| folder.join(".cargo-ok").is_file();
        let wrapper = get("RUSTC_WRAPPER").or_else(|| get("RUSTC_WORKSPACE_WRAPPER"));
        let is_analyzer = |path: &String| {
            let name = Path::new(path).file_stem();
            name.is_some_and(|name| name == "rust-analyzer")
        };
        // Set by every CI service; `CI=false` and `CI=` are how people switch it off.
        let is_ci = |value: &String| !matches!(value.as_str(), "" | "0" | "false");
        // Foreign packages first: what they must not do does not depend on who builds them.
        Some(if get("DOCS_RS").is_some() {
            Skip::DocsRs
        } else if is_packed() || manifest_dir.ancestors().any(is_checkout) {
            Skip::Packaged
        } else if !inside_workspace(manifest_dir) {
            Skip::OutsideWorkspace
        } else if cfg!(not(feature = "tune")) {
            Skip::NoTune
        } else if target != host {
            Skip::CrossCompiling
        } else if get("RA_RUSTC_WRAPPER").is_some() || wrapper.as_ref().is_some_and(is_analyzer) {
            Skip::RustAnalyzer
        } else if get("CI").as_ref().is_some_and(is_ci) {
            Skip::Ci
        } else {
            return None;
        })
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
