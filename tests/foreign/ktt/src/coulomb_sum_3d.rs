//! The potential of atoms at the points of a grid, added to what is there.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

#[allow(clippy::too_many_arguments)]
#[bico::tunable(
    source = "../sources/ktt/Examples/CoulombSum3d/CoulombSum3d.cu",
    entry = "directCoulombSum",
    args(atoms, x, y, z, charge, count, spacing, side, energy),
    space(
        WORK_GROUP_SIZE_X in [16, 32],
        WORK_GROUP_SIZE_Y in [1, 2, 4, 8],
        WORK_GROUP_SIZE_Z in [1],
        Z_ITERATIONS in [1, 2, 4, 8, 16, 32],
        INNER_UNROLL_FACTOR in [0, 1, 2, 4, 8, 16, 32],
        USE_CONSTANT_MEMORY in [0],
        USE_SOA in [0, 1],
        VECTOR_SIZE in [1],
    ),
    require(INNER_UNROLL_FACTOR < Z_ITERATIONS, WORK_GROUP_SIZE_X * WORK_GROUP_SIZE_Y >= 64),
    flags = ["-use_fast_math"],
    launch(
        grid = (side.div_ceil(WORK_GROUP_SIZE_X), side.div_ceil(WORK_GROUP_SIZE_Y), side.div_ceil(Z_ITERATIONS)),
        block = (WORK_GROUP_SIZE_X, WORK_GROUP_SIZE_Y),
    ),
    problem(count = 64, spacing = 0.5, side = 32),
    work(flops = 10 * count * side * side * side, bytes = 8 * side * side * side),
    inputs(file = "c/coulomb_sum_3d.c", entry = "fill"),
    verify(reference = "c/coulomb_sum_3d.c", rtol = 1e-3),
    budget(evaluations = 12, seconds = 300),
)]
pub fn coulomb_sum_3d(
    stream: &Arc<CudaStream>,
    #[len(count)]
    #[align(16)]
    atoms: &CudaSlice<[f32; 4]>,
    #[len(count)] x: &CudaSlice<f32>,
    #[len(count)] y: &CudaSlice<f32>,
    #[len(count)] z: &CudaSlice<f32>,
    #[len(count)] charge: &CudaSlice<f32>,
    count: i32,
    spacing: f32,
    side: i32,
    #[len(side * side * side)]
    #[init(uniform(0, 1))]
    energy: &mut CudaSlice<f32>,
) -> bico::Result<()>;
