//! The cheapest way down a wall: each block takes several rows of a strip that overlaps its neighbours'.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

/// `rows` rows of `wall` below `from`. A block of 256 is the kernel's own.
#[bico::tunable(
    source = "../sources/rodinia/cuda/pathfinder/pathfinder.cu",
    compiler = "nvcc",
    entry = "dynproc_kernel",
    args(rows, wall, from, to, columns, rows, 0 as i32, rows),
    space(REGISTERS in [16, 24, 32, 48, 64, 128]),
    require(rows >= 1, rows <= 100),
    flags = ["--maxrregcount={REGISTERS}"],
    launch(grid = columns.div_ceil(256 - 2 * rows), block = 256),
    problem(columns = 10_000, rows = 8),
    work(bytes = 4 * columns * (rows + 2)),
    verify(reference = "c/pathfinder.c"),
    budget(evaluations = 6, seconds = 300),
)]
pub fn pathfinder(
    stream: &Arc<CudaStream>,
    #[len(rows * columns)] wall: &CudaSlice<i32>,
    #[len(columns)] from: &CudaSlice<i32>,
    #[len(columns)] to: &mut CudaSlice<i32>,
    columns: i32,
    rows: i32,
) -> bico::Result<()>;
