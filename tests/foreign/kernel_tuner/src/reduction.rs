//! Sums of floats: what each block finds, and all of them in two passes of the same kernel.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

#[bico::tunable(
    source = "../sources/kernel_tuner/examples/cuda/reduction.cu",
    entry = "sum_floats",
    space(
        block_size_x in powers_of_two(32..=1024),
        vector in [1, 2, 4],
        num_blocks in powers_of_two(32..=32_768),
        loop_unroll_factor_0 in [0, 1, 8, 16, 32, 64],
        use_shuffle in [0, 1],
    ),
    require(n % 4 == 0),
    launch(grid = num_blocks, block = block_size_x),
    problem(n = 1_048_576),
    work(flops = n, bytes = 4 * n),
    verify(judge(file = "c/reduction.c", entry = "judge")),
    budget(evaluations = 12, seconds = 300),
)]
pub fn partial_sums(
    stream: &Arc<CudaStream>,
    #[len(32_768)]
    #[init(zeros)]
    sums: &mut CudaSlice<f32>,
    #[len(n)]
    #[align(16)]
    #[init(uniform(0, 1))]
    x: &CudaSlice<f32>,
    n: i32,
) -> bico::Result<()>;

#[bico::tunable(
    source = "../sources/kernel_tuner/examples/cuda/reduction.cu",
    space(
        block_size_x in powers_of_two(32..=1024),
        vector in [1, 2, 4],
        num_blocks in powers_of_two(32..=32_768),
        loop_unroll_factor_0 in [0, 1, 8, 16, 32, 64],
        use_shuffle in [0, 1],
    ),
    require(num_blocks <= block_size_x * vector, n % 4 == 0),
    scratch(SUMS: f32, len = num_blocks),
    pass(entry = "sum_floats", launch(grid = num_blocks, block = block_size_x), args(SUMS, x, n)),
    pass(entry = "sum_floats", launch(grid = 1, block = block_size_x), args(sum, SUMS, num_blocks as i32)),
    problem(n = 1_048_576),
    work(flops = n, bytes = 4 * n),
    verify(reference = "c/reduction.c", entry = "sum"),
    budget(evaluations = 12, seconds = 300),
)]
pub fn two_passes(
    stream: &Arc<CudaStream>,
    #[len(1)] sum: &mut CudaSlice<f32>,
    #[len(n)]
    #[align(16)]
    #[init(uniform(0, 1))]
    x: &CudaSlice<f32>,
    n: i32,
) -> bico::Result<()>;
