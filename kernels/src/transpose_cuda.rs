//! Matrix transpose on CUDA GPUs.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

/// out = transpose of input, FP32, dense and row-major: input is rows x cols, out cols x rows. Bound by memory: every
/// element moves once, through a tile in shared memory.
#[bico::tunable(
    source = "kernels/transpose.cu",
    entry = "transpose_kernel",
    template = [TILE_ROWS, TILE_COLUMNS, VEC, THREADS, LAYOUT, ORDER, STREAM],
    space(
        TILE_ROWS in [32, 64, 128],
        TILE_COLUMNS in [32, 64, 128],
        VEC in [1, 2, 4],
        THREADS in powers_of_two(64..=1024),
        LAYOUT in ["plain", "padded", "swizzled"],
        ORDER in ["along_rows", "along_columns", "diagonal", "banded"],
        STREAM in [0, 1],
    ),
    require(
        (TILE_ROWS * TILE_COLUMNS).is_multiple_of(VEC * VEC * THREADS),
        THREADS * VEC >= TILE_ROWS.max(TILE_COLUMNS),
        // What a thread holds stays in registers.
        TILE_ROWS * TILE_COLUMNS <= 32 * THREADS,
        4 * TILE_COLUMNS * (TILE_ROWS + if LAYOUT == "padded" { VEC } else { 0 }) <= device.shared_memory_per_block_optin,
    ),
    launch(
        grid = rows.div_ceil(TILE_ROWS) * cols.div_ceil(TILE_COLUMNS),
        block = THREADS,
        shared = 4 * TILE_COLUMNS * (TILE_ROWS + if LAYOUT == "padded" { VEC } else { 0 }),
    ),
    problem(rows = 8192, cols = 8192),
    problem(rows = 4096, cols = 16384),
    work(bytes = 8 * rows * cols),
    verify(
        reference = "transpose_reference",
        rtol = 0,
        launch(grid = (rows * cols).div_ceil(256), block = 256),
    ),
)]
pub fn transpose_cuda(
    stream: &Arc<CudaStream>,
    #[len(cols * rows)] out: &mut CudaSlice<f32>,
    #[len(rows * cols)] input: &CudaSlice<f32>,
    rows: u32,
    cols: u32,
) -> bico::Result<()>;
