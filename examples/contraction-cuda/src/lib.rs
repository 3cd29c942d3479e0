//! A batched product in FP16 with blocks in groups that share tiles in the second-level cache, against the same
//! kernel with blocks in plain row-major order, and cuBLAS.

pub mod batch;
pub mod cublas;
pub mod rounds;

use bico::cudarc::driver::{CudaSlice, CudaStream};
use half::f16;
use std::sync::Arc;

/// The problem of the attributes: c, m, n, k.
pub const SIZES: [u32; 4] = [4, 4096, 4096, 4096];

/// What can go wrong.
pub type Error = Box<dyn std::error::Error>;

/// O = A * B for each c: A is c x m x k, B is c x k x n, O is c x m x n, dense and row-major.
#[bico::tunable(
    einsum = "cmk, ckn -> cmn",
    problem(c = 4, m = 4096, n = 4096, k = 4096),
    budget(evaluations = 96, seconds = 90)
)]
#[expect(clippy::too_many_arguments, reason = "a size for each index")]
pub fn contract(
    stream: &Arc<CudaStream>,
    o: &mut CudaSlice<f16>,
    a: &CudaSlice<f16>,
    b: &CudaSlice<f16>,
    c: u32,
    m: u32,
    n: u32,
    k: u32,
) -> bico::Result<()>;

/// The same, its blocks in row-major order of the tiles: no groups.
#[bico::tunable(
    einsum = "cmk, ckn -> cmn",
    space(M_L2 in [1], N_L2 in [1], ORDER in ["mn"]),
    problem(c = 4, m = 4096, n = 4096, k = 4096),
    budget(evaluations = 96, seconds = 90),
)]
#[expect(clippy::too_many_arguments, reason = "a size for each index")]
pub fn contract_by_rows(
    stream: &Arc<CudaStream>,
    o: &mut CudaSlice<f16>,
    a: &CudaSlice<f16>,
    b: &CudaSlice<f16>,
    c: u32,
    m: u32,
    n: u32,
    k: u32,
) -> bico::Result<()>;
