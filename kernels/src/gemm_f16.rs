//! Matrix products of 16-bit floats on tensor cores.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use half::{bf16, f16};
use std::sync::Arc;

/// C = A * B, all FP16 (`gemm_f16`) or BF16 (`gemm_bf16`), dense and row-major: C is m x n, A is m x k, B is k x n. Sums are FP32.
///
/// On tensor cores, from sm_75 on, of BF16 from sm_80 on. Any sizes; it is fast where n and k are multiples of 8 and the matrices
/// start at multiples of 16 bytes. Two variants: `ampere` by `mma.sync`, 4,176 configs on sm_80, 712 on sm_75; on Hopper
/// also `hopper`, by `wgmma`, for such sizes only.
///
/// The score is a model of a multiprocessor: what a step of a block takes of its tensor cores, of shared
/// memory and of the second-level cache, of which the longest counts most; what waits there are with few
/// warps and stages; whole rounds of blocks; and what blocks that run at the same time read of memory.
#[bico::tunable(
    family(T in [f16 = "__half", bf16 = "__nv_bfloat16"]),
    space(
        TILE_M in [16, 32, 64, 96, 128, 192, 256],
        TILE_N in [32, 64, 128, 192, 256],
        TILE_K in [32, 64, 128],
        STAGES in 2..=8,
        GROUP_M in [8, 4, 16, 1],
    ),
    variant(
        ampere,
        source = "kernels/gemm_f16.cu",
        entry = "gemm_16_kernel",
        template = [T, TILE_M, TILE_N, TILE_K, WARP_M, WARP_N, STAGES, GROUP_M, WIDE],
        space(
            WARP_M in [16, 32, 64, 96, 128],
            WARP_N in [32, 64, 128],
            WARPS = (TILE_M / WARP_M) * (TILE_N / WARP_N),
            REGISTERS = WARP_M * WARP_N / 32 + (WARP_M + WARP_N) / 2 + 40
                + (TILE_M + TILE_N) * TILE_K / (if device.compute_capability < 80 { 64 } else { 1024 } * WARPS.max(1)),
            WIDE in [true, false],
        ),
        require(
            // Before it there is neither `ldmatrix` nor the product.
            device.compute_capability >= if T == "__half" { 75 } else { 80 },
            TILE_N != 192 && TILE_K <= 64 && STAGES <= 5,
            TILE_M.is_multiple_of(WARP_M) && TILE_N.is_multiple_of(WARP_N),
            WARPS <= 16 && 32 * WARPS <= device.max_threads_per_block,
            // Each thread copies equally many chunks of 8 elements.
            (TILE_M * TILE_K).is_multiple_of(256 * WARPS) && (TILE_K * TILE_N).is_multiple_of(256 * WARPS),
            // Sums, two slices of A and B, addresses, and what is copied: before sm_80 through registers.
            REGISTERS <= 239 && 32 * REGISTERS * WARPS <= device.registers_per_block,
            STAGES == 2 || device.compute_capability >= 80,
            2 * STAGES * TILE_K * (TILE_M + TILE_N) <= device.shared_memory_per_block_optin,
        ),
        launch(
            grid = m.div_ceil(TILE_M) * n.div_ceil(TILE_N),
            block = 32 * WARPS,
            shared = 2 * STAGES * TILE_K * (TILE_M + TILE_N),
        ),
        // Operations per cycle, by what a step of a block takes of tensor cores, shared memory and second-level cache.
        score = {
            let shared = 2 * STAGES * TILE_K * (TILE_M + TILE_N);
            let down = m.div_ceil(TILE_M);
            let across = n.div_ceil(TILE_N);
            // Multiply-adds per cycle of a multiprocessor (NVIDIA's white papers). On sm_90 mma has about 0.6 of what
            // wgmma has (Luo et al., "Benchmarking and Dissecting the Nvidia Hopper GPU Architecture", 2024).
            let rate = match device.compute_capability { 80 | 87 => 1024, 90..=119 => 1228, _ => 512 };
            let room = (device.shared_memory_per_multiprocessor / (shared + 1024))
                .min(device.registers_per_multiprocessor / (32 * REGISTERS * WARPS))
                .min(device.max_threads_per_multiprocessor / (32 * WARPS));
            let each = down * across / device.multiprocessors;
            let rounds = 0.25 * each + 0.75 * each.div_ceil(1);
            let resident = (room as i64).max(1).min(each.div_ceil(1));
            let warps = resident * WARPS;
            let tensor = TILE_M * TILE_N * TILE_K / rate;
            let on_chip = 2 * TILE_K * (WARPS * (WARP_M + WARP_N) + TILE_M + TILE_N) / 128;
            // The second-level cache gives about 40 bytes per cycle to each (A100: 5120 to 108).
            let cache = 2 * TILE_K * (TILE_M + TILE_N) / 40;
            let busy = tensor.max(on_chip).max(cache) + 0.2 * (tensor + on_chip + cache);
            // Warps hide each other's waits, other blocks those at barriers. A copy takes about 700 cycles, and has
            // STAGES - 1 steps for it.
            let step = (busy * (1 + 1 / warps)).max(700 / (STAGES - 1) / resident) + 150 / (STAGES - 1).min(3) / resident;
            let stores = (if WIDE { 2 } else { 4 }) * TILE_M * TILE_N / 40;
            let blocks = rounds * (k.div_ceil(TILE_K) * step + 1500 / resident + stores);
            // Blocks that run at the same time share rows of A and columns of B.
            let running = (resident * device.multiprocessors).min(down * across);
            let columns = across.min((running / GROUP_M).max(1));
            let rows = down.min((running / columns).max(1));
            let once = 2 * (m * k + k * n);
            let again = 2 * k * down * across / running * (rows * TILE_M + columns * TILE_N);
            let bytes = if once <= device.l2_bytes { once } else { again.max(once) } + 2 * m * n;
            let memory = bytes / device.memory_bytes_per_second * device.clock_hz;
            2 * m * n * k / (blocks.max(memory) + 0.3 * blocks.min(memory))
        },
    ),
    variant(
        hopper,
        source = "kernels/gemm_hopper.cu",
        entry = "gemm_hopper_kernel",
        arch = "exact",
        template = [T, TILE_M, TILE_N, TILE_K, CONSUMERS, STAGES, GROUP_M, CLUSTER_M, CLUSTER_N, STAGED, SPLITS],
        space(
            CONSUMERS in [2, 1, 3],
            CLUSTER_M in [1, 2],
            CLUSTER_N in [1, 2],
            STAGED in [true, false],
            SPLITS in [1, 2, 4],
            SHARED = 2 * STAGES * TILE_K * (TILE_M + TILE_N) + if STAGED { 128 * TILE_M * (TILE_N / 64).min(2) } else { 0 } + 1024,
        ),
        require(
            // No GPU after it has `wgmma`.
            device.compute_capability == 90,
            // What tensor maps ask for.
            n.is_multiple_of(8) && k.is_multiple_of(8) && n > 0 && k > 0,
            TILE_M == 64 * CONSUMERS || TILE_M == 128 * CONSUMERS,
            TILE_N >= 64 && TILE_K >= 64,
            CLUSTER_M == 1 || CLUSTER_N == 1,
            // Sums of a thread, beside which about 40 registers are for all else: 168 of three warpgroups, 128 of four.
            TILE_M / CONSUMERS * TILE_N / 128 <= if CONSUMERS == 3 { 96 } else { 128 },
            SHARED <= device.shared_memory_per_block_optin,
            // Parts of k are for what has too few tiles, and each has a step.
            SPLITS == 1 || k.div_ceil(TILE_K) >= SPLITS && SPLITS * m.div_ceil(TILE_M * CLUSTER_M)
                * n.div_ceil(TILE_N * CLUSTER_N) * CLUSTER_M * CLUSTER_N <= 2 * device.multiprocessors,
        ),
        launch(
            grid = (SPLITS * m.div_ceil(TILE_M * CLUSTER_M) * n.div_ceil(TILE_N * CLUSTER_N))
                .min(device.multiprocessors / (CLUSTER_M * CLUSTER_N)) * (CLUSTER_M * CLUSTER_N),
            block = 128 * (CONSUMERS + 1),
            cluster = CLUSTER_M * CLUSTER_N,
            shared = SHARED,
        ),
        args(
            tensor_map(c, dims = (n, m), box = (64, TILE_M / CONSUMERS), swizzle = 128),
            tensor_map(a, dims = (k, m), box = (64, TILE_M / CLUSTER_N), swizzle = 128),
            tensor_map(b, dims = (n, k), box = (64, TILE_K / CLUSTER_M), swizzle = 128),
            c, m, n, k, PARTIALS, LOCKS,
        ),
        scratch(
            PARTIALS: f32,
            len = if SPLITS == 1 {
                1
            } else {
                SPLITS * m.div_ceil(TILE_M * CLUSTER_M) * TILE_M * CLUSTER_M
                    * n.div_ceil(TILE_N * CLUSTER_N) * TILE_N * CLUSTER_N
            }
        ),
        scratch(
            LOCKS: u32,
            len = if SPLITS == 1 {
                1
            } else {
                CONSUMERS * m.div_ceil(TILE_M * CLUSTER_M) * n.div_ceil(TILE_N * CLUSTER_N) * CLUSTER_M * CLUSTER_N
            },
            zeroed
        ),
        // Operations per cycle, as above.
        score = {
            let together = CLUSTER_M * CLUSTER_N;
            let down = m.div_ceil(TILE_M * CLUSTER_M) * CLUSTER_M;
            let across = n.div_ceil(TILE_N * CLUSTER_N) * CLUSTER_N;
            // Multiply-adds per cycle of a multiprocessor are 2048 (NVIDIA's white paper: 989 TFLOP/s at 1.83 GHz by 132), 1700 where
            // nothing else is waited for: the clock falls, on an H200 from 1.98 to 1.53 GHz. Warpgroups read all of B for each 64
            // rows, and their own rows of A, from shared memory, to which boxes are written too, 128 bytes in a cycle.
            let tensor = TILE_M * TILE_N * TILE_K / 1700;
            let on_chip = 2 * TILE_K * (2 * TILE_M + TILE_N + TILE_M / 64 * TILE_N) / 128;
            // The second-level cache gives at most 64 bytes per cycle to each.
            let cache = 2 * TILE_K * (TILE_M / CLUSTER_N + TILE_N / CLUSTER_M) / 64;
            let busy = tensor.max(on_chip).max(cache) + 0.05 * (tensor + on_chip + cache) / CONSUMERS;
            // A step's boxes take about 1500 cycles, and some for their bytes, and have STAGES - 1 steps for it.
            let step = busy.max((1500 + 2 * TILE_K * (TILE_M + TILE_N) / 48) / (STAGES - 1)) + 20 + 100 / (STAGES - 1);
            let stores = TILE_M * TILE_N * (if STAGED { 3 / 64 } else { 17 / 64 }) + 800;
            let rounds = (SPLITS * down * across / together).div_ceil((device.multiprocessors / together) as i64);
            // Sums of parts go through the second-level cache, there and, by the last one, back; it comes late by a fence.
            let parts = if SPLITS == 1 { 0 } else { (1 + SPLITS) * 4 * TILE_M * TILE_N / 32 + 2000 };
            let blocks = rounds * ((k.div_ceil(TILE_K) / SPLITS).div_ceil(1) * step + stores + parts) + 2000;
            // Blocks that run at the same time share rows of A and columns of B.
            let running = device.multiprocessors.min(down * across);
            let columns = across.min((running / (GROUP_M * CLUSTER_M)).max(1));
            let rows = down.min((running / columns).max(1));
            let once = 2 * (m * k + k * n);
            let again = 2 * k * down * across / running * (rows * TILE_M + columns * TILE_N);
            let bytes = if once <= device.l2_bytes { once } else { again.max(once) } + 2 * m * n;
            let memory = bytes / device.memory_bytes_per_second * device.clock_hz;
            2 * m * n * k / (blocks.max(memory) + 0.3 * blocks.min(memory))
        },
    ),
    problem(m = 4096, n = 4096, k = 4096),
    problem(m = 8192, n = 8192, k = 8192),
    problem(m = 64, n = 8192, k = 8192),
    problem(m = 1024, n = 12288, k = 4096),
    work(
        flops = 2 * m * n * k,
        bytes = 2 * (m * k * n.div_ceil(TILE_N) + k * n * m.div_ceil(TILE_M)) + 2 * m * n,
    ),
    verify(
        reference = "gemm_{T}_reference",
        rtol = 1e-2,
        launch(grid = (n.div_ceil(32), m.div_ceil(8)), block = (32, 8)),
    ),
    budget(evaluations = 40, seconds = 120),
)]
pub fn gemm<T>(
    stream: &Arc<CudaStream>,
    #[len(m * n)] c: &mut CudaSlice<T>,
    #[len(m * k)] a: &CudaSlice<T>,
    #[len(k * n)] b: &CudaSlice<T>,
    m: u32,
    n: u32,
    k: u32,
) -> bico::Result<()>;

/// C = A * B as [`gemm_f16`](super::gemm_f16), with C in FP32.
#[bico::tunable(
    source = "kernels/gemm_f16.cu",
    entry = "gemm_f16_f32_kernel",
    template = [TILE_M, TILE_N, TILE_K, WARP_M, WARP_N, STAGES, GROUP_M, WIDE],
    space(
        TILE_M in [16, 32, 64, 96, 128, 192, 256],
        TILE_N in [32, 64, 128, 256],
        WARP_M in [16, 32, 64, 96, 128],
        WARP_N in [32, 64, 128],
        TILE_K in [32, 64],
        WARPS = (TILE_M / WARP_M) * (TILE_N / WARP_N),
        REGISTERS = WARP_M * WARP_N / 32 + (WARP_M + WARP_N) / 2 + 40
            + (TILE_M + TILE_N) * TILE_K / (if device.compute_capability < 80 { 64 } else { 1024 } * WARPS.max(1)),
        STAGES in 2..=5,
        GROUP_M in [8, 4, 16, 1],
        WIDE in [true, false],
    ),
    require(
        // Before it there is neither `ldmatrix` nor the product.
        device.compute_capability >= 75,
        TILE_M.is_multiple_of(WARP_M) && TILE_N.is_multiple_of(WARP_N),
        WARPS <= 16 && 32 * WARPS <= device.max_threads_per_block,
        // Each thread copies equally many chunks of 8 elements.
        (TILE_M * TILE_K).is_multiple_of(256 * WARPS) && (TILE_K * TILE_N).is_multiple_of(256 * WARPS),
        // Sums, two slices of A and B, addresses, and what is copied: before sm_80 through registers.
        REGISTERS <= 239 && 32 * REGISTERS * WARPS <= device.registers_per_block,
        STAGES == 2 || device.compute_capability >= 80,
        2 * STAGES * TILE_K * (TILE_M + TILE_N) <= device.shared_memory_per_block_optin,
    ),
    launch(
        grid = m.div_ceil(TILE_M) * n.div_ceil(TILE_N),
        block = 32 * WARPS,
        shared = 2 * STAGES * TILE_K * (TILE_M + TILE_N),
    ),
    problem(m = 4096, n = 4096, k = 4096),
    problem(m = 8192, n = 8192, k = 8192),
    problem(m = 64, n = 8192, k = 8192),
    work(
        flops = 2 * m * n * k,
        bytes = 2 * (m * k * n.div_ceil(TILE_N) + k * n * m.div_ceil(TILE_M)) + 4 * m * n,
    ),
    // Operations per cycle, by what a step of a block takes of tensor cores, shared memory and second-level cache.
    score = {
        let shared = 2 * STAGES * TILE_K * (TILE_M + TILE_N);
        let down = m.div_ceil(TILE_M);
        let across = n.div_ceil(TILE_N);
        // Multiply-adds per cycle of a multiprocessor (NVIDIA's white papers). On sm_90 mma has about 0.6 of what
        // wgmma has (Luo et al., "Benchmarking and Dissecting the Nvidia Hopper GPU Architecture", 2024).
        let rate = match device.compute_capability { 80 | 87 => 1024, 90..=119 => 1228, _ => 512 };
        let room = (device.shared_memory_per_multiprocessor / (shared + 1024))
            .min(device.registers_per_multiprocessor / (32 * REGISTERS * WARPS))
            .min(device.max_threads_per_multiprocessor / (32 * WARPS));
        let each = down * across / device.multiprocessors;
        let rounds = 0.25 * each + 0.75 * each.div_ceil(1);
        let resident = (room as i64).max(1).min(each.div_ceil(1));
        let warps = resident * WARPS;
        let tensor = TILE_M * TILE_N * TILE_K / rate;
        let on_chip = 2 * TILE_K * (WARPS * (WARP_M + WARP_N) + TILE_M + TILE_N) / 128;
        // The second-level cache gives about 40 bytes per cycle to each (A100: 5120 to 108).
        let cache = 2 * TILE_K * (TILE_M + TILE_N) / 40;
        let busy = tensor.max(on_chip).max(cache) + 0.2 * (tensor + on_chip + cache);
        // Warps hide each other's waits, other blocks those at barriers. A copy takes about 700 cycles, and has
        // STAGES - 1 steps for it.
        let step = (busy * (1 + 1 / warps)).max(700 / (STAGES - 1) / resident) + 150 / (STAGES - 1).min(3) / resident;
        let stores = 4 * TILE_M * TILE_N / 40;
        let blocks = rounds * (k.div_ceil(TILE_K) * step + 1500 / resident + stores);
        // Blocks that run at the same time share rows of A and columns of B.
        let running = (resident * device.multiprocessors).min(down * across);
        let columns = across.min((running / GROUP_M).max(1));
        let rows = down.min((running / columns).max(1));
        let once = 2 * (m * k + k * n);
        let again = 2 * k * down * across / running * (rows * TILE_M + columns * TILE_N);
        let bytes = if once <= device.l2_bytes { once } else { again.max(once) } + 4 * m * n;
        let memory = bytes / device.memory_bytes_per_second * device.clock_hz;
        2 * m * n * k / (blocks.max(memory) + 0.3 * blocks.min(memory))
    },
    verify(
        reference = "gemm_f16_f32_reference",
        rtol = 1e-3,
        launch(grid = (n.div_ceil(32), m.div_ceil(8)), block = (32, 8)),
    ),
    budget(evaluations = 40, seconds = 120),
)]
pub fn gemm_f16_f32(
    stream: &Arc<CudaStream>,
    #[len(m * n)] c: &mut CudaSlice<f32>,
    #[len(m * k)] a: &CudaSlice<f16>,
    #[len(k * n)] b: &CudaSlice<f16>,
    m: u32,
    n: u32,
    k: u32,
) -> bico::Result<()>;
