//! Kernels that are compared with.

use cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

/// y = g * act(h) in FP32.
#[bico::tunable(
    source = "kernels/activate.cu",
    entry = "activate",
    flags = ["-DHALF=0"],
    space(BLOCK in [128, 256, 512], VEC in [1, 2, 4]),
    launch(grid = len.div_ceil(BLOCK * VEC), block = BLOCK),
    problem(len = 1048576, const ACT = "sigmoid"),
    problem(len = 1048576, const ACT = "silu"),
    problem(len = 1048576, const ACT = "gelu"),
    verify(reference = "activate_reference", rtol = 1e-3, launch(grid = len.div_ceil(256), block = 256)),
)]
pub fn activate_f32(
    stream: &Arc<CudaStream>,
    act: &str,
    #[len(len)] y: &mut CudaSlice<f32>,
    #[len(len)] g: &CudaSlice<f32>,
    #[len(len)] h: &CudaSlice<f32>,
    len: u32,
) -> bico::Result<()>;

/// y = g * act(h) in FP16.
#[bico::tunable(
    source = "kernels/activate.cu",
    entry = "activate",
    flags = ["-DHALF=1"],
    space(BLOCK in [128, 256, 512], VEC in [2, 4, 8]),
    launch(grid = len.div_ceil(BLOCK * VEC), block = BLOCK),
    problem(len = 1048576, const ACT = "sigmoid"),
    problem(len = 1048576, const ACT = "silu"),
    problem(len = 1048576, const ACT = "gelu"),
    verify(reference = "activate_reference", rtol = 1e-3, launch(grid = len.div_ceil(256), block = 256)),
)]
pub fn activate_f16(
    stream: &Arc<CudaStream>,
    act: &str,
    #[len(len)] y: &mut CudaSlice<half::f16>,
    #[len(len)] g: &CudaSlice<half::f16>,
    #[len(len)] h: &CudaSlice<half::f16>,
    len: u32,
) -> bico::Result<()>;
