//! Softmax of rows on CUDA GPUs.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

/// y = softmax of each row of x, FP32, both rows x columns, dense and row-major; at most 2^31 columns. Bound by
/// memory.
///
/// Safe for numbers of any size and for -inf, which gives 0. A row of nothing but -inf, or with a NaN or +inf in it,
/// gives NaNs, as in PyTorch. The relative error of an element is about 1e-7 times 4 plus its distance from the
/// row's greatest.
///
/// Configs that keep a row on the chip between its passes are for rows that fit there; others, one of which every
/// program carries, take any. 2,000 to 3,600 configs on an A100, by the length of a row.
#[bico::tunable(
    source = "kernels/softmax.cu",
    entry = "softmax_kernel",
    template = [THREADS, ROW_THREADS, VEC, ITEMS, KEEP, STREAM],
    space(
        // The first config, which every program carries, takes rows of any length, and does well enough with most.
        THREADS in [256, 32, 64, 128, 512, 1024],
        ROWS in powers_of_two(1..=THREADS / 4),
        ROW_THREADS = THREADS / ROWS,
        VEC in [4, 2, 1],
        ITEMS in [4, 1, 2, 8, 16],
        KEEP in ["read_twice", "read_thrice", "in_shared", "in_registers"],
        STREAM in [0, 1],
    ),
    require(
        // What a thread holds stays in registers, of which it has 64 in a block of 1024.
        VEC * ITEMS <= if KEEP == "in_registers" { if THREADS <= 512 { 64 } else { 32 } } else { 16 },
        KEEP != "in_registers"
            || (if columns.is_multiple_of(VEC) { columns } else { columns + VEC - 1 }) <= ROW_THREADS * VEC * ITEMS,
        // Two floats per warp are static.
        4 * ROWS * (if KEEP == "in_shared" { (columns + VEC - 1).div_ceil(VEC) * VEC } else { 0 })
            <= device.shared_memory_per_block_optin - THREADS / 4,
        columns <= 2147483648,
        rows.div_ceil(ROWS) <= 2147483647,
    ),
    launch(
        grid = rows.div_ceil(ROWS),
        block = THREADS,
        shared = 4 * ROWS * (if KEEP == "in_shared" { (columns + VEC - 1).div_ceil(VEC) * VEC } else { 0 }),
    ),
    problem(rows = 262144, columns = 128),
    problem(rows = 65536, columns = 1024),
    // 512 MiB in all: more than any second-level cache has, and little enough to be verified in every trial.
    problem(rows = 2048, columns = 32768),
    // What part of the memory's bandwidth a config may reach: as many bytes per second as the loads under way
    // allow (Little's law, with 0.8 microseconds for one under load), less what it reads again and where threads or
    // multiprocessors idle.
    score = {
        let registers = (26 + VEC * ITEMS * if KEEP == "in_registers" { 1 } else { 1.5 }) * THREADS;
        let shared = 1024 + 4 * ROWS * if KEEP == "in_shared" { columns + VEC } else { 0 };
        let by_threads = (device.max_threads_per_multiprocessor / THREADS).min(32);
        let by_registers = device.registers_per_multiprocessor / registers;
        let by_shared = device.shared_memory_per_multiprocessor / shared;
        let fit = (by_threads.min(by_registers).min(by_shared) as i64).max(1);
        let blocks = rows.div_ceil(ROWS);
        let resident = fit.min(blocks / device.multiprocessors);
        let useful = (columns / (ROW_THREADS * VEC * ITEMS)).min(1);
        let flight = 4 * resident * THREADS * VEC * ITEMS * useful;
        let little = device.memory_bytes_per_second / device.multiprocessors * 8e-7;
        // Blocks go through loading, computing and storing; several at hand do so by turns.
        let overlap = fit / (fit + if ROW_THREADS <= 32 { 0.1 } else { 0.4 });
        // What a row's threads ask for at a time lies in one piece; half a sector of 32 bytes is wasted on it.
        let piece = 4 * VEC * ROW_THREADS;
        let coalesced = piece / (piece + 16);
        // Reading again is cheaper where the rows that are being worked on fit in the second-level cache.
        let active = 4 * columns * resident * ROWS * device.multiprocessors;
        let again = if active < device.l2_bytes / 2 { 0.25 } else { 0.8 };
        let traffic = 2 + match KEEP {
            "read_twice" => again,
            "read_thrice" => 2 * again,
            _ => 0,
        };
        // The last round of blocks may leave multiprocessors idle.
        let rounds = blocks / (device.multiprocessors * fit);
        let tail = rounds / (rounds as i64 + if rounds > rounds as i64 { 1 } else { 0 });
        // Instructions per element: accesses and their conditions, exponentials, shuffles and the rest of a thread.
        let accesses = match KEEP {
            "in_registers" => 2,
            "read_twice" => 3,
            _ => 4,
        };
        let exponentials = match KEEP {
            "read_twice" => 2,
            "read_thrice" => 2,
            _ => 1,
        };
        let rest = (50 + 8 * ROW_THREADS.min(32).ilog2()) * ROW_THREADS / columns / useful;
        let instructions = 3 + 4 * accesses / VEC + 8 * exponentials + rest;
        // Cycles that the memory gives a multiprocessor for an element.
        let cycles = 8 * device.clock_hz * device.multiprocessors / device.memory_bytes_per_second;
        let issue = instructions / 128 / cycles;
        // A multiprocessor takes a while from a block's end to the work of the next one.
        let turn = 600 / (fit * ROWS * columns) / cycles;
        let under_way = flight / (flight + little / 2);
        2 / traffic * under_way * overlap * coalesced * tail / ((1 + issue * issue).pow(0.5) + turn)
    },
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
