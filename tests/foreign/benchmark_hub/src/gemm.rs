//! CLBlast's matrix product, C = alpha A B + beta C; A and C are stored by columns, B by rows.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

#[allow(clippy::too_many_arguments)]
#[bico::tunable(
    source = [
        "../sources/benchmark_hub/kernels/gemm_milo/cl_to_cuda.h",
        "../sources/benchmark_hub/kernels/gemm_milo/common.opencl",
        "../sources/benchmark_hub/kernels/gemm_milo/xgemm_part1.opencl",
        "../sources/benchmark_hub/kernels/gemm_milo/xgemm_part2.opencl",
        "../sources/benchmark_hub/kernels/gemm_milo/xgemm_part3.opencl",
        "../sources/benchmark_hub/kernels/gemm_milo/xgemm_part4.opencl",
        "c/gemm.cu",
    ],
    entry = "Xgemm",
    args(m, n, k, alpha, beta, a, b, c, 0 as i32, 0 as i32),
    space(
        GEMMK in [0],
        MWG in [16, 32, 64, 128],
        NWG in [16, 32, 64, 128],
        KWG in [16, 32],
        MDIMC in [8, 16, 32],
        NDIMC in [8, 16, 32],
        MDIMA in [8, 16, 32],
        NDIMB in [8, 16, 32],
        KWI in [2],
        VWM in [1, 2, 4, 8],
        VWN in [1, 2, 4, 8],
        STRM in [0, 1],
        STRN in [0, 1],
        SA in [0, 1],
        SB in [0, 1],
        KREG in [1],
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
        !(MWG == 128 && NWG == 128 && MDIMC == 8 && NDIMC == 8),
        m % MWG == 0,
        n % NWG == 0,
        k % KWG == 0,
    ),
    launch(grid = (m / MWG, n / NWG), block = (MDIMC, NDIMC)),
    problem(m = 128, n = 128, k = 64, alpha = 1.5, beta = 0.5),
    work(flops = 2 * m * n * k, bytes = 4 * (m * k + n * k + 2 * m * n)),
    verify(reference = "c/gemm.c"),
    budget(evaluations = 12, seconds = 300),
)]
pub fn gemm(
    stream: &Arc<CudaStream>,
    #[len(m * n)]
    #[align(32)]
    #[init(uniform(-1, 1))]
    c: &mut CudaSlice<f32>,
    #[len(k * m)]
    #[align(32)]
    #[init(uniform(-1, 1))]
    a: &CudaSlice<f32>,
    #[len(k * n)]
    #[align(32)]
    #[init(uniform(-1, 1))]
    b: &CudaSlice<f32>,
    m: i32,
    n: i32,
    k: i32,
    alpha: f32,
    beta: f32,
) -> bico::Result<()>;
