//! An image with seven times seven weights; the image has a border already.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

#[bico::tunable(
    source = "../sources/ktt/Examples/ClTuneConvolution/ClTuneConvolution.cu",
    entry = "conv",
    args(width, height, x, weights, y),
    space(
        TBX in [8, 16, 32, 64],
        TBY in [8, 16, 32, 64],
        LOCAL in [0, 1, 2],
        WPTX in [1, 2, 4, 8, 16],
        WPTY in [1, 2, 4, 8, 16],
        VECTOR in [1, 2, 4],
        UNROLL_FACTOR1 in [0, 1, 7],
        UNROLL_FACTOR2 in [0, 1, 7],
        PADDING in [0, 1],
        TBX_XL = TBX + if LOCAL == 2 { 6.div_ceil(WPTX) } else { 0 },
        TBY_XL = TBY + if LOCAL == 2 { 6.div_ceil(WPTY) } else { 0 },
    ),
    require(
        WPTX % VECTOR == 0,
        LOCAL != 2 || 6 % VECTOR == 0,
        PADDING == 0 || LOCAL != 0,
        TBX % WPTX == 0,
        TBY % WPTY == 0,
        LOCAL == 0
            || 4 * (TBY * WPTY + 6) * (TBX * WPTX + 6 + PADDING) <= device.shared_memory_per_block,
        width % (TBX * WPTX) == 0,
        height % (TBY * WPTY) == 0,
    ),
    launch(grid = (width / (TBX * WPTX), height / (TBY * WPTY)), block = (TBX_XL, TBY_XL)),
    problem(width = 256, height = 256),
    work(flops = 98 * width * height, bytes = 8 * width * height),
    verify(reference = "c/convolution.c"),
    budget(evaluations = 12, seconds = 300),
)]
pub fn convolution(
    stream: &Arc<CudaStream>,
    #[len(width * height)]
    #[align(16)]
    y: &mut CudaSlice<f32>,
    #[len((width + 6) * (height + 6))]
    #[align(16)]
    #[init(uniform(-2, 2))]
    x: &CudaSlice<f32>,
    #[len(49)]
    #[init(uniform(0, 1))]
    weights: &CudaSlice<f32>,
    width: i32,
    height: i32,
) -> bico::Result<()>;
