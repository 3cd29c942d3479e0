//! One kernel, tuned three times: the attributes differ in the strategy of their search.
//!
//! What they say otherwise is explained beside `gemm_cuda` of bico-kernels.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

/// C = A * B, its configs measured in the order of the score.
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
    work(flops = 2 * m * n * k),
    score = 2 * TILE_M * TILE_N * TILE_K / (4 * (TILE_M * TILE_K + TILE_K * TILE_N)),
    verify(
        reference = "gemm_naive",
        rtol = 1e-3,
        launch(grid = (n.div_ceil(32), m.div_ceil(8)), block = (32, 8)),
    ),
    budget(evaluations = 20, seconds = 60, strategy = "guided"),
)]
pub fn gemm_guided(
    stream: &Arc<CudaStream>,
    #[len(m * n)] c: &mut CudaSlice<f32>,
    #[len(m * k)] a: &CudaSlice<f32>,
    #[len(k * n)] b: &CudaSlice<f32>,
    m: u32,
    n: u32,
    k: u32,
) -> bico::Result<()>;

/// C = A * B, its configs measured in random order.
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
    work(flops = 2 * m * n * k),
    score = 2 * TILE_M * TILE_N * TILE_K / (4 * (TILE_M * TILE_K + TILE_K * TILE_N)),
    verify(
        reference = "gemm_naive",
        rtol = 1e-3,
        launch(grid = (n.div_ceil(32), m.div_ceil(8)), block = (32, 8)),
    ),
    budget(evaluations = 20, seconds = 60, strategy = "random"),
)]
pub fn gemm_random(
    stream: &Arc<CudaStream>,
    #[len(m * n)] c: &mut CudaSlice<f32>,
    #[len(m * k)] a: &CudaSlice<f32>,
    #[len(k * n)] b: &CudaSlice<f32>,
    m: u32,
    n: u32,
    k: u32,
) -> bico::Result<()>;

/// C = A * B, its configs measured in the order of the space.
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
    work(flops = 2 * m * n * k),
    score = 2 * TILE_M * TILE_N * TILE_K / (4 * (TILE_M * TILE_K + TILE_K * TILE_N)),
    verify(
        reference = "gemm_naive",
        rtol = 1e-3,
        launch(grid = (n.div_ceil(32), m.div_ceil(8)), block = (32, 8)),
    ),
    budget(evaluations = 20, seconds = 60, strategy = "sequential"),
)]
pub fn gemm_sequential(
    stream: &Arc<CudaStream>,
    #[len(m * n)] c: &mut CudaSlice<f32>,
    #[len(m * k)] a: &CudaSlice<f32>,
    #[len(k * n)] b: &CudaSlice<f32>,
    m: u32,
    n: u32,
    k: u32,
) -> bico::Result<()>;
