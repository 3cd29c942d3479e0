//! Attention on the tensor cores of CUDA GPUs.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use half::{bf16, f16};
use std::sync::Arc;

/// O = softmax(scale Q K^T) V for each head, FP16 (`attention_f16`) or BF16 (`attention_bf16`, from sm_80 on), sums FP32, all dense: Q and O are
/// heads x m x head, K and V are kv_heads x n x head; `scale` is positive, mostly 1 / sqrt(head).
///
/// `head`, the size of a head, is 64 or 128. With `causal` a row sees the columns up to its own position, of which the last row's is
/// the last column; a row that sees nothing is 0. What a row does not see
/// has weight 0 there, so that infinities and NaNs in V reach it all the same. Heads share K and V in equal groups of neighbours: `heads` is a multiple of
/// `kv_heads` (of several sequences, so many times both). Buffers begin at multiples of 16 bytes. From sm_75 on; two variants: `ampere` by `mma.sync`, and on
/// Hopper also `hopper`, by `wgmma`.
///
/// The score is the inverse of a time: of a block's steps what products, exponentials and shared memory take, of which the
/// longest counts most, what waits there are, and whole rounds of blocks.
#[allow(clippy::too_many_arguments)]
#[bico::tunable(
    family(T in [f16 = "__half", bf16 = "__nv_bfloat16"]),
    space(
        BLOCK_N in [64, 128, 96, 32, 48, 80, 112, 160, 192],
        STAGES in [2, 1, 3, 4],
        BY_HEAD in [false, true],
    ),
    // Equal groups of heads.
    require(heads.is_multiple_of(kv_heads)),
    variant(
        ampere,
        source = "kernels/attention.cu",
        entry = "attention_kernel",
        template = [T, BLOCK_N, WARPS, ROWS, STAGES, HELD, BY_HEAD],
        space(
            WARPS in [4, 8, 2, 6],
            ROWS in [1, 2],
            HELD in [true, false],
            BLOCK_M = 16 * ROWS * WARPS,
            SHARED = 2 * HEAD * (BLOCK_M + 2 * STAGES * BLOCK_N),
            // Scores, results, their operands, and Q where it is held.
            REGISTERS = ROWS * (BLOCK_N / 2 + HEAD / 2 + 8 + if HELD { HEAD / 4 } else { 0 }) + 40,
        ),
        require(
            device.compute_capability >= if T == "__half" { 75 } else { 80 },
            // Copies that go on while threads compute came with 8.0.
            STAGES == 1 || device.compute_capability >= 80,
            BLOCK_N <= 128 && STAGES <= 3,
            REGISTERS <= 212 && 32 * WARPS * REGISTERS <= device.registers_per_block,
            SHARED <= device.shared_memory_per_block_optin,
        ),
        launch(grid = m.div_ceil(BLOCK_M) * heads, block = 32 * WARPS, shared = SHARED),
        score = {
            let seen = if CAUSAL { (n - m / 2).max(1) } else { n };
            let steps = seen.div_ceil(BLOCK_N);
            // Multiply-adds and exponentials of a multiprocessor in a cycle (NVIDIA's white papers, CUDA C++ Programming Guide).
            let rate = match device.compute_capability { 80 | 87 => 1024, 90..=119 => 1228, _ => 512 };
            let multiply = 2 * BLOCK_M * BLOCK_N * HEAD / rate;
            let special = BLOCK_M * BLOCK_N / 16;
            let warps = WARPS as f64;
            let on_chip = 2 * HEAD * WARPS * (2 * BLOCK_N + if HELD { 0 } else { 16 * ROWS }) / 128;
            let cache = 4 * HEAD * BLOCK_N / 40;
            let room = (device.shared_memory_per_multiprocessor / (SHARED + 1024))
                .min(device.registers_per_multiprocessor / (32 * WARPS * REGISTERS));
            let each = m.div_ceil(BLOCK_M) * heads / device.multiprocessors;
            let resident = (room as i64).max(1).min(each.div_ceil(1));
            let busy = multiply.max(special).max(on_chip).max(cache) + 0.3 * (multiply + special + on_chip + cache);
            let step = (busy * (1 + 1 / (warps * resident))).max(900 / STAGES / resident) + 200 / resident;
            let rounds = 0.25 * each + 0.75 * each.div_ceil(1);
            1e9 / (rounds * (steps * step + 2000 / resident))
        },
    ),
    variant(
        hopper,
        source = "kernels/attention_hopper.cu",
        entry = "attention_hopper_kernel",
        arch = "exact",
        template = [T, BLOCK_N, CONSUMERS, STAGES, AHEAD, BY_HEAD],
        space(
            CONSUMERS in [2, 1, 3],
            AHEAD in [true, false],
            SHARED = 2 * HEAD * (64 * CONSUMERS + 2 * STAGES * BLOCK_N) + 1024,
        ),
        require(
            // No GPU after it has `wgmma`.
            device.compute_capability == 90,
            BLOCK_N >= 64 && BLOCK_N.is_multiple_of(32),
            // There is no tensor map of nothing.
            n > 0,
            // Scores, results, weights, and all else: 168 registers of three warpgroups, 128 of four.
            BLOCK_N / 2 + HEAD / 2 + BLOCK_N / 4 + 40 <= match CONSUMERS { 1 => 240, 2 => 200, _ => 152 },
            SHARED <= device.shared_memory_per_block_optin,
        ),
        launch(
            grid = m.div_ceil(64 * CONSUMERS) * heads,
            block = 128 * (CONSUMERS + 1),
            shared = SHARED,
        ),
        args(
            tensor_map(q, dims = (HEAD, m, heads), box = (64, 64, 1), swizzle = 128),
            tensor_map(k, dims = (HEAD, n, kv_heads), box = (64, BLOCK_N, 1), swizzle = 128),
            tensor_map(v, dims = (HEAD, n, kv_heads), box = (64, BLOCK_N, 1), swizzle = 128),
            o, heads, kv_heads, m, n, scale,
        ),
        score = {
            let seen = if CAUSAL { (n - m / 2).max(1) } else { n };
            let steps = seen.div_ceil(BLOCK_N);
            let rows = 64 * CONSUMERS;
            let multiply = 2 * rows * BLOCK_N * HEAD / 2048;
            let special = rows * BLOCK_N / 16;
            let cache = 4 * HEAD * BLOCK_N / 32;
            // One warpgroup's softmax hides behind the products of others, or, with AHEAD, of its own.
            let apart = (multiply + special) / CONSUMERS * if AHEAD { 0.4 } else { 0.8 };
            let step = multiply.max(special).max(cache).max(1000 / STAGES) + apart + 100 + 200 / STAGES;
            let rounds = (m.div_ceil(rows) * heads / device.multiprocessors).div_ceil(1);
            1e9 / (rounds * (steps * step + 3000))
        },
    ),
    problem(heads = 32, kv_heads = 32, m = 4096, n = 4096, scale = 0.088388, const HEAD = 128, const CAUSAL = false),
    problem(heads = 32, kv_heads = 8, m = 2048, n = 2048, scale = 0.088388, const HEAD = 128, const CAUSAL = true),
    problem(heads = 64, kv_heads = 64, m = 2048, n = 2048, scale = 0.125, const HEAD = 64, const CAUSAL = true),
    problem(heads = 64, kv_heads = 64, m = 1024, n = 1024, scale = 0.125, const HEAD = 64, const CAUSAL = false),
    work(
        flops = 4 * heads * HEAD * m * if CAUSAL { (n - m / 2).max(1) } else { n },
        bytes = 4 * HEAD * (heads * m + kv_heads * n),
    ),
    verify(
        reference = "attention_{T}_reference",
        rtol = 1e-2,
        atol = 1e-2,
        launch(grid = m * heads, block = 128),
    ),
    budget(evaluations = 40, seconds = 120),
)]
pub fn attention<T>(
    stream: &Arc<CudaStream>,
    head: u32,
    causal: bool,
    #[len(heads * m * HEAD)]
    #[align(16)]
    o: &mut CudaSlice<T>,
    #[len(heads * m * HEAD)]
    #[align(16)]
    #[init(normal(0, 1))]
    q: &CudaSlice<T>,
    #[len(kv_heads * n * HEAD)]
    #[align(16)]
    #[init(normal(0, 1))]
    k: &CudaSlice<T>,
    #[len(kv_heads * n * HEAD)]
    #[align(16)]
    #[init(normal(0, 1))]
    v: &CudaSlice<T>,
    heads: u32,
    kv_heads: u32,
    m: u32,
    n: u32,
    scale: f32,
) -> bico::Result<()>;
