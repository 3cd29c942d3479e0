//! A multiple of each number, and a constant.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

/// `out = mul * x + add`
#[bico::tunable(
    source = "../sources/candle/candle-kernels/src/affine.cu",
    entry = "affine_f32",
    args(n as u64, 0 as u64, null, x, out, mul, add),
    space(BLOCK in powers_of_two(32..=1024), BLOCKS in powers_of_two(1..=1024)),
    launch(grid = BLOCKS, block = BLOCK),
    problem(n = 1_048_576, mul = 2.5, add = 0.5),
    work(flops = 2 * n, bytes = 8 * n),
    verify(reference = "c/affine.c"),
    budget(evaluations = 12, seconds = 300),
)]
pub fn affine(
    stream: &Arc<CudaStream>,
    #[len(n)] x: &CudaSlice<f32>,
    #[len(n)] out: &mut CudaSlice<f32>,
    mul: f32,
    add: f32,
    n: u32,
) -> bico::Result<()>;
