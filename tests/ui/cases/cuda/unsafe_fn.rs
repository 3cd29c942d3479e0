//! An `unsafe fn` as the wrapper of a CUDA kernel; the stream has another name.

#![deny(warnings, missing_docs, clippy::all)]

use bico::cudarc::driver::{CudaContext, CudaSlice, CudaStream};

/// Fills `out`.
///
/// # Safety
///
/// `out` is nobody else's.
#[bico::tunable(
    source = "kernels/fill.cu",
    space(TILE in [32, 64]),
    launch(grid = n.div_ceil(TILE), block = TILE),
    problem(n = 64),
    score = TILE,
)]
pub unsafe fn filled(
    s: &std::sync::Arc<CudaStream>,
    #[len(n)] out: &mut CudaSlice<i32>,
    n: u32,
) -> bico::Result<()>;

/// Only compiled: there is no GPU where this runs.
pub fn calls() -> Result<(), Box<dyn std::error::Error>> {
    let stream = CudaContext::new(0)?.default_stream();
    let mut out = stream.alloc_zeros::<i32>(64)?;
    let choice = filled_warm_up(&stream, 64)?;
    // SAFETY: `out` is ours alone.
    unsafe {
        filled(&stream, &mut out, 64)?;
        filled_with(&choice.config, &stream, &mut out, 64)?;
    }
    Ok(())
}

fn main() {
    let answer = filled_tunable().config_of(&[64]);
    // Where there is a GPU, there is nothing that it could load.
    assert!(answer.is_err(), "{answer:?}");
}
