//! Sums of rows on CUDA GPUs.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

/// y = the sum of each row of x, FP32; x is rows x columns, dense and row-major, with at most 2^31 columns. Bound by
/// memory.
///
/// The order of the additions is not specified; one config adds in the same order every time. Up to 2,380 configs on
/// an A100, fewer for very long rows.
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
        SPLIT in powers_of_two(1..=if ROWS == 1 { 256 } else { 1 }),
        STREAM in [0, 1],
    ),
    require(
        // What a thread holds stays in registers.
        VEC * ITEMS <= 32,
        // One thread's sum of too many elements would be too inexact.
        ROWS == 1 || columns <= 65536 * ROW_THREADS,
        columns <= 2147483648,
        SPLIT * rows.div_ceil(ROWS) <= 2147483647,
    ),
    launch(grid = SPLIT * rows.div_ceil(ROWS), block = THREADS),
    scratch(LOCKS: u32, len = if SPLIT == 1 { 1 } else { rows }, zeroed),
    scratch(PARTIALS: f32, len = if SPLIT == 1 { 1 } else { rows * SPLIT }),
    problem(rows = 1048576, columns = 64),
    problem(rows = 16384, columns = 8192),
    problem(rows = 8, columns = 16777216),
    // What part of the memory's bandwidth a config may reach: as many bytes per second as the loads under way
    // allow (Little's law, with 0.8 microseconds for one under load), less where threads or multiprocessors idle.
    score = {
        let by_threads = (device.max_threads_per_multiprocessor / THREADS).min(32);
        let by_registers = device.registers_per_multiprocessor / ((24 + VEC * ITEMS) * THREADS);
        let fit = (by_threads.min(by_registers) as i64).max(1);
        let blocks = SPLIT * rows.div_ceil(ROWS);
        let resident = fit.min(blocks / device.multiprocessors);
        let useful = (columns / (SPLIT * ROW_THREADS * VEC * ITEMS)).min(1);
        let flight = 4 * resident * THREADS * VEC * ITEMS * useful;
        let little = device.memory_bytes_per_second / device.multiprocessors * 8e-7;
        // At a block's end its threads wait for each other; with several blocks at hand others go on meanwhile.
        let overlap = fit / (fit + if ROW_THREADS <= 32 { 0.1 } else { 0.3 });
        // What a row's threads ask for at a time lies in one piece; half a sector of 32 bytes is wasted on it.
        let piece = 4 * VEC * ROW_THREADS;
        let coalesced = piece / (piece + 16);
        // The last round of blocks may leave multiprocessors idle.
        let rounds = blocks / (device.multiprocessors * fit);
        let tail = rounds / (rounds as i64 + if rounds > rounds as i64 { 1 } else { 0 });
        // Instructions per element: a load and its conditions, an addition, shuffles and the rest of a thread.
        let rest = (30 + 6 * ROW_THREADS.min(32).ilog2()) * SPLIT * ROW_THREADS / columns;
        let instructions = 1 + 5 / VEC + rest;
        // Cycles that the memory gives a multiprocessor for an element.
        let cycles = 4 * device.clock_hz * device.multiprocessors / device.memory_bytes_per_second;
        let issue = instructions / 128 / cycles;
        // A multiprocessor takes a while from a block's end to the work of the next one.
        let turn = 600 / (fit * ROWS * columns / SPLIT) / cycles;
        let under_way = flight / (flight + little / 2);
        under_way * overlap * coalesced * tail / ((1 + issue * issue).pow(0.5) + turn)
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
