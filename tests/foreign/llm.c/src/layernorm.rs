//! Rows less their mean, over their deviation: five kernels of one file.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

/// `out = (inp - mean) * rstd * weight + bias`, each row for itself.
#[allow(clippy::too_many_arguments)]
#[bico::tunable(
    source = "../sources/llm.c/dev/cuda/layernorm_forward.cu",
    compiler = "nvcc",
    include = ["c"],
    entry = match KERNEL {
        1 => "layernorm_forward_kernel1",
        3 => "layernorm_forward_kernel3",
        4 => "layernorm_forward_kernel4",
        5 => "layernorm_forward_kernel5",
        _ => "layernorm_forward_kernel6",
    },
    space(KERNEL in [1, 3, 4, 5, 6], BLOCK in powers_of_two(32..=1024)),
    require(KERNEL != 6 || c.is_multiple_of(4)),
    launch(
        grid = match KERNEL {
            1 => n.div_ceil(BLOCK),
            5 => n,
            _ => n.div_ceil(BLOCK / 32),
        },
        block = (if KERNEL == 6 { 32 } else { BLOCK }, if KERNEL == 6 { BLOCK / 32 } else { 1 }),
        shared = if KERNEL == 6 { 4 * c * (2 + BLOCK / 32) } else { 0 },
    ),
    problem(n = 128, c = 192),
    work(flops = 8 * n * c, bytes = 8 * n * c),
    verify(reference = "c/layernorm.c", rtol = 1e-3),
    budget(evaluations = 24, seconds = 600),
)]
pub fn layernorm(
    stream: &Arc<CudaStream>,
    #[len(n * c)]
    #[align(16)]
    out: &mut CudaSlice<f32>,
    #[len(n)] mean: &mut CudaSlice<f32>,
    #[len(n)] rstd: &mut CudaSlice<f32>,
    #[len(n * c)]
    #[align(16)]
    #[init(uniform(-1, 1))]
    inp: &CudaSlice<f32>,
    #[len(c)]
    #[align(16)]
    weight: &CudaSlice<f32>,
    #[len(c)]
    #[align(16)]
    bias: &CudaSlice<f32>,
    n: i32,
    c: i32,
) -> bico::Result<()>;
