//! Convolution in one dimension.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

/// `info` holds lengths and strides of `x` and of the filters, three each. Dilations other than 1 are wrong in the kernel.
#[allow(clippy::too_many_arguments)]
#[bico::tunable(
    source = "../sources/candle/candle-kernels/src/conv.cu",
    entry = "conv1d_f32",
    args(
        batch * c_out * ((length + 2 * padding - taps) / stride + 1) as u64,
        (length + 2 * padding - taps) / stride + 1 as u64,
        stride,
        padding,
        1 as u64,
        info,
        x,
        filters,
        y,
    ),
    space(BLOCK in powers_of_two(32..=1024), FMAD in ["true", "false"], REGISTERS in [32, 48, 64]),
    require(stride >= 1, taps >= 1, length + 2 * padding >= taps),
    flags = ["--fmad={FMAD}", "--maxrregcount={REGISTERS}"],
    launch(grid = (batch * c_out * ((length + 2 * padding - taps) / stride + 1)).div_ceil(BLOCK), block = BLOCK),
    problem(batch = 2, c_in = 8, length = 500, c_out = 16, taps = 5, stride = 2, padding = 3),
    work(flops = 2 * batch * c_in * c_out * taps * length / stride, bytes = 4 * batch * (c_in * length + c_out * length / stride)),
    inputs(file = "c/conv1d.c", entry = "fill"),
    verify(reference = "c/conv1d.c", entry = "convolve"),
    budget(evaluations = 12, seconds = 300),
)]
pub fn conv1d(
    stream: &Arc<CudaStream>,
    #[len(12)] info: &CudaSlice<u64>,
    #[len(batch * c_in * length)] x: &CudaSlice<f32>,
    #[len(c_out * c_in * taps)] filters: &CudaSlice<f32>,
    #[len(batch * c_out * ((length + 2 * padding - taps) / stride + 1))] y: &mut CudaSlice<f32>,
    batch: u64,
    c_in: u64,
    length: u64,
    c_out: u64,
    taps: u64,
    stride: u64,
    padding: u64,
) -> bico::Result<()>;
