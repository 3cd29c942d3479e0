//! The gated linear unit on the tensor cores of CUDA GPUs.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use half::f16;
use std::sync::Arc;

/// Cycles until a load from memory arrives, about, under load. Of the score.
const LATENCY: i64 = 800;
/// Bytes of a cycle that a multiprocessor gets from the second-level cache. Of the score.
const L2_BYTES: i64 = 64;

/// y = (x W) * act(x V) in FP16 with sums in FP32, all dense and row-major: x is m x k, W and V are k x n, y is
/// m x n.
///
/// Both products in one pass over x, on tensor cores, from compute capability 7.5 on; `act` is "sigmoid", "silu"
/// or "gelu" (the exact one, with the error function), computed in FP32 and rounded once. Any sizes up to 2^31 - 1
/// tiles; rows that are multiples of 16 bytes, of buffers that begin at such, are read fastest. 4,272 configs on an A100, 909 on an
/// RTX 2080 Ti; two variants: `ampere` by `mma.sync`, and on Hopper also `hopper`, by `wgmma`, where n and k are multiples of 8.
///
/// The score is the inverse of a time: the longest of what multiplying, shared memory and memory take.
#[allow(clippy::too_many_arguments)]
#[bico::tunable(
    space(
        BLOCK_M in [16, 32, 64, 128, 256, 192],
        BLOCK_N in powers_of_two(32..=256),
        GROUP_M in [1, 4, 16],
    ),
    variant(
        ampere,
        source = "kernels/glu_f16.cu",
        entry = "glu_f16_kernel",
        template = [BLOCK_M, BLOCK_N, BLOCK_K, WARP_M, WARP_N, SLICES, STAGES, RESIDENT, GROUP_M, THREADS],
        space(
            WARP_M in powers_of_two(16..=64),
            WARP_N in powers_of_two(16..=64),
            SLICES in [1, 2, 4],
            THREADS = 32 * SLICES * (BLOCK_M / WARP_M) * (BLOCK_N / WARP_N),
            BLOCK_K in powers_of_two(16..=128),
            STAGES in 2..=5,
            RESIDENT in [1, 2, 4],
            // Two sums for each element of a warp's tile, 32 of which are in one register, fragments of x, W and V,
            // addresses, and what belongs to each copy of a thread. Compilers spilled nothing of the configs up to 230.
            REGISTERS = WARP_M * WARP_N / 16 + WARP_M / 4 + WARP_N * 5 / 8 + 44 + 2 * (BLOCK_M + 2 * BLOCK_N) * BLOCK_K / (8 * THREADS.max(1)),
            SHARED = (2 * STAGES * BLOCK_K * (BLOCK_M + 2 * BLOCK_N)).max(2 * SLICES * BLOCK_M * BLOCK_N),
        ),
        require(
            device.compute_capability >= 75,
            BLOCK_M != 192 && BLOCK_M.is_multiple_of(WARP_M),
            BLOCK_N.is_multiple_of(WARP_N),
            WARP_M * WARP_N <= 2048,
            THREADS >= 64,
            THREADS <= device.max_threads_per_block,
            REGISTERS <= 230,
            // Some are left: compilers spill before the last one is taken.
            RESIDENT * THREADS * (REGISTERS + 26) <= device.registers_per_multiprocessor,
            // So few threads may have all registers that there are: the same code.
            RESIDENT == 1 || RESIDENT * THREADS > 256,
            BLOCK_K.is_multiple_of(16 * SLICES),
            // Copies that go on while threads compute came with 8.0; before it, more stages only take room.
            STAGES == 2 || device.compute_capability >= 80,
            SHARED <= device.shared_memory_per_block_optin,
        ),
        launch(
            grid = m.div_ceil(BLOCK_M) * n.div_ceil(BLOCK_N),
            block = THREADS,
            shared = SHARED,
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
            // Of a warp and 16 steps along k: multiply-adds of tensor cores, 512 or 1024 in a cycle, and 128 bytes of
            // shared memory in a cycle.
            let rate = if device.compute_capability == 80 || device.compute_capability >= 90 { 1024 } else { 512 };
            let multiply = 32.0 * WARP_M * WARP_N / rate;
            let load = (WARP_M + 2.0 * WARP_N) / 4.0;
            let piece = (multiply.max(load) + multiply.min(load) / 4.0) * BLOCK_K * THREADS / (512 * SLICES);
            let copy = 2 * BLOCK_K * (BLOCK_M + 2 * BLOCK_N) / L2_BYTES;
            let busy = most * pieces * piece.max(copy) * (1.0 + 1.0 / warps);
            let waiting = most.div_ceil(resident) * (pieces / (STAGES - 1) + 2.0) * LATENCY;
            // Bytes of memory: what runs at a time is `high` x `wide` blocks, if that does not fit the cache anyway.
            let running = (device.multiprocessors * resident).min(rows * columns);
            let high = (GROUP_M.min(rows) as f64).max(running / columns);
            let wide = (running / high).max(1.0);
            let once = 2.0 * (m * k + 2 * k * n + m * n);
            let again = 2.0 * rows * columns * k * (BLOCK_M / wide + 2.0 * BLOCK_N / high);
            let bytes = if once <= device.l2_bytes { once } else { once.max(again) };
            let compute = (busy.max(waiting) + busy.min(waiting) / 4.0) / device.clock_hz;
            let memory = bytes / device.memory_bytes_per_second;
            let seconds = compute.max(memory) + compute.min(memory) / 4.0;
            // A group higher than the grid is the same as a lower one: last.
            if GROUP_M > rows { 0.1 / seconds } else { 1.0 / seconds }
        },
    ),
    variant(
        hopper,
        source = "kernels/glu_hopper.cu",
        entry = "glu_hopper_kernel",
        arch = "exact",
        template = [BLOCK_M, BLOCK_N, BLOCK_K, CONSUMERS, STAGES, GROUP_M, CLUSTER_M, CLUSTER_N, STAGED],
        space(
            BLOCK_K in [64, 128],
            STAGES in 2..=8,
            CONSUMERS in [2, 1, 3],
            CLUSTER_M in [1, 2],
            CLUSTER_N in [1, 2],
            STAGED in [true, false],
            SHARED = 2 * STAGES * BLOCK_K * (BLOCK_M + 2 * BLOCK_N) + if STAGED { 128 * BLOCK_M * (BLOCK_N / 64).min(2) } else { 0 } + 1024,
        ),
        require(
            // No GPU after it has `wgmma`.
            device.compute_capability == 90,
            // What tensor maps ask for.
            n.is_multiple_of(8) && k.is_multiple_of(8) && n > 0 && k > 0,
            BLOCK_M == 64 * CONSUMERS || BLOCK_M == 128 * CONSUMERS,
            BLOCK_N >= 64,
            CLUSTER_M == 1 || CLUSTER_N == 1,
            // Sums of a thread, beside which about 40 registers are for all else: 168 of three warpgroups, 128 of four.
            BLOCK_M / CONSUMERS * BLOCK_N / 64 <= if CONSUMERS == 3 { 64 } else { 128 },
            SHARED <= device.shared_memory_per_block_optin,
        ),
        launch(
            grid = (m.div_ceil(BLOCK_M * CLUSTER_M) * n.div_ceil(BLOCK_N * CLUSTER_N))
                .min(device.multiprocessors / (CLUSTER_M * CLUSTER_N)) * (CLUSTER_M * CLUSTER_N),
            block = 128 * (CONSUMERS + 1),
            cluster = CLUSTER_M * CLUSTER_N,
            shared = SHARED,
        ),
        args(
            tensor_map(y, dims = (n, m), box = (64, BLOCK_M / CONSUMERS), swizzle = 128),
            tensor_map(x, dims = (k, m), box = (64, BLOCK_M / CLUSTER_N), swizzle = 128),
            tensor_map(w, dims = (n, k), box = (64, BLOCK_K / CLUSTER_M), swizzle = 128),
            tensor_map(v, dims = (n, k), box = (64, BLOCK_K / CLUSTER_M), swizzle = 128),
            y, m, n, k,
        ),
        // The same of one warpgroup that brings and others that multiply; see `gemm_f16`.
        score = {
            let together = CLUSTER_M * CLUSTER_N;
            let rows = m.div_ceil(BLOCK_M * CLUSTER_M) * CLUSTER_M;
            let columns = n.div_ceil(BLOCK_N * CLUSTER_N) * CLUSTER_N;
            let multiply = 2 * BLOCK_M * BLOCK_N * BLOCK_K / 1700;
            let load = 2 * BLOCK_K * (2 * BLOCK_M + 2 * BLOCK_N + BLOCK_M / 32 * BLOCK_N) / 128;
            let copy = 2 * BLOCK_K * (BLOCK_M / CLUSTER_N + 2 * BLOCK_N / CLUSTER_M) / 64;
            let busy = multiply.max(load).max(copy) + 0.05 * (multiply + load + copy) / CONSUMERS;
            let step = busy.max((1500 + 2 * BLOCK_K * (BLOCK_M + 2 * BLOCK_N) / 48) / (STAGES - 1)) + 20 + 100 / (STAGES - 1);
            let stores = BLOCK_M * BLOCK_N * (if STAGED { 3 / 64 } else { 17 / 64 }) + 800;
            let rounds = (rows * columns / together).div_ceil((device.multiprocessors / together) as i64);
            let blocks = (rounds * (k.div_ceil(BLOCK_K) * step + stores) + 2000) / device.clock_hz;
            // Bytes of memory, as above.
            let running = device.multiprocessors.min(rows * columns);
            let high = (GROUP_M * CLUSTER_M).min(rows).max(1) as f64;
            let wide = (running / high).max(1.0);
            let once = 2.0 * (m * k + 2 * k * n + m * n);
            let again = 2.0 * rows * columns * k * (BLOCK_M / wide + 2.0 * BLOCK_N / high);
            let bytes = if once <= device.l2_bytes { once } else { once.max(again) };
            let memory = bytes / device.memory_bytes_per_second;
            1.0 / (blocks.max(memory) + blocks.min(memory) / 4.0)
        },
    ),
    problem(m = 16, n = 11008, k = 4096, const ACT = "silu"),
    problem(m = 2048, n = 11008, k = 4096, const ACT = "silu"),
    problem(m = 512, n = 2048, k = 1024, const ACT = "gelu"),
    problem(m = 512, n = 2048, k = 1024, const ACT = "sigmoid"),
    work(
        flops = 4 * m * n * k,
        bytes = 2 * (m * k * n.div_ceil(BLOCK_N) + 2 * k * n * m.div_ceil(BLOCK_M) + m * n),
    ),
    verify(
        reference = "glu_f16_reference",
        rtol = 2e-3,
        launch(grid = (n.div_ceil(32), m.div_ceil(8)), block = (32, 8)),
    ),
    budget(evaluations = 100, seconds = 60),
)]
pub fn glu_f16(
    stream: &Arc<CudaStream>,
    act: &str,
    #[len(m * n)] y: &mut CudaSlice<f16>,
    #[len(m * k)] x: &CudaSlice<f16>,
    #[len(k * n)] w: &CudaSlice<f16>,
    #[len(k * n)]
    #[init(uniform(-0.25, 0.25))]
    v: &CudaSlice<f16>,
    m: u32,
    n: u32,
    k: u32,
) -> bico::Result<()>;
