//! Softmax of rows on CUDA GPUs.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

/// y = softmax of each row of x, FP32, both rows x columns, dense and row-major.
#[bico::tunable(
    source = "kernels/softmax.cu",
    entry = "softmax_kernel",
    template = [THREADS, ROW_THREADS, VEC, ITEMS, KEEP, STREAM],
    space(
        THREADS in powers_of_two(32..=1024),
        ROW_THREADS in powers_of_two(4..=THREADS),
        VEC in [1, 2, 4],
        ITEMS in powers_of_two(1..=16),
        KEEP in ["in_registers", "in_shared", "read_twice", "read_thrice"],
        STREAM in [0, 1],
    ),
    require(
        // What a thread holds stays in registers, of which it has 64 in a block of 1024.
        VEC * ITEMS <= if KEEP == "in_registers" { if THREADS <= 512 { 64 } else { 32 } } else { 16 },
        KEEP != "in_registers" || (if columns.is_multiple_of(VEC) { columns } else { columns + VEC - 1 }) <= ROW_THREADS * VEC * ITEMS,
        4 * THREADS / ROW_THREADS * (if KEEP == "in_shared" { (columns + VEC - 1).div_ceil(VEC) * VEC } else { 0 }) <= device.shared_memory_per_block_optin - THREADS / 4,
        columns <= 2147483648,
        rows.div_ceil(THREADS / ROW_THREADS) <= 2147483647,
    ),
    launch(
        grid = rows.div_ceil(THREADS / ROW_THREADS),
        block = THREADS,
        shared = 4 * THREADS / ROW_THREADS * (if KEEP == "in_shared" { (columns + VEC - 1).div_ceil(VEC) * VEC } else { 0 }),
    ),
    problem(rows = 32768, columns = 128),
    problem(rows = 65536, columns = 1024),
    problem(rows = 8192, columns = 32768),
    work(flops = 5 * rows * columns, bytes = 8 * rows * columns),
    verify(reference = "softmax_reference", rtol = 1e-5, launch(grid = rows, block = 32)),
)]
pub fn softmax(
    stream: &Arc<CudaStream>,
    #[len(rows * columns)] y: &mut CudaSlice<f32>,
    #[len(rows * columns)] x: &CudaSlice<f32>,
    rows: u32,
    columns: u32,
) -> bico::Result<()>;
