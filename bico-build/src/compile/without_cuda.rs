//! Stands for CUDA in a build without it.

use super::cache::Object;
use super::shared::Shared;
use super::{CompileError, GpuTarget, GpuUnit, Unit};

/// There is none.
pub(super) struct Compiler {
    pub(super) version: String,
}

impl Compiler {
    pub(super) fn find(_shared: &Shared, _nvcc: bool) -> Result<Compiler, CompileError> {
        Err(missing())
    }

    pub(super) fn target(&self, capability: u16) -> GpuTarget {
        GpuTarget::Cubin(capability)
    }
}

pub(super) fn object(_: &Unit, _: &GpuUnit, _: &Shared) -> Result<Object, CompileError> {
    Err(missing())
}

fn missing() -> CompileError {
    CompileError::new(
        "this build cannot compile CUDA kernels\n  = help: add `features = [\"cuda\"]` to bico-build in Cargo.toml",
    )
}

/// Serves as compiling process and never returns, if this program was started as one: with the
/// feature `cuda`. Without it there are none.
pub fn run_if_compiler() {}
