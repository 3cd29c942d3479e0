//! nvcc, where there is no NVRTC.

use super::job::{Compile, Found, Which};
use std::path::PathBuf;

/// Variables by which nvcc adds options of its own.
pub(super) const VARIABLES: [&str; 2] = ["NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"];

/// Where it may be, in order; a plain name is looked for in `PATH`.
pub(super) fn places() -> Vec<PathBuf> {
    let mut places = vec![PathBuf::from("nvcc")];
    for name in ["CUDA_PATH", "CUDA_HOME"] {
        places.extend(crate::env::get(name).map(|folder| PathBuf::from(folder).join("bin/nvcc")));
    }
    places.push("/usr/local/cuda/bin/nvcc".into());
    places
}

pub(super) fn find(_places: &[PathBuf]) -> Option<Found> {
    let _ = Which::Nvcc;
    None
}

pub(super) fn compile(_job: &Compile) -> Result<(Vec<u8>, String, String), String> {
    Err("error: nvcc".into())
}
