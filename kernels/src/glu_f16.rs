//! The gated linear unit on the tensor cores of CUDA GPUs.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use half::f16;
use std::sync::Arc;

/// y = (x W) * act(x V) in FP16 with sums in FP32, all dense and row-major: x is m x k, W and V are k x n, y is
/// m x n.
///
/// Both products in one pass over x, on tensor cores, from compute capability 7.5 on; `act` is "sigmoid", "silu"
/// or "gelu" (the exact one, with the error function), computed in FP32 and rounded once. Any sizes up to 2^32 - 1
/// tiles; rows that are multiples of 16 bytes, of buffers that begin at such, are read fastest.
#[bico::tunable(
    source = "kernels/glu_f16.cu",
    entry = "glu_f16_kernel",
    template = [BLOCK_M, BLOCK_N, BLOCK_K, WARP_M, WARP_N, SLICES, STAGES, RESIDENT, GROUP_M, THREADS],
    space(
        BLOCK_M in powers_of_two(16..=256),
        BLOCK_N in powers_of_two(32..=256),
        WARP_M in powers_of_two(16..=64),
        WARP_N in powers_of_two(16..=64),
        SLICES in [1, 2, 4],
        THREADS = 32 * SLICES * (BLOCK_M / WARP_M) * (BLOCK_N / WARP_N),
        BLOCK_K in powers_of_two(16..=128),
        STAGES in 2..=5,
        RESIDENT in [1, 2, 4],
        GROUP_M in [1, 4, 16],
    ),
    require(
        device.compute_capability >= 75,
        BLOCK_M.is_multiple_of(WARP_M),
        BLOCK_N.is_multiple_of(WARP_N),
        // Two sums for each element of a warp's tile, 32 of which are in one register.
        WARP_M * WARP_N <= 2048,
        THREADS >= 64,
        THREADS <= device.max_threads_per_block,
        RESIDENT * THREADS * (WARP_M * WARP_N / 16 + WARP_M / 4 + 64) <= device.registers_per_multiprocessor,
        // So few threads may have all registers that there are: the same code.
        RESIDENT == 1 || RESIDENT * THREADS > 256,
        BLOCK_K.is_multiple_of(16 * SLICES),
        // Copies that go on while threads compute came with 8.0; before it, more stages only take room.
        STAGES == 2 || device.compute_capability >= 80,
        (2 * STAGES * BLOCK_K * (BLOCK_M + 2 * BLOCK_N)).max(2 * SLICES * BLOCK_M * BLOCK_N)
            <= device.shared_memory_per_block_optin,
    ),
    launch(
        grid = m.div_ceil(BLOCK_M) * n.div_ceil(BLOCK_N),
        block = THREADS,
        shared = (2 * STAGES * BLOCK_K * (BLOCK_M + 2 * BLOCK_N)).max(2 * SLICES * BLOCK_M * BLOCK_N),
    ),
    problem(m = 16, n = 11008, k = 4096, const ACT = "silu"),
    problem(m = 2048, n = 11008, k = 4096, const ACT = "silu"),
    problem(m = 512, n = 2048, k = 1024, const ACT = "gelu"),
    problem(m = 512, n = 2048, k = 1024, const ACT = "sigmoid"),
    work(
        flops = 4 * m * n * k,
        bytes = 2 * (m * k * n.div_ceil(BLOCK_N) + 2 * k * n * m.div_ceil(BLOCK_M) + m * n),
    ),
    verify(
        reference = "glu_f16_reference",
        rtol = 2e-3,
        launch(grid = (n.div_ceil(32), m.div_ceil(8)), block = (32, 8)),
    ),
    budget(evaluations = 100, seconds = 60),
)]
pub fn glu_f16(
    stream: &Arc<CudaStream>,
    act: &str,
    #[len(m * n)] y: &mut CudaSlice<f16>,
    #[len(m * k)] x: &CudaSlice<f16>,
    #[len(k * n)] w: &CudaSlice<f16>,
    #[len(k * n)]
    #[init(uniform(-0.25, 0.25))]
    v: &CudaSlice<f16>,
    m: u32,
    n: u32,
    k: u32,
) -> bico::Result<()>;
