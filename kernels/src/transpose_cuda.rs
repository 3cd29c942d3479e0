//! Matrix transpose on CUDA GPUs.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

/// out = transpose of input, FP32, dense and row-major: input is rows x cols, out cols x rows. Bound by memory: every
/// element moves once, through a tile in shared memory. Any sizes. 1992 configs on an A100.
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
        4 * TILE_COLUMNS * (TILE_ROWS + if LAYOUT == "padded" { VEC } else { 0 })
            <= device.shared_memory_per_block_optin,
    ),
    launch(
        grid = rows.div_ceil(TILE_ROWS) * cols.div_ceil(TILE_COLUMNS),
        block = THREADS,
        shared = 4 * TILE_COLUMNS * (TILE_ROWS + if LAYOUT == "padded" { VEC } else { 0 }),
    ),
    problem(rows = 8192, cols = 8192),
    problem(rows = 4096, cols = 16384),
    // What part of the memory's bandwidth a config may reach: as many bytes per second as the loads under way
    // allow (Little's law, with 0.8 microseconds for one under load), less what bank conflicts take.
    score = {
        let values = TILE_ROWS * TILE_COLUMNS / THREADS;
        let by_threads = (device.max_threads_per_multiprocessor / THREADS).min(32);
        let by_registers = device.registers_per_multiprocessor / ((28 + values) * THREADS);
        let by_shared = device.shared_memory_per_multiprocessor / (1024 + 4 * TILE_ROWS * TILE_COLUMNS);
        let fit = (by_threads.min(by_registers).min(by_shared) as i64).max(1);
        let tiles = rows.div_ceil(TILE_ROWS) * cols.div_ceil(TILE_COLUMNS);
        let resident = fit.min(tiles / device.multiprocessors);
        let flight = 4 * resident * THREADS * values;
        let little = device.memory_bytes_per_second / device.multiprocessors * 8e-7;
        // A block loads, waits for its slowest warp and stores; several at hand do so by turns.
        let overlap = fit / (fit + 0.4);
        // The longer the pieces of both matrices, the less often memory changes its page.
        let piece = 4 * TILE_ROWS.min(TILE_COLUMNS);
        let pages = piece / (piece + 16);
        // Cycles of a multiprocessor for an element: shared memory, 128 bytes in one; instructions; memory.
        let ways = if LAYOUT == "plain" { 32 / VEC } else { if LAYOUT == "padded" { VEC } else { 1 } };
        let banks = 4 * (ways + 1) / 128;
        let instructions = (4 + 12 / VEC + 40 / values) / 128;
        let cycles = 8 * device.clock_hz * device.multiprocessors / device.memory_bytes_per_second;
        let busy = (banks + instructions) / cycles;
        (flight / (flight + little / 2)) * overlap * pages / (1 + busy * busy).pow(0.5)
    },
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
