//! A sparse matrix, by rows, times a vector.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

#[allow(clippy::too_many_arguments)]
#[bico::tunable(
    source = "../sources/kernel_tuner/examples/cuda/spmv.cu",
    entry = "spmv_kernel",
    args(y, first, column, value, x, rows),
    space(block_size_x in (32..=1024).step_by(32), threads_per_row in [1, 32], read_only in [0, 1]),
    launch(grid = rows.div_ceil(block_size_x / threads_per_row), block = block_size_x),
    problem(rows = 4096, columns = 2048, nonzeros = 50_000),
    work(flops = 2 * nonzeros, bytes = 12 * nonzeros + 8 * rows),
    inputs(file = "c/spmv.c", entry = "fill"),
    verify(reference = "c/spmv.c"),
    budget(evaluations = 12, seconds = 300),
)]
pub fn spmv(
    stream: &Arc<CudaStream>,
    #[len(rows)] y: &mut CudaSlice<f32>,
    #[len(rows + 1)] first: &CudaSlice<i32>,
    #[len(nonzeros)] column: &CudaSlice<i32>,
    #[len(nonzeros)] value: &CudaSlice<f32>,
    #[len(columns)] x: &CudaSlice<f32>,
    rows: i32,
    columns: i32,
    nonzeros: i32,
) -> bico::Result<()>;
