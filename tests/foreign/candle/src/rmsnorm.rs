//! Rows over the root of their mean square.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

/// A row is a block's. It is made for one warp or 32, which the space does not say: verifying does.
#[bico::tunable(
    source = "../sources/candle/candle-kernels/src/reduce.cu",
    entry = "rmsnorm_f32",
    args(x, y, weights, columns, BLOCK as i32, eps),
    space(
        BLOCK in powers_of_two(32..=1024),
        FMAD in ["true", "false"],
        FTZ in ["true", "false"],
        REGISTERS in [32, 48, 64],
    ),
    flags = ["--fmad={FMAD}", "--ftz={FTZ}", "--maxrregcount={REGISTERS}"],
    launch(grid = rows, block = BLOCK),
    problem(columns = 2048, eps = 1e-5, rows = 32),
    work(flops = 4 * rows * columns, bytes = 12 * rows * columns),
    verify(reference = "c/rmsnorm.c"),
    budget(evaluations = 12, seconds = 300),
)]
pub fn rmsnorm(
    stream: &Arc<CudaStream>,
    #[len(rows * columns)] x: &CudaSlice<f32>,
    #[len(rows * columns)] y: &mut CudaSlice<f32>,
    #[len(columns)] weights: &CudaSlice<f32>,
    columns: i32,
    eps: f32,
    rows: u32,
) -> bico::Result<()>;
