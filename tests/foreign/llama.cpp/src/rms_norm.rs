//! Rows over the root of their mean square, times weights.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

/// `to = x / sqrt(mean of x^2 + eps) * weights`, over rows of channels of samples; each channel has weights of its own.
/// `c/norm.cu` is a link to theirs, so that `c/norm.cuh` is found first, which stands for all of ggml.
#[allow(clippy::too_many_arguments)]
#[bico::tunable(
    source = "c/norm.cu",
    compiler = "nvcc",
    entry = "rms_norm_f32",
    template = [BLOCK, WEIGHTS],
    args(
        x,
        to,
        columns,
        columns as i64,
        columns * rows as i64,
        columns * rows * channels as i64,
        eps,
        weights,
        0 as i64,
        columns as i64,
        0 as i64,
        columns,
        1 as i32,
        channels,
        1 as i32,
    ),
    space(
        BLOCK in [32, 1024],
        WEIGHTS in [true],
        FMAD in ["true", "false"],
        REGISTERS in [24, 32, 40, 48, 64],
    ),
    flags = ["--fmad={FMAD}", "--maxrregcount={REGISTERS}"],
    launch(grid = (rows, channels, samples), block = BLOCK),
    problem(columns = 512, rows = 8, channels = 4, samples = 2, eps = 1e-6),
    work(flops = 4 * columns * rows * channels * samples, bytes = 12 * columns * rows * channels * samples),
    verify(reference = "c/rms_norm.c"),
    budget(evaluations = 12, seconds = 300),
)]
pub fn rms_norm(
    stream: &Arc<CudaStream>,
    #[len(columns * rows * channels * samples)] x: &CudaSlice<f32>,
    #[len(columns * rows * channels * samples)] to: &mut CudaSlice<f32>,
    #[len(columns * channels)] weights: &CudaSlice<f32>,
    columns: i32,
    rows: i32,
    channels: i32,
    samples: i32,
    eps: f32,
) -> bico::Result<()>;
