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
        let wrapper = wrapper
            .as_ref()
            .and_then(|path| Path::new(path).file_stem());
        let is_analyzer = wrapper.is_some_and(|name| name == "rust-analyzer");
        if get("RA_RUSTC_WRAPPER").is_some() || is_analyzer {
            return Some(Skip::RustAnalyzer);
        }
        // Set by every CI service; `CI=false` and `CI=` are how people switch it off.
        if get("CI").is_some_and(|v| !matches!(v.as_str(), "" | "0" | "false")) {
            return Some(Skip::Ci);
        }
        None
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
