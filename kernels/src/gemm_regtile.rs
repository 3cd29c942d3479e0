//! Matrix product with tiles in registers, on CUDA GPUs.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

/// C = A * B in FP32, all dense and row-major: C is m x n, A is m x k, B is k x n.
///
/// No TF32: products and sums are those of single precision. Any sizes, as long as `32 * k` and `8 * n` stay
/// below 2^32. Where n is no multiple of 4, or a buffer's address none of 16 bytes, it is slower. Sums are
/// the same at every call of a config, with split-K, too. 9,920 configs are valid on an A100, 3,456 on sm_75,
/// which has no asynchronous copies.
///
/// The score is the FLOP/s of a simple model, from the resources that a block takes: issue slots, shared
/// memory, latency that other warps and stages hide, whole rounds of blocks, and the traffic of the tiles
/// through the second-level cache.
#[bico::tunable(
    source = "kernels/gemm_regtile.cu",
    entry = "gemm_regtile_kernel",
    template = [
        BLOCK_M, BLOCK_N, BLOCK_K, WARP_M, WARP_N, THREAD_M, THREAD_N, ASYNC, STAGES, FRAGMENTS, GROUP_M, SPLIT_K,
        THREADS, RESIDENT,
    ],
    space(
        THREAD_M in [4, 8, 16],
        THREAD_N in [4, 8, 16],
        WARP_M in [4 * THREAD_M, 8 * THREAD_M],
        WARP_N = 32 * THREAD_M * THREAD_N / WARP_M,
        BLOCK_M in powers_of_two(32..=256),
        BLOCK_N in powers_of_two(32..=256),
        THREADS = BLOCK_M * BLOCK_N / (THREAD_M * THREAD_N),
        BLOCK_K in [8, 16, 32],
        ASYNC in [0, 1],
        STAGES in if ASYNC == 1 { 2..=4 } else { 1..=2 },
        FRAGMENTS in [1, 2],
        RESIDENT in 1..=4,
        GROUP_M in [1, 8],
        SPLIT_K in [1, 2, 4, 8],
    ),
    require(
        THREAD_M * THREAD_N <= 128,
        THREAD_M <= 2 * THREAD_N,
        THREAD_N <= 2 * THREAD_M,
        WARP_M <= BLOCK_M,
        WARP_N <= BLOCK_N,
        THREADS >= 64,
        THREADS <= 512,
        // Near squares read least of A and B.
        WARP_M <= 2 * WARP_N,
        WARP_N <= 2 * WARP_M,
        // Every thread copies something, and the code of a step fits the instruction cache.
        BLOCK_N <= 4 * THREADS,
        4 * THREADS <= BLOCK_K * BLOCK_N,
        if ASYNC == 1 { THREADS } else { 4 * THREADS } <= BLOCK_K * BLOCK_M,
        THREAD_M * THREAD_N * BLOCK_K <= 2048,
        ASYNC == 0 || device.compute_capability >= 80,
        4 * STAGES * BLOCK_K * (BLOCK_M + 4 + BLOCK_N) <= device.shared_memory_per_block_optin,
        // Registers must suffice for sums, fragments (the compiler reads ahead in any case, with FRAGMENTS = 1
        // even further), copies and addresses. RESIDENT is a limit that matters.
        {
            let of_a = BLOCK_K * BLOCK_M / if ASYNC == 1 { THREADS } else { 4 * THREADS };
            let of_b = BLOCK_K * BLOCK_N / (4 * THREADS);
            let copied = if ASYNC == 1 { of_a + of_b } else { 5 * (of_a + of_b) + 16 - 8 * FRAGMENTS };
            let needed = THREAD_M * THREAD_N + 2 * (THREAD_M + THREAD_N) + copied + 20;
            let bytes = 4 * STAGES * BLOCK_K * (BLOCK_M + 4 + BLOCK_N);
            of_a + of_b <= (if ASYNC == 1 { 16 } else { 8 })
                && needed <= (device.registers_per_block / (RESIDENT * THREADS) / 8 * 8).min(255)
                && (RESIDENT == 1
                    || THREAD_M * THREAD_N >= 64
                        && RESIDENT * THREADS * (needed + 30) > device.registers_per_block
                        && RESIDENT * THREADS <= device.max_threads_per_multiprocessor
                        && RESIDENT * (bytes + 1024) <= device.shared_memory_per_multiprocessor)
        },
        // Partial sums of a GiB, about: of whole tiles, which are much more than C where m or n is small.
        SPLIT_K == 1
            || SPLIT_K * m.div_ceil(BLOCK_M) * BLOCK_M * n.div_ceil(BLOCK_N) * BLOCK_N <= 268435456,
        BLOCK_M * k <= 4294967295,
        BLOCK_K * n <= 4294967295,
        m.div_ceil(BLOCK_M) * n.div_ceil(BLOCK_N) * SPLIT_K <= 2147483647,
    ),
    launch(
        grid = m.div_ceil(BLOCK_M) * n.div_ceil(BLOCK_N) * SPLIT_K,
        block = THREADS,
        shared = 4 * STAGES * BLOCK_K * (BLOCK_M + 4 + BLOCK_N),
    ),
    problem(m = 4096, n = 4096, k = 4096),
    problem(m = 8192, n = 8192, k = 8192),
    problem(m = 128, n = 4096, k = 16384),
    work(flops = 2 * m * n * k, bytes = 4 * (m * k * n.div_ceil(BLOCK_N) + k * n * m.div_ceil(BLOCK_M) + m * n)),
    score = {
        let lanes = if device.compute_capability == 75 || device.compute_capability == 80 { 64 } else { 128 };
        let warps = THREADS / 32;
        let tiles_m = m.div_ceil(BLOCK_M);
        let tiles_n = n.div_ceil(BLOCK_N);
        // Instructions of a thread that copy, per step.
        let copies =
            BLOCK_K * if ASYNC == 1 { BLOCK_M + BLOCK_N / 4 } else { BLOCK_M * 5 / 4 + BLOCK_N / 2 } / THREADS;
        // Cycles of a multiprocessor for one k: to issue, to multiply, to read and write shared memory.
        let issue =
            warps * (THREAD_M * THREAD_N + (THREAD_M + THREAD_N) / 4 + (3 * copies + 30) / BLOCK_K) / 4;
        let multiply = BLOCK_M * BLOCK_N / lanes;
        let shared = warps * (THREAD_M + THREAD_N) / 2 + (BLOCK_M + BLOCK_N) / 32;
        let cycles = issue.max(multiply).max(shared) + shared / 4;
        // Blocks on a multiprocessor.
        let needed = THREAD_M * THREAD_N + FRAGMENTS * (THREAD_M + THREAD_N) + copies;
        let registers = (needed + 50).min(device.registers_per_block / (RESIDENT * THREADS)).min(255);
        let resident = ((device.registers_per_multiprocessor / (registers * THREADS)) as i64)
            .min(
                (device.shared_memory_per_multiprocessor
                    / (4 * STAGES * BLOCK_K * (BLOCK_M + 4 + BLOCK_N) + 1024)) as i64,
            )
            .min((device.max_threads_per_multiprocessor / THREADS) as i64)
            .max(1);
        let each = (tiles_m * tiles_n * SPLIT_K).div_ceil(device.multiprocessors);
        let running = resident.min(each);
        // Independent products hide the latencies of arithmetic and of shared memory.
        let parallel = running * warps * (THREAD_M * THREAD_N).min(64) / 64;
        // Code beyond the instruction cache nearest to the cores comes late.
        let code = 1 + THREAD_M * THREAD_N * BLOCK_K / 65536;
        let step = BLOCK_K * cycles * running * code * (1 + (1 - FRAGMENTS / 8) / parallel);
        // Copies are waited for where the steps ahead take no longer than memory does. At a barrier another
        // block has work, if there is one.
        let late = 800 / if ASYNC == 1 { STAGES - 1 } else { 1 };
        let barrier = if STAGES == 1 { 300 } else { 100 } / running + if running < 2 { step / 25 } else { 0 };
        let waits = late * late / (8 * step) + barrier;
        let steps = k.div_ceil(SPLIT_K).div_ceil(BLOCK_K);
        let compute = each / running * (steps * (step + waits) + 2500 / running) / device.clock_hz;
        // Blocks that run at the same time share rows and columns of tiles.
        let together = (resident * device.multiprocessors).min(tiles_m * tiles_n);
        let rows = if GROUP_M == 1 { together / tiles_n.min(together) } else { tiles_m.min(GROUP_M) };
        let columns = together / rows;
        let fetched = tiles_m * tiles_n / together * k * (rows * BLOCK_M + columns * BLOCK_N);
        let cached = k * (m * tiles_n + n * tiles_m) / 4;
        let memory = 4 * (fetched.max(m * k + k * n) + cached + m * n) / device.memory_bytes_per_second;
        let sums = if SPLIT_K == 1 { 0 } else { 0.000004 + 8 * SPLIT_K * m * n / device.memory_bytes_per_second };
        2 * m * n * k / (compute.max(memory) + compute.min(memory) / 5 + sums)
    },
    scratch(
        PARTIALS: f32,
        len = if SPLIT_K == 1 {
            1
        } else {
            SPLIT_K * m.div_ceil(BLOCK_M) * BLOCK_M * n.div_ceil(BLOCK_N) * BLOCK_N
        }
    ),
    scratch(LOCKS: u32, len = if SPLIT_K == 1 { 1 } else { m.div_ceil(BLOCK_M) * n.div_ceil(BLOCK_N) }, zeroed),
    verify(
        reference = "gemm_regtile_reference",
        rtol = 2e-4,
        launch(grid = (n.div_ceil(32), m.div_ceil(8)), block = (32, 8)),
    ),
    budget(evaluations = 60, seconds = 120),
)]
pub fn gemm_regtile(
    stream: &Arc<CudaStream>,
    #[len(m * n)] c: &mut CudaSlice<f32>,
    #[len(m * k)] a: &CudaSlice<f32>,
    #[len(k * n)] b: &CudaSlice<f32>,
    m: u32,
    n: u32,
    k: u32,
) -> bico::Result<()>;
