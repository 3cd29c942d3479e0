//! One step of bodies that attract each other, as an array of structures or as arrays.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

/// `n` is a multiple of what a block handles. Arrays of structures and arrays hold the same bodies.
#[allow(clippy::too_many_arguments)]
#[bico::tunable(
    source = "../sources/ktt/Examples/Nbody/Nbody.cu",
    entry = "nbody_kernel",
    args(time, bodies, x, y, z, mass, moved, speeds, vx, vy, vz, sped, damping, softening, n),
    space(
        WORK_GROUP_SIZE_X in [16, 32, 64, 128, 256, 512],
        WORK_GROUP_SIZE_Y in [1, 2, 4, 8, 16],
        OUTER_UNROLL_FACTOR in [1, 2, 4, 8],
        INNER_UNROLL_FACTOR1 in [0, 1, 2, 4, 8, 16, 32],
        INNER_UNROLL_FACTOR2 in [0, 1, 2, 4, 8, 16, 32],
        USE_SOA in [0, 1],
        LOCAL_MEM in [0, 1],
        USE_CONSTANT_MEMORY in [0],
        VECTOR_TYPE in [1, 2, 4],
    ),
    require(
        INNER_UNROLL_FACTOR2 <= OUTER_UNROLL_FACTOR,
        INNER_UNROLL_FACTOR1 * INNER_UNROLL_FACTOR2 <= 256,
        VECTOR_TYPE == 1 || USE_SOA == 1,
        WORK_GROUP_SIZE_X * WORK_GROUP_SIZE_Y >= 64,
        WORK_GROUP_SIZE_X * WORK_GROUP_SIZE_Y <= 1024,
        n % (WORK_GROUP_SIZE_X * OUTER_UNROLL_FACTOR) == 0,
        n % (WORK_GROUP_SIZE_X * VECTOR_TYPE) == 0,
        n / (WORK_GROUP_SIZE_X * VECTOR_TYPE) % WORK_GROUP_SIZE_Y == 0,
        16 * (WORK_GROUP_SIZE_X * WORK_GROUP_SIZE_Y) * VECTOR_TYPE
            + 12 * OUTER_UNROLL_FACTOR * (WORK_GROUP_SIZE_X * WORK_GROUP_SIZE_Y) * VECTOR_TYPE
            <= device.shared_memory_per_block,
    ),
    flags = ["-use_fast_math"],
    launch(
        grid = n / (WORK_GROUP_SIZE_X * OUTER_UNROLL_FACTOR),
        block = (WORK_GROUP_SIZE_X, WORK_GROUP_SIZE_Y),
    ),
    problem(n = 1024, time = 0.001, damping = 0.5, softening = 0.01),
    work(flops = 20 * n * n, bytes = 64 * n),
    inputs(file = "c/nbody.c", entry = "fill"),
    verify(reference = "c/nbody.c", rtol = 1e-3),
    budget(evaluations = 12, seconds = 300),
)]
pub fn nbody(
    stream: &Arc<CudaStream>,
    #[len(n)]
    #[align(16)]
    moved: &mut CudaSlice<[f32; 4]>,
    #[len(n)]
    #[align(16)]
    sped: &mut CudaSlice<[f32; 4]>,
    #[len(n)]
    #[align(16)]
    bodies: &CudaSlice<[f32; 4]>,
    #[len(n)]
    #[align(16)]
    speeds: &CudaSlice<[f32; 4]>,
    #[len(n)]
    #[align(16)]
    x: &CudaSlice<f32>,
    #[len(n)]
    #[align(16)]
    y: &CudaSlice<f32>,
    #[len(n)]
    #[align(16)]
    z: &CudaSlice<f32>,
    #[len(n)]
    #[align(16)]
    mass: &CudaSlice<f32>,
    #[len(n)]
    #[align(16)]
    vx: &CudaSlice<f32>,
    #[len(n)]
    #[align(16)]
    vy: &CudaSlice<f32>,
    #[len(n)]
    #[align(16)]
    vz: &CudaSlice<f32>,
    time: f32,
    damping: f32,
    softening: f32,
    n: i32,
) -> bico::Result<()>;
