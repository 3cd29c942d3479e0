//! A matrix of 4 bits an element times a vector.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

/// `y = W x`; `w` has a half and 16 bytes for each 32 elements of a row. A warp takes two of these at once, whether there
/// are two or not.
#[bico::tunable(
    source = "../sources/candle/candle-kernels/src/quantized.cu",
    entry = "dequantize_mul_mat_vec_q4_0_cuda",
    args(w, x, y, columns, rows),
    space(
        ROWS in powers_of_two(1..=32),
        FMAD in ["true", "false"],
        FTZ in ["true", "false"],
        REGISTERS in [32, 48, 64],
    ),
    require(columns.is_multiple_of(64)),
    flags = ["--fmad={FMAD}", "--ftz={FTZ}", "--maxrregcount={REGISTERS}"],
    launch(grid = rows.div_ceil(ROWS), block = (32, ROWS)),
    problem(rows = 256, columns = 1024),
    work(flops = 2 * rows * columns, bytes = 18 * rows * columns / 32),
    inputs(file = "c/q4_0.c", entry = "fill"),
    verify(reference = "c/q4_0.c", entry = "multiply"),
    budget(evaluations = 12, seconds = 300),
)]
pub fn q4_0(
    stream: &Arc<CudaStream>,
    #[len(rows * columns / 32 * 18)]
    #[align(2)]
    w: &CudaSlice<u8>,
    #[len(columns)] x: &CudaSlice<f32>,
    #[len(rows)] y: &mut CudaSlice<f32>,
    rows: i32,
    columns: i32,
) -> bico::Result<()>;
