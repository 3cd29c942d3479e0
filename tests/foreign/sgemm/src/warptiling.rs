//! Tiles of blocks, warps, parts of warps, and threads.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

/// `C = alpha A B + beta C`. The space is that of `scripts/kernel_10_autotuner.sh`.
#[allow(clippy::too_many_arguments)]
#[bico::tunable(
    source = "../sources/sgemm/src/kernels/10_kernel_warptiling.cuh",
    include = ["c"],
    entry = "sgemmWarptiling",
    template = [BM, BN, BK, WM, WN, WNITER, TM, TN, NUM_THREADS],
    args(m, n, k, alpha, a, b, beta, c),
    space(
        NUM_THREADS in [128, 256],
        BK in [8, 16, 32, 64],
        BM in [64, 128, 256],
        BN in [64, 128, 256],
        WM in [32, 64, 128, 256],
        WN in [32, 64, 128, 256],
        WNITER in [1, 2, 4, 8],
        TM in [4, 8, 16, 32],
        TN in [4, 8, 16, 32],
        STEPS = WM * WN / (32 * TM * TN * WNITER),
    ),
    require(
        BN.is_multiple_of(WN),
        BM.is_multiple_of(WM),
        BN / WN * (BM / WM) == NUM_THREADS / 32,
        (WM * WN).is_multiple_of(32 * TM * TN * WNITER),
        WM.is_multiple_of(STEPS),
        WN.is_multiple_of(WNITER),
        (4 * NUM_THREADS).is_multiple_of(BN),
        BN.is_multiple_of(16 * TN),
        BM.is_multiple_of(16 * TM),
        (BM * BK).is_multiple_of(4 * NUM_THREADS),
        (BN * BK).is_multiple_of(4 * NUM_THREADS),
        4 * BK * (BM + BN) <= device.shared_memory_per_block,
        m.is_multiple_of(BM),
        n.is_multiple_of(BN),
        k.is_multiple_of(BK),
    ),
    launch(grid = (n / BN, m / BM), block = NUM_THREADS),
    problem(m = 256, n = 256, k = 128, alpha = 1.5, beta = 0.5),
    work(flops = 2 * m * n * k, bytes = 4 * m * n * k / BM + 4 * m * n * k / BN),
    verify(reference = "c/sgemm.c", entry = "sgemm", rtol = 1e-3),
    budget(evaluations = 12, seconds = 600),
)]
pub fn warptiling(
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
