//! Why there is no NVRTC.

use bico_core::Lists;
use std::fmt;
use std::path::PathBuf;

/// NVRTC was not found, or does not load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NvrtcMissing {
    /// What was named by the user, if anything: nothing else was tried then.
    pub(super) explicit: Option<PathBuf>,
    /// Names that the system's loader was asked for.
    pub(super) names: Vec<String>,
    /// Where it was looked for, as patterns of folders.
    pub(super) folders: Vec<String>,
    /// What was found, and why it cannot be used.
    pub(super) unusable: Vec<(PathBuf, String)>,
}

impl NvrtcMissing {
    /// What to do, as the last line of a message.
    pub const HELP: &'static str = "  = help: `pip install nvidia-cuda-nvrtc-cu12 nvidia-cuda-runtime-cu12 nvidia-cuda-nvcc-cu12 nvidia-cuda-cccl-cu12` (a virtual environment must be active), or install the CUDA toolkit, or set BICO_NVRTC to the library";

    /// All that was looked for and found.
    pub fn what(&self) -> String {
        let unusable = self.unusable.iter();
        let unusable = unusable.map(|(path, reason)| format!("`{}`: {reason}", path.display()));
        let unusable: Vec<String> = unusable.collect_vec();
        let mut lines = match &self.explicit {
            Some(path) if unusable.is_empty() => {
                let path = path.display();
                return format!("NVRTC was not found: `{path}` does not exist or holds none");
            }
            Some(_) => return format!("NVRTC could not be loaded: {}", unusable.join("; ")),
            None if unusable.is_empty() => vec!["NVRTC was not found".to_string()],
            None => vec!["no NVRTC that can be used was found".to_string()],
        };
        lines.extend(unusable);
        lines.push(format!("looked for by name: {}", self.names.join(", ")));
        lines.push("and in:".to_string());
        lines.extend(self.folders.iter().map(|folder| format!("  {folder}")));
        lines.join("\n  ")
    }
}

impl fmt::Display for NvrtcMissing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}", self.what(), Self::HELP)
    }
}

impl std::error::Error for NvrtcMissing {}
