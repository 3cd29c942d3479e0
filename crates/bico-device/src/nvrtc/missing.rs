//! Why there is no NVRTC.

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
    pub const HELP: &'static str = "  = help: `pip install nvidia-cuda-nvrtc-cu12 nvidia-cuda-runtime-cu12` (a virtual environment must be active), or install the CUDA toolkit, or set BICO_NVRTC to the library";

    /// All that was looked for and found.
    pub fn what(&self) -> impl fmt::Display + '_ {
        What(self)
    }
}

impl fmt::Display for NvrtcMissing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}", self.what(), Self::HELP)
    }
}

struct What<'a>(&'a NvrtcMissing);

impl fmt::Display for What<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(missing) = self;
        match &missing.explicit {
            Some(path) if missing.unusable.is_empty() => write!(
                f,
                "NVRTC was not found: `{}` does not exist or holds none",
                path.display()
            )?,
            Some(_) => {
                let reasons = missing.unusable.iter();
                let reasons: Vec<String> = reasons
                    .map(|(path, reason)| format!("`{}`: {reason}", path.display()))
                    .collect();
                return write!(f, "NVRTC could not be loaded: {}", reasons.join("; "));
            }
            None if missing.unusable.is_empty() => f.write_str("NVRTC was not found")?,
            None => f.write_str("no NVRTC that can be used was found")?,
        }
        for (path, reason) in &missing.unusable {
            write!(f, "\n  `{}`: {reason}", path.display())?;
        }
        if missing.explicit.is_none() {
            write!(f, "\n  looked for by name: {}", missing.names.join(", "))?;
            f.write_str("\n  and in:")?;
            for folder in &missing.folders {
                write!(f, "\n    {folder}")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for NvrtcMissing {}
