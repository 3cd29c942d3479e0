//! Each row's exponentials, which add up to 1: eight kernels of one file.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

/// Kernels 5, 6 and 8 are those that read each row once. 7 and 8 are wrong where a row is shorter than a block, which the
/// space does not say: verifying does.
#[bico::tunable(
    source = "../sources/llm.c/dev/cuda/softmax_forward.cu",
    compiler = "nvcc",
    include = ["c"],
    entry = match KERNEL {
        1 => "softmax_forward_kernel1",
        2 => "softmax_forward_kernel2",
        3 => "softmax_forward_kernel3",
        4 => "softmax_forward_kernel4",
        5 => "softmax_forward_online_kernel1",
        6 => "softmax_forward_online_kernel2",
        7 => "softmax_forward_kernel7",
        _ => "softmax_forward_online_kernel8",
    },
    space(KERNEL in 1..=8, BLOCK in powers_of_two(32..=if KERNEL == 3 { 32 } else { 1024 })),
    launch(
        grid = match KERNEL {
            1 | 5 => n.div_ceil(BLOCK),
            6 | 8 => n.div_ceil(BLOCK / 32),
            _ => n,
        },
        block = BLOCK,
        shared = match KERNEL {
            2 | 3 => 4 * BLOCK,
            4 => BLOCK / 8,
            7 => BLOCK / 4,
            _ => 0,
        },
    ),
    problem(n = 64, c = 500),
    work(flops = 4 * n * c, bytes = 8 * n * c),
    verify(reference = "c/softmax.c"),
    budget(evaluations = 12, seconds = 600),
)]
pub fn softmax(
    stream: &Arc<CudaStream>,
    #[len(n * c)] out: &mut CudaSlice<f32>,
    #[len(n * c)]
    #[init(uniform(-4, 4))]
    inp: &CudaSlice<f32>,
    n: i32,
    c: i32,
) -> bico::Result<()>;
