//! y = left * act(right), tuned like anything else: the rival gets a good one.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use half::f16;
use std::sync::Arc;

/// y = left * act(right) in FP32.
#[bico::tunable(
    source = "kernels/gate.cu",
    entry = "gate_f32",
    space(THREADS in [128, 256, 512], ITEMS in [1, 2, 4]),
    launch(grid = length.div_ceil(4 * THREADS * ITEMS), block = THREADS),
    problem(length = 22544384, const ACT = "silu"),
    problem(length = 22544384, const ACT = "gelu"),
    problem(length = 22544384, const ACT = "sigmoid"),
    work(bytes = 12 * length),
    verify(reference = "gate_f32_reference", rtol = 1e-5, launch(grid = length.div_ceil(256), block = 256)),
    budget(evaluations = 9, seconds = 20),
)]
pub fn gate(
    stream: &Arc<CudaStream>,
    act: &str,
    #[len(length)] y: &mut CudaSlice<f32>,
    #[len(length)] left: &CudaSlice<f32>,
    #[len(length)] right: &CudaSlice<f32>,
    length: u64,
) -> bico::Result<()>;

/// y = left * act(right) in FP16, computed in FP32.
#[bico::tunable(
    source = "kernels/gate.cu",
    space(THREADS in [128, 256, 512], ITEMS in [1, 2, 4]),
    launch(grid = length.div_ceil(8 * THREADS * ITEMS), block = THREADS),
    problem(length = 22544384, const ACT = "silu"),
    problem(length = 22544384, const ACT = "gelu"),
    problem(length = 22544384, const ACT = "sigmoid"),
    work(bytes = 6 * length),
    verify(reference = "gate_f16_reference", rtol = 2e-3, launch(grid = length.div_ceil(256), block = 256)),
    budget(evaluations = 9, seconds = 20),
)]
pub fn gate_f16(
    stream: &Arc<CudaStream>,
    act: &str,
    #[len(length)] y: &mut CudaSlice<f16>,
    #[len(length)] left: &CudaSlice<f16>,
    #[len(length)] right: &CudaSlice<f16>,
    length: u64,
) -> bico::Result<()>;
