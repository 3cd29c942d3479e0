//! The gated linear unit on CUDA GPUs.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

/// Cycles until a load from memory arrives, about, under load. Of the score.
const LATENCY: i64 = 800;
/// Bytes of a cycle that a multiprocessor gets from the second-level cache. Of the score.
const L2_BYTES: i64 = 64;

/// y = (x W) * act(x V) in FP32, all dense and row-major: x is m x k, W and V are k x n, y is m x n.
///
/// Both products in one pass over x, on CUDA cores; `act` is "sigmoid", "silu" or "gelu" (the exact one, with
/// the error function). Any sizes up to 2^31 - 1 tiles; rows that are multiples of 16 bytes, of buffers that
/// begin at such, are read fastest. 5,856 configs on an A100, 6,096 on an H100.
///
/// The score is the inverse of a time: the longest of what multiplying, shared memory and memory take.
#[allow(clippy::too_many_arguments)]
#[bico::tunable(
    source = "kernels/glu.cu",
    entry = "glu_kernel",
    template = [BLOCK_M, BLOCK_N, BLOCK_K, THREAD_M, THREAD_N, LANES_N, SLICES, STAGES, RESIDENT, GROUP_M, THREADS],
    space(
        BLOCK_M in powers_of_two(16..=128),
        BLOCK_N in powers_of_two(32..=128),
        THREAD_M in powers_of_two(2..=16),
        THREAD_N in [4, 8],
        LANES_N in [8, 16],
        SLICES in [1, 2, 4],
        THREADS = SLICES * BLOCK_M * BLOCK_N / (THREAD_M * THREAD_N),
        BLOCK_K in powers_of_two(8..=64),
        STAGES in 2..=4,
        RESIDENT in [1, 2, 4],
        GROUP_M in [1, 4, 16],
        // Two sums for each element of a thread's tile, elements of x, W and V, addresses, and what belongs to each copy.
        REGISTERS = 2 * THREAD_M * THREAD_N + 4 * THREAD_M + 2 * THREAD_N + 40
            + 2 * (BLOCK_M + 2 * BLOCK_N) * BLOCK_K / (4 * THREADS.max(1)),
        SHARED = (4 * STAGES * (BLOCK_M * (BLOCK_K + 4) + 2 * BLOCK_K * BLOCK_N)).max(2 * SLICES * BLOCK_M * BLOCK_N),
    ),
    require(
        BLOCK_M.is_multiple_of(32 / LANES_N * THREAD_M),
        BLOCK_N.is_multiple_of(LANES_N * THREAD_N),
        THREAD_M * THREAD_N <= 64,
        THREADS >= 64,
        THREADS <= device.max_threads_per_block,
        // Some are left: compilers spill before the last one is taken.
        RESIDENT * THREADS * (REGISTERS + 26) <= device.registers_per_multiprocessor,
        // So few threads may have all registers that there are: the same code.
        RESIDENT == 1 || RESIDENT * THREADS > 256,
        BLOCK_K.is_multiple_of(4 * SLICES),
        // Copies that go on while threads compute came with 8.0; before it, more stages only take room.
        STAGES == 2 || device.compute_capability >= 80,
        SHARED <= device.shared_memory_per_block_optin,
    ),
    launch(
        grid = m.div_ceil(BLOCK_M) * n.div_ceil(BLOCK_N),
        block = THREADS,
        shared = SHARED,
    ),
    problem(m = 16, n = 11008, k = 4096, const ACT = "silu"),
    problem(m = 2048, n = 11008, k = 4096, const ACT = "silu"),
    problem(m = 512, n = 2048, k = 1024, const ACT = "gelu"),
    problem(m = 512, n = 2048, k = 1024, const ACT = "sigmoid"),
    work(
        flops = 4 * m * n * k,
        bytes = 4 * (m * k * n.div_ceil(BLOCK_N) + 2 * k * n * m.div_ceil(BLOCK_M) + m * n),
    ),
    score = {
        // Of a block: registers of a thread, which the compiler takes more of where it may, and shared memory.
        let registers = REGISTERS * if RESIDENT == 1 { 1.25 } else { 1.0 };
        let shared = SHARED + 1024;
        let resident = ((device.shared_memory_per_multiprocessor / shared) as i64)
            .min((device.registers_per_multiprocessor / (THREADS * registers.min(255.0))) as i64)
            .min((device.max_threads_per_multiprocessor / THREADS) as i64)
            .max(1);
        // What the busiest multiprocessor has to do, in cycles: work, of which few warps leave some undone, and waiting.
        let rows = m.div_ceil(BLOCK_M);
        let columns = n.div_ceil(BLOCK_N);
        let pieces = k.div_ceil(BLOCK_K);
        let most = (rows * columns).div_ceil(device.multiprocessors);
        let warps = most.min(resident) * THREADS / 32;
        // Of a warp and a step along k: multiply-adds on 64 or 128 lanes, and loads of 16 bytes by 32 lanes, in two
        // cycles each. They overlap, but not all of them.
        let lanes = if device.compute_capability <= 80 { 64 } else { 128 };
        let multiply = 64.0 * THREAD_M * THREAD_N / lanes;
        let load = THREAD_M / 2.0 + THREAD_N;
        let piece = (multiply.max(load) + 0.4 * multiply.min(load)) * BLOCK_K * THREADS / (32 * SLICES);
        let copy = 4 * BLOCK_K * (BLOCK_M + 2 * BLOCK_N) / L2_BYTES;
        let busy = most * pieces * piece.max(copy) * (1.0 + (0.5 + 16.0 / (THREAD_M * THREAD_N)) / warps);
        let waiting = most.div_ceil(resident) * (pieces / (STAGES - 1) + 2.0) * LATENCY;
        // Bytes of memory: what runs at a time is `high` x `wide` blocks, if that does not fit the cache anyway.
        let running = (device.multiprocessors * resident).min(rows * columns);
        let high = (GROUP_M.min(rows) as f64).max(running / columns);
        let wide = (running / high).max(1.0);
        let once = 4.0 * (m * k + 2 * k * n + m * n);
        let again = 4.0 * rows * columns * k * (BLOCK_M / wide + 2.0 * BLOCK_N / high);
        let bytes = if once <= device.l2_bytes { once } else { once.max(again) };
        let compute = (busy.max(waiting) + busy.min(waiting) / 4.0) / device.clock_hz;
        let memory = bytes / device.memory_bytes_per_second;
        let seconds = compute.max(memory) + compute.min(memory) / 4.0;
        // A group higher than the grid is the same as a lower one: last.
        if GROUP_M > rows { 0.1 / seconds } else { 1.0 / seconds }
    },
    verify(
        reference = "glu_reference",
        rtol = 1e-3,
        launch(grid = (n.div_ceil(32), m.div_ceil(8)), block = (32, 8)),
    ),
    budget(evaluations = 100, seconds = 60),
)]
pub fn glu(
    stream: &Arc<CudaStream>,
    act: &str,
    #[len(m * n)] y: &mut CudaSlice<f32>,
    #[len(m * k)] x: &CudaSlice<f32>,
    #[len(k * n)] w: &CudaSlice<f32>,
    #[len(k * n)]
    #[init(uniform(-0.25, 0.25))]
    v: &CudaSlice<f32>,
    m: u32,
    n: u32,
    k: u32,
) -> bico::Result<()>;
