//! Sums of rows on CUDA GPUs.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

/// y = the sum of each row of x, FP32; x is rows x columns, dense and row-major, with at most 2^31 columns. Bound by memory.
///
/// The order of the additions is not specified; one config adds in the same order every time.
#[bico::tunable(
    source = "kernels/reduce.cu",
    entry = "reduce_kernel",
    template = [THREADS, ROW_THREADS, VEC, ITEMS, SPLIT, STREAM],
    space(
        // The first config, which every program carries, takes rows of any length, and does well enough with most.
        THREADS in [256, 64, 128, 512, 1024],
        ROWS in powers_of_two(1..=THREADS),
        ROW_THREADS = THREADS / ROWS,
        VEC in [4, 2, 1],
        ITEMS in [4, 1, 2, 8, 16],
        SPLIT in [1],
        STREAM in [0, 1],
    ),
    require(
        // What a thread holds stays in registers.
        VEC * ITEMS <= 32,
        SPLIT == 1 || ROWS == 1,
        // One thread's sum of too many elements would be too inexact.
        ROWS == 1 || columns <= 65536 * ROW_THREADS,
        columns <= 2147483648,
        SPLIT * rows.div_ceil(ROWS) <= 2147483647,
    ),
    launch(grid = SPLIT * rows.div_ceil(ROWS), block = THREADS),
    scratch(LOCKS: u32, len = if SPLIT == 1 { 1 } else { rows }),
    scratch(PARTIALS: f32, len = if SPLIT == 1 { 1 } else { rows * SPLIT }),
    problem(rows = 1048576, columns = 64),
    problem(rows = 16384, columns = 8192),
    problem(rows = 8, columns = 16777216),
    // Bytes per second that the loads under way allow: Little's law, with 0.8 microseconds for one under load. Those of
    // a block end at a barrier, with several blocks at hand others go on meanwhile.
    score = {
        let useful = (columns / (SPLIT * ROW_THREADS * VEC * ITEMS)).min(1);
        let registers = 24 + VEC * ITEMS;
        let blocks = SPLIT * rows.div_ceil(ROWS);
        let fit = ((device.max_threads_per_multiprocessor / THREADS).min(device.registers_per_multiprocessor / (registers * THREADS)).min(32) as i64).max(1);
        let resident = fit.min(blocks / device.multiprocessors);
        let flight = 4 * resident * THREADS * VEC * ITEMS * useful;
        let little = device.memory_bytes_per_second / device.multiprocessors * 8e-7;
        let overlap = fit / (fit + if ROW_THREADS <= 32 { 0.1 } else { 0.3 });
        // A lane's loads of a row lie in one piece with its neighbours': whole sectors of 32 bytes.
        let piece = 4 * VEC * ROW_THREADS;
        let coalesced = piece / (piece + 8);
        // The last round of blocks may leave multiprocessors idle.
        let rounds = blocks / (device.multiprocessors * fit);
        let tail = rounds / (rounds as i64 + if rounds > rounds as i64 { 1 } else { 0 });
        // Instructions: a load and its conditions per vector, an addition per element, shuffles per thread.
        let steps = columns / (SPLIT * ROW_THREADS);
        let instructions = 1 + 5 / VEC + (30 + 6 * ROW_THREADS.min(32).ilog2()) / steps;
        let cycles = 4 * device.clock_hz * device.multiprocessors / device.memory_bytes_per_second;
        let issue = instructions / 128 / cycles;
        // A multiprocessor takes a while from a block's end to the work of the next one.
        let turn = 600 / (fit * ROWS * columns / SPLIT) / cycles;
        (flight / (flight + little / 2)) * overlap * coalesced * tail / ((1 + issue * issue).pow(0.5) + turn)
    },
    work(flops = rows * columns, bytes = 4 * rows * columns + 4 * rows),
    verify(reference = "reduce_reference", rtol = 1e-4, launch(grid = rows, block = 32)),
)]
pub fn reduce(
    stream: &Arc<CudaStream>,
    #[len(rows)] y: &mut CudaSlice<f32>,
    #[len(rows * columns)] x: &CudaSlice<f32>,
    rows: u32,
    columns: u32,
) -> bico::Result<()>;
