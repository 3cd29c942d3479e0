//! What stands in a table for each token, and where it stands: three kernels of one file.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use half::bf16;
use std::sync::Arc;

/// `out[b][t] = wte[inp[b][t]] + wpe[t]`, rows of `c`; the third kernel takes eight at a time.
#[allow(clippy::too_many_arguments)]
#[bico::tunable(
    source = "../sources/llm.c/dev/cuda/encoder_forward.cu",
    compiler = "nvcc",
    include = ["c"],
    entry = match KERNEL {
        1 => "encoder_forward_kernel1",
        2 => "encoder_forward_kernel2",
        _ => "encoder_forward_kernel3",
    },
    args(out, inp, wte, wpe, b, t, c),
    space(KERNEL in [1, 2, 3], BLOCK in powers_of_two(32..=1024)),
    require(KERNEL != 3 || c.is_multiple_of(8)),
    launch(
        grid = match KERNEL {
            1 => (b * t).div_ceil(BLOCK),
            2 => (b * t * c).div_ceil(BLOCK),
            _ => (b * t * c).div_ceil(8 * BLOCK),
        },
        block = BLOCK,
    ),
    problem(b = 4, t = 64, c = 96, vocabulary = 500),
    work(flops = b * t * c, bytes = 6 * b * t * c),
    verify(judge(file = "c/encoder.c", entry = "is_encoded")),
    budget(evaluations = 12, seconds = 300),
)]
pub fn encoder(
    stream: &Arc<CudaStream>,
    #[len(b * t * c)]
    #[align(16)]
    out: &mut CudaSlice<bf16>,
    #[len(b * t)]
    #[init(uniform(0, vocabulary))]
    inp: &CudaSlice<i32>,
    #[len(vocabulary * c)]
    #[align(16)]
    wte: &CudaSlice<bf16>,
    #[len(t * c)]
    #[align(16)]
    wpe: &CudaSlice<bf16>,
    b: i32,
    t: i32,
    c: i32,
    vocabulary: i32,
) -> bico::Result<()>;
