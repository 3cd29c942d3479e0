//! The even and the odd rows of each column less their mean, in place.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

#[bico::tunable(
    source = "../sources/kernel_tuner/examples/cuda/zeromeanfilter.cu",
    entry = "computeMeanVertically",
    args(height, width, image),
    space(block_size_x in (32..=256).step_by(32), block_size_y in powers_of_two(1..=32)),
    launch(grid = width.div_ceil(block_size_x), block = (block_size_x, block_size_y)),
    problem(height = 439, width = 354),
    work(flops = 2 * height * width, bytes = 12 * height * width),
    verify(reference = "c/zeromean.c"),
    budget(evaluations = 12, seconds = 300),
)]
pub fn zeromean(
    stream: &Arc<CudaStream>,
    #[len(height * width)]
    #[init(uniform(-1, 1))]
    image: &mut CudaSlice<f32>,
    height: i32,
    width: i32,
) -> bico::Result<()>;
