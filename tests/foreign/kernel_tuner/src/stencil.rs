//! The mean of a point and its four neighbours; the sizes are macros of the source.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

const WIDTH: i64 = 4096;
const HEIGHT: i64 = 2048;

#[bico::tunable(
    source = "../sources/kernel_tuner/examples/cuda/stencil.cu",
    entry = "stencil_kernel",
    space(block_size_x in (32..=256).step_by(32), block_size_y in powers_of_two(1..=32)),
    launch(grid = (WIDTH.div_ceil(block_size_x), HEIGHT.div_ceil(block_size_y)), block = (block_size_x, block_size_y)),
    problem(),
    work(flops = 5 * WIDTH * HEIGHT, bytes = 8 * WIDTH * HEIGHT),
    verify(reference = "c/stencil.c"),
    budget(evaluations = 12, seconds = 300),
)]
pub fn stencil(
    stream: &Arc<CudaStream>,
    #[len(WIDTH * HEIGHT)]
    #[init(uniform(-1, 1))]
    y: &mut CudaSlice<f32>,
    #[len(WIDTH * HEIGHT)] x: &CudaSlice<f32>,
) -> bico::Result<()>;
