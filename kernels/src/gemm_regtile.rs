//! Matrix product in registers, on CUDA GPUs.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

/// C = A * B in FP32, all dense and row-major: C is m x n, A is m x k, B is k x n.
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
        BLOCK_M in [32, 64, 128, 256],
        BLOCK_N in [32, 64, 128, 256],
        THREADS = BLOCK_M * BLOCK_N / (THREAD_M * THREAD_N),
        BLOCK_K in [8, 16, 32],
        ASYNC in [0, 1],
        STAGES in if ASYNC == 1 { 2..=5 } else { 1..=2 },
        FRAGMENTS in [1, 2],
        GROUP_M in [1, 8],
        SPLIT_K in [1],
        RESIDENT = 1,
    ),
    require(
        THREAD_M * THREAD_N >= 16,
        THREAD_M * THREAD_N <= 128,
        BLOCK_M >= WARP_M,
        BLOCK_N >= WARP_N,
        THREADS >= 64,
        THREADS <= 512,
        BLOCK_N <= 4 * THREADS,
        BLOCK_K * BLOCK_N >= 4 * THREADS,
        BLOCK_K * BLOCK_M >= if ASYNC == 1 { THREADS } else { 4 * THREADS },
        ASYNC == 0 || device.compute_capability >= 80,
        4 * STAGES * BLOCK_K * (BLOCK_M + 4 + BLOCK_N) <= device.shared_memory_per_block_optin,
        BLOCK_M * k <= 4294967295,
        m.div_ceil(BLOCK_M) * n.div_ceil(BLOCK_N) * SPLIT_K <= 2147483647,
    ),
    launch(
        grid = m.div_ceil(BLOCK_M) * n.div_ceil(BLOCK_N) * SPLIT_K,
        block = THREADS,
        shared = 4 * STAGES * BLOCK_K * (BLOCK_M + 4 + BLOCK_N),
    ),
    problem(m = 4096, n = 4096, k = 4096),
    work(flops = 2 * m * n * k, bytes = 4 * (m * k * n.div_ceil(BLOCK_N) + k * n * m.div_ceil(BLOCK_M) + m * n)),
    scratch(PARTIALS: f32, len = if SPLIT_K == 1 { 1 } else { SPLIT_K * m.div_ceil(BLOCK_M) * BLOCK_M * n.div_ceil(BLOCK_N) * BLOCK_N }),
    scratch(LOCKS: u32, len = m.div_ceil(BLOCK_M) * n.div_ceil(BLOCK_N)),
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
