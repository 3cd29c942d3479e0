//! How far two sets of points are apart: a sum over all pairs, in two passes.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

/// Tiles are read whole, so the inputs are longer than the sets where shared memory is used.
#[allow(clippy::too_many_arguments)]
#[bico::tunable(
    source = "../sources/kernel_tuner/examples/cuda/expdist.cu",
    include = ["c"],
    space(
        block_size_x in powers_of_two(32..=512),
        block_size_y in powers_of_two(1..=32),
        tile_size_x in [1, 2, 4, 8],
        tile_size_y in [1, 2, 4, 8],
        use_shared_mem in [0, 1],
        TILE_M = block_size_x * tile_size_x,
        TILE_N = block_size_y * tile_size_y,
    ),
    require(24 * (TILE_M + TILE_N) * use_shared_mem + 1024 <= device.shared_memory_per_block, m >= 1, n >= 1),
    scratch(TERMS: f64, len = m.div_ceil(TILE_M) * n.div_ceil(TILE_N)),
    pass(
        entry = "ExpDist",
        launch(grid = (m.div_ceil(TILE_M), n.div_ceil(TILE_N)), block = (block_size_x, block_size_y)),
        args(a, b, m, n, scale_a, scale_b, TERMS),
    ),
    pass(
        entry = "reduce_cross_term",
        launch(grid = 1, block = block_size_x),
        args(distance, TERMS, m, n, m.div_ceil(TILE_M) * n.div_ceil(TILE_N) as i32),
    ),
    problem(m = 500, n = 400),
    work(flops = 12 * m * n, bytes = 24 * (m + n)),
    verify(reference = "c/expdist.c"),
    budget(evaluations = 12, seconds = 300),
)]
pub fn expdist(
    stream: &Arc<CudaStream>,
    #[len(1)] distance: &mut CudaSlice<f64>,
    #[len(m + m.div_ceil(TILE_M) * TILE_M)]
    #[init(normal)]
    a: &CudaSlice<f64>,
    #[len(n + n.div_ceil(TILE_N) * TILE_N)]
    #[init(normal)]
    b: &CudaSlice<f64>,
    #[len(m.div_ceil(TILE_M) * TILE_M)]
    #[init(uniform(0.5, 1))]
    scale_a: &CudaSlice<f64>,
    #[len(n.div_ceil(TILE_N) * TILE_N)]
    #[init(uniform(0.5, 1))]
    scale_b: &CudaSlice<f64>,
    m: i32,
    n: i32,
) -> bico::Result<()>;
