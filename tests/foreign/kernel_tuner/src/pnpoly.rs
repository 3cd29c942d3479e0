//! Which points lie in a polygon of 600 corners, which is in constant memory.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

#[bico::tunable(
    source = "../sources/kernel_tuner/examples/cuda/pnpoly.cu",
    entry = "cn_pnpoly",
    space(
        block_size_x in (32..=992).step_by(32),
        tile_size in [1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20],
        between_method in [0, 1, 2, 3],
        use_precomputed_slopes in [0, 1],
        use_method in [0, 1],
    ),
    launch(grid = n.div_ceil(block_size_x * tile_size), block = block_size_x),
    problem(n = 20_000),
    work(flops = 600 * 5 * n, bytes = 12 * n),
    inputs(file = "c/pnpoly.c", entry = "fill"),
    verify(reference = "cn_pnpoly_naive", launch(grid = n.div_ceil(256), block = 256)),
    budget(evaluations = 12, seconds = 300),
)]
pub fn pnpoly(
    stream: &Arc<CudaStream>,
    #[len(n)] inside: &mut CudaSlice<i32>,
    #[len(n)]
    #[align(8)]
    #[init(normal)]
    points: &CudaSlice<[f32; 2]>,
    n: i32,
    #[len(600)]
    #[constant(d_vertices)]
    corners: &[[f32; 2]],
    #[len(600)]
    #[constant(d_slopes)]
    slopes: &[f32],
) -> bico::Result<()>;
