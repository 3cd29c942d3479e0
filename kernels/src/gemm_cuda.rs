//! Matrix product on CUDA GPUs.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

/// C = A * B in FP32, all dense and row-major: C is m x n, A is m x k, B is k x n.
///
/// A plain tiled product with a thread per element of C; m is at most 65535 times the tile's rows.
/// 134 configs meet the limits of every GPU: 1024 threads and 48 KiB of shared memory.
///
/// The score is how often the tile uses an element again: operations per byte read.
#[bico::tunable(
    source = "kernels/gemm.cu",
    entry = "matrix_multiply_kernel",
    template = [TILE_M, TILE_N, TILE_K, BLOCK_X, BLOCK_Y],
    space(
        TILE_M in powers_of_two(4..=128),
        TILE_N in powers_of_two(4..=256),
        TILE_K in powers_of_two(4..=64),
        BLOCK_X = TILE_N,
        BLOCK_Y = TILE_M,
    ),
    require(
        BLOCK_X * BLOCK_Y <= device.max_threads_per_block,
        4 * TILE_K * (TILE_M + TILE_N) <= device.shared_memory_per_block,
        m.div_ceil(TILE_M) <= 65535,
    ),
    launch(
        grid = (n.div_ceil(TILE_N), m.div_ceil(TILE_M)),
        block = (BLOCK_X, BLOCK_Y),
        shared = 4 * TILE_K * (TILE_M + TILE_N),
    ),
    problem(m = 1024, n = 12288, k = 4096),
    work(flops = 2 * m * n * k, bytes = 4 * (m * k * n.div_ceil(TILE_N) + k * n * m.div_ceil(TILE_M) + m * n)),
    score = 2 * TILE_M * TILE_N * TILE_K / (4 * (TILE_M * TILE_K + TILE_K * TILE_N)),
    verify(
        reference = "gemm_naive",
        rtol = 1e-3,
        launch(grid = (n.div_ceil(32), m.div_ceil(8)), block = (32, 8)),
    ),
    budget(evaluations = 20, seconds = 60),
    budget_scale = 4 * TILE_K * (TILE_M + TILE_N),
)]
pub fn gemm_cuda(
    stream: &Arc<CudaStream>,
    #[len(m * n)] c: &mut CudaSlice<f32>,
    #[len(m * k)] a: &CudaSlice<f32>,
    #[len(k * n)] b: &CudaSlice<f32>,
    m: u32,
    n: u32,
    k: u32,
) -> bico::Result<()>;
