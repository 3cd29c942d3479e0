//! A kernel for one schedule: text and launch.

use super::{Tiling, blocks, fit, reference, text};
use crate::nest::Nest;
use crate::{ContractionError, Signature};

/// A CUDA kernel for one schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    /// CUDA C++, complete but for the headers of CUDA itself.
    pub source: String,
    /// The kernel's name.
    pub entry: String,
    /// Blocks, all along x.
    pub grid: u64,
    /// Threads of a block, along x.
    pub block: u64,
    /// Bytes of dynamic shared memory.
    pub shared: u64,
    /// Blocks of 256 threads of the reference, if there is one.
    pub reference_grid: u64,
}

/// The kernel of a nest whose numbers are all known.
///
/// # Errors
///
/// What the tiling does not allow, or the signature lacks.
pub fn kernel(
    nest: &Nest,
    signature: &Signature,
    tiling: &Tiling,
) -> Result<Kernel, ContractionError> {
    tiling.check(nest)?;
    let fitted = fit::fit(nest, tiling.tile);
    let unknown = || {
        ContractionError::new(
            "a kernel for one schedule needs all sizes: use `cuda::source` for a text of all sizes",
        )
    };
    let grid = blocks::total(&fitted).ok_or_else(unknown)?;
    if grid > i32::MAX as u64 {
        return Err(ContractionError::new(format!(
            "{grid} blocks are more than a GPU launches: make the tiles larger, or some Par dimensions Seq"
        )));
    }
    Ok(Kernel {
        source: text(&fitted, signature, &tiling.constants(&fitted))?,
        entry: signature.entry.clone(),
        grid,
        block: tiling.threads(nest.input),
        shared: tiling.shared_bytes(nest),
        reference_grid: reference::elements(nest).ok_or_else(unknown)?.div_ceil(256),
    })
}
