//! A square matrix, transposed: with other sides the kernel itself is wrong.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

#[bico::tunable(
    source = "../sources/ktt/Examples/Transpose/Transpose.cu",
    entry = "mtran",
    args(y, x, width, width),
    space(
        VECTOR_TYPE in [1, 2, 4],
        CR in [0, 1],
        LOCAL_MEM in [0, 1],
        PADD_LOCAL in [0, 1],
        WORK_GROUP_SIZE_X in powers_of_two(1..=64),
        WORK_GROUP_SIZE_Y in powers_of_two(1..=64),
        TILE_SIZE_X in powers_of_two(1..=64),
        TILE_SIZE_Y in powers_of_two(1..=64),
        DIAGONAL_MAP in [0, 1],
    ),
    require(
        TILE_SIZE_X == WORK_GROUP_SIZE_X,
        TILE_SIZE_Y % WORK_GROUP_SIZE_Y == 0,
        LOCAL_MEM == 0 || TILE_SIZE_Y <= WORK_GROUP_SIZE_X * WORK_GROUP_SIZE_Y,
        LOCAL_MEM == 1 || PADD_LOCAL == 0,
        LOCAL_MEM == 0 || VECTOR_TYPE == 1,
        TILE_SIZE_X * VECTOR_TYPE <= 64,
        WORK_GROUP_SIZE_X * WORK_GROUP_SIZE_Y >= 32,
        width % (TILE_SIZE_X * VECTOR_TYPE) == 0,
        width % TILE_SIZE_Y == 0,
    ),
    launch(
        grid = (width / TILE_SIZE_X / VECTOR_TYPE, width / TILE_SIZE_Y),
        block = (WORK_GROUP_SIZE_X, WORK_GROUP_SIZE_Y),
    ),
    problem(width = 256),
    work(bytes = 8 * width * width),
    verify(reference = "c/transpose.c"),
    budget(evaluations = 12, seconds = 300),
)]
pub fn transpose(
    stream: &Arc<CudaStream>,
    #[len(width * width)]
    #[align(16)]
    y: &mut CudaSlice<f32>,
    #[len(width * width)]
    #[align(16)]
    x: &CudaSlice<f32>,
    width: i32,
) -> bico::Result<()>;
