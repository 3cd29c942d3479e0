//! The kernels on a GPU, under names of their own beside those of the CPU. Nothing here knows of candle: the functional tests of bico tune and call these very lines.

use bico::cudarc::driver::{CudaStream, DevicePtr, DevicePtrMut};
use half::{bf16, f16};
use std::sync::Arc;

/// y = x / sqrt(mean of x^2 + eps) * w for each row of x.
#[allow(clippy::too_many_arguments)]
#[bico::tunable(
    source = "kernels/rms_norm.cu",
    name = "cuda::rms_norm",
    entry = "rms_norm",
    family(REAL in [f32 = "float", f16 = "__half", bf16 = "__nv_bfloat16"]),
    space(KEEP in [false, true], BLOCK in powers_of_two(32..=1024)),
    require(4 * BLOCK + (if KEEP { 4 * columns } else { 0 }) <= device.shared_memory_per_block_optin),
    launch(grid = rows, block = BLOCK, shared = if KEEP { 4 * columns } else { 0 }),
    problem(rows = 16, columns = 2048, eps = 1e-5),
    work(flops = 4 * rows * columns, bytes = 8 * rows * columns),
    verify(reference = "rms_norm_reference", launch(grid = rows.div_ceil(32), block = 32)),
    budget(evaluations = 4, seconds = 30),
)]
pub fn rms_norm<REAL>(
    stream: &Arc<CudaStream>,
    #[len(rows * columns)] y: &mut impl DevicePtrMut<REAL>,
    #[len(rows * columns)] x: &impl DevicePtr<REAL>,
    #[len(columns)] w: &impl DevicePtr<REAL>,
    rows: u32,
    columns: u32,
    eps: f32,
) -> bico::Result<()>;

/// y = softmax of each row of x.
#[bico::tunable(
    source = "kernels/softmax.cu",
    name = "cuda::softmax",
    space(LANES in powers_of_two(8..=256), ROWS in powers_of_two(1..=8)),
    require(LANES * ROWS <= device.max_threads_per_block),
    launch(grid = rows.div_ceil(ROWS), block = (LANES, ROWS)),
    problem(rows = 64, columns = 512),
    work(flops = 5 * rows * columns, bytes = 8 * rows * columns),
    verify(reference = "softmax_reference", launch(grid = rows.div_ceil(32), block = 32)),
    budget(evaluations = 4, seconds = 30),
)]
pub fn softmax(
    stream: &Arc<CudaStream>,
    #[len(rows * columns)] y: &mut impl DevicePtrMut<f32>,
    #[len(rows * columns)] x: &impl DevicePtr<f32>,
    rows: u32,
    columns: u32,
) -> bico::Result<()>;

/// y = W x + b, where W is in blocks of 32 columns as candle's `Q4_0` has them.
#[allow(clippy::too_many_arguments)]
#[bico::tunable(
    source = "kernels/linear_q4_0.cu",
    name = "cuda::linear_q4_0",
    space(LANES in powers_of_two(4..=64), ROWS in powers_of_two(1..=16)),
    require(columns % 32 == 0, LANES * ROWS <= device.max_threads_per_block),
    launch(grid = rows.div_ceil(ROWS), block = (LANES, ROWS)),
    problem(rows = 256, columns = 1024),
    work(flops = 2 * rows * columns, bytes = rows * columns / 32 * 18),
    verify(reference = "linear_q4_0_reference", launch(grid = rows.div_ceil(32), block = 32)),
    budget(evaluations = 4, seconds = 30),
)]
pub fn linear_q4_0(
    stream: &Arc<CudaStream>,
    #[len(rows)] y: &mut impl DevicePtrMut<f32>,
    #[len(rows * (columns / 32) * 18)]
    #[align(2)] // the scales have 16 bits
    #[init(uniform(0, 123))] // none of them is infinite, or none
    w: &impl DevicePtr<u8>,
    #[len(columns)] x: &impl DevicePtr<f32>,
    #[len(rows)] b: &impl DevicePtr<f32>,
    rows: u32,
    columns: u32,
) -> bico::Result<()>;
