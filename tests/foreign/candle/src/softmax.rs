//! Each row's exponentials, which add up to 1.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

/// A row is a block's, `LANES` threads wide. It is made for one warp, which the space does not say: verifying does.
#[bico::tunable(
    source = "../sources/candle/candle-kernels/src/reduce.cu",
    entry = "softmax_f32",
    args(x, y, columns),
    space(
        LANES in [32, 64, 96, 128],
        FMAD in ["true", "false"],
        FTZ in ["true", "false"],
        REGISTERS in [32, 64, 128, 255],
    ),
    flags = ["--fmad={FMAD}", "--ftz={FTZ}", "--maxrregcount={REGISTERS}"],
    launch(grid = rows, block = (1, LANES)),
    problem(columns = 1000, rows = 64),
    work(flops = 4 * rows * columns, bytes = 20 * rows * columns),
    verify(reference = "c/softmax.c"),
    budget(evaluations = 16, seconds = 300),
)]
pub fn softmax(
    stream: &Arc<CudaStream>,
    #[len(rows * columns)] x: &CudaSlice<f32>,
    #[len(rows * columns)] y: &mut CudaSlice<f32>,
    columns: i32,
    rows: u32,
) -> bico::Result<()>;
