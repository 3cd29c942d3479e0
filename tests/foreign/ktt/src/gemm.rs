//! C = A B, where A and C are stored by columns and B by rows.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

#[allow(clippy::too_many_arguments)]
#[bico::tunable(
    source = "../sources/ktt/Examples/ClTuneGemm/ClTuneGemm.cu",
    entry = "gemm_fast",
    args(m, n, k, a, b, c),
    space(
        MWG in [16, 32, 64],
        NWG in [16, 32, 64],
        KWG in [32],
        MDIMC in [8, 16, 32],
        NDIMC in [8, 16, 32],
        MDIMA in [8, 16, 32],
        NDIMB in [8, 16, 32],
        KWI in [2],
        VWM in [1, 2, 4],
        VWN in [1, 2, 4],
        STRM in [0],
        STRN in [0],
        SA in [0, 1],
        SB in [0, 1],
        PRECISION in [32],
    ),
    require(
        KWG % KWI == 0,
        MWG % (MDIMC * VWM) == 0,
        NWG % (NDIMC * VWN) == 0,
        MWG % (MDIMA * VWM) == 0,
        NWG % (NDIMB * VWN) == 0,
        KWG % (MDIMC * NDIMC / MDIMA) == 0,
        KWG % (MDIMC * NDIMC / NDIMB) == 0,
        m % MWG == 0,
        n % NWG == 0,
        k % KWG == 0,
    ),
    launch(grid = (m / MWG, n / NWG), block = (MDIMC, NDIMC)),
    problem(m = 128, n = 128, k = 128),
    work(flops = 2 * m * n * k, bytes = 4 * (m * k + n * k + m * n)),
    verify(reference = "c/gemm.c"),
    budget(evaluations = 12, seconds = 300),
)]
pub fn gemm(
    stream: &Arc<CudaStream>,
    #[len(m * n)]
    #[align(16)]
    c: &mut CudaSlice<f32>,
    #[len(k * m)]
    #[align(16)]
    #[init(uniform(-1, 1))]
    a: &CudaSlice<f32>,
    #[len(k * n)]
    #[align(16)]
    #[init(uniform(-1, 1))]
    b: &CudaSlice<f32>,
    m: i32,
    n: i32,
    k: i32,
) -> bico::Result<()>;
