//! A sum in 16 bits: two kernels of one file.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use half::bf16;
use std::sync::Arc;

/// `out = inp1 + inp2`; the second kernel takes eight at a time.
#[bico::tunable(
    source = "../sources/llm.c/dev/cuda/residual_forward.cu",
    compiler = "nvcc",
    include = ["c"],
    entry = if KERNEL == 1 { "residual_forward_kernel1" } else { "residual_forward_kernel2" },
    space(KERNEL in [1, 2], BLOCK in powers_of_two(32..=1024)),
    require(KERNEL == 1 || n.is_multiple_of(8)),
    launch(grid = n.div_ceil(if KERNEL == 1 { BLOCK } else { 8 * BLOCK }), block = BLOCK),
    problem(n = 50_000),
    work(flops = n, bytes = 6 * n),
    verify(judge(file = "c/residual.c", entry = "is_sum")),
    budget(evaluations = 12, seconds = 300),
)]
pub fn residual(
    stream: &Arc<CudaStream>,
    #[len(n)]
    #[align(16)]
    out: &mut CudaSlice<bf16>,
    #[len(n)]
    #[align(16)]
    inp1: &CudaSlice<bf16>,
    #[len(n)]
    #[align(16)]
    inp2: &CudaSlice<bf16>,
    n: i32,
) -> bico::Result<()>;
