//! In which order rows would be sorted.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

/// A row is a block's, in shared memory.
#[bico::tunable(
    source = "../sources/candle/candle-kernels/src/sort.cu",
    entry = "asort_asc_f32",
    args(x, order, columns, columns.next_power_of_two() as i32),
    space(BLOCK in powers_of_two(32..=1024), REGISTERS in [16, 24, 32, 48, 64, 128]),
    require(
        4 * columns.next_power_of_two() <= device.shared_memory_per_block,
        BLOCK * REGISTERS <= device.registers_per_block,
    ),
    flags = ["--maxrregcount={REGISTERS}"],
    launch(grid = rows, block = BLOCK, shared = 4 * columns.next_power_of_two()),
    problem(columns = 1000, rows = 32),
    work(bytes = 8 * rows * columns),
    verify(judge(file = "c/argsort.c", entry = "is_sorted")),
    budget(evaluations = 12, seconds = 300),
)]
pub fn argsort(
    stream: &Arc<CudaStream>,
    #[len(rows * columns)] x: &CudaSlice<f32>,
    #[len(rows * columns)] order: &mut CudaSlice<u32>,
    columns: i32,
    rows: u32,
) -> bico::Result<()>;
