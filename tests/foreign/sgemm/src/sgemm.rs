//! Tiles of blocks, warps and threads.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

/// `C = alpha A B + beta C`. The space is that of `scripts/kernel_9_autotuner.sh`.
#[allow(clippy::too_many_arguments)]
#[bico::tunable(
    source = "../sources/sgemm/src/kernels/9_kernel_autotuned.cuh",
    include = ["c"],
    entry = "sgemmAutotuned",
    template = [BM, BN, BK, TM, TN],
    args(m, n, k, alpha, a, b, beta, c),
    space(
        BK in [8, 16, 32, 64],
        TM in [4, 8, 16, 32],
        BM in [64, 128, 256],
        TN in [4, 8, 16, 32],
        BN in [64, 128, 256],
    ),
    require(
        BN.is_multiple_of(16 * TN),
        BM.is_multiple_of(16 * TM),
        (BM * BK).is_multiple_of(1024),
        (BN * BK).is_multiple_of(1024),
        4 * BK * (BM + BN) <= device.shared_memory_per_block,
        m.is_multiple_of(BM),
        n.is_multiple_of(BN),
        k.is_multiple_of(BK),
    ),
    launch(grid = (n / BN, m / BM), block = 256),
    problem(m = 256, n = 256, k = 128, alpha = 1.5, beta = 0.5),
    work(flops = 2 * m * n * k, bytes = 4 * m * n * k / BM + 4 * m * n * k / BN),
    verify(reference = "c/sgemm.c", rtol = 1e-3),
    budget(evaluations = 12, seconds = 600),
)]
pub fn sgemm(
    stream: &Arc<CudaStream>,
    #[len(m * k)]
    #[align(16)]
    a: &CudaSlice<f32>,
    #[len(k * n)]
    #[align(16)]
    b: &CudaSlice<f32>,
    #[len(m * n)]
    #[align(16)]
    #[init(uniform(-1, 1))]
    c: &mut CudaSlice<f32>,
    m: i32,
    n: i32,
    k: i32,
    alpha: f32,
    beta: f32,
) -> bico::Result<()>;
