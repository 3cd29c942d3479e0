//! Temperatures after some steps, which a block makes without looking at others.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

/// Sides of what is computed, and with the border that ten steps need.
const SIDE: i64 = 256;
const INPUT: i64 = 276;

#[allow(clippy::too_many_arguments)]
#[bico::tunable(
    source = "../sources/benchmark_hub/kernels/hotspot_milo.cu",
    entry = "calculate_temp",
    flags = ["-Dkernel_tuner", "-Dblocks_per_sm=0", "-Dtemporal_tiling_factor={TEMPORAL_TILING_FACTOR}"],
    space(
        grid_width in [SIDE],
        grid_height in [SIDE],
        max_tfactor in [10],
        block_size_x in [
            1, 2, 4, 8, 16, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448, 480, 512, 544, 576,
            608, 640, 672, 704, 736, 768, 800, 832, 864, 896, 928, 960, 992, 1024,
        ],
        block_size_y in powers_of_two(1..=32),
        tile_size_x in 1..=10,
        tile_size_y in 1..=10,
        loop_unroll_factor_t in 1..=10,
        sh_power in [0, 1],
    ),
    require(
        block_size_x * block_size_y >= 32,
        block_size_x * block_size_y <= 1024,
        TEMPORAL_TILING_FACTOR % loop_unroll_factor_t == 0,
        (block_size_x * tile_size_x + TEMPORAL_TILING_FACTOR * 2)
            * (block_size_y * tile_size_y + TEMPORAL_TILING_FACTOR * 2)
            * (2 + sh_power)
            * 4
            <= 49_152,
    ),
    launch(
        grid = (SIDE.div_ceil(block_size_x * tile_size_x), SIDE.div_ceil(block_size_y * tile_size_y)),
        block = (block_size_x, block_size_y),
    ),
    problem(rx = 0.1, ry = 0.2, rz = 0.05, step = 0.5, const TEMPORAL_TILING_FACTOR = 2),
    problem(rx = 0.1, ry = 0.2, rz = 0.05, step = 0.5, const TEMPORAL_TILING_FACTOR = 5),
    work(flops = TEMPORAL_TILING_FACTOR * 15 * SIDE * SIDE, bytes = 12 * SIDE * SIDE),
    verify(reference = "c/hotspot.c"),
    budget(evaluations = 12, seconds = 300),
)]
pub fn hotspot(
    stream: &Arc<CudaStream>,
    #[len(INPUT * INPUT)] power: &CudaSlice<f32>,
    #[len(INPUT * INPUT)]
    #[init(uniform(70, 90))]
    before: &CudaSlice<f32>,
    #[len(SIDE * SIDE)] after: &mut CudaSlice<f32>,
    rx: f32,
    ry: f32,
    rz: f32,
    step: f32,
    temporal_tiling_factor: i64,
) -> bico::Result<()>;
