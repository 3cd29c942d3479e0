//! Needleman and Wunsch: two sequences are aligned, a diagonal of blocks after the other.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

/// `matrix` has a row and a column more than there are letters, which say where it begins. As many launches as there are
/// diagonals: seven here, for up to four blocks a side.
#[bico::tunable(
    source = "../sources/rodinia/cuda/nw/needle_kernel.cu",
    space(RD_WG_SIZE in [16, 32, 64], REGISTERS in [32, 64, 128]),
    require(n.is_multiple_of(RD_WG_SIZE), n <= 4 * RD_WG_SIZE),
    flags = ["--maxrregcount={REGISTERS}"],
    pass(
        entry = "needle_cuda_shared_1",
        launch(grid = (n / RD_WG_SIZE).min(1), block = RD_WG_SIZE),
        args(reference, matrix, n + 1 as i32, penalty, 1 as i32, n / RD_WG_SIZE as i32),
    ),
    pass(
        entry = "needle_cuda_shared_1",
        launch(grid = if n / RD_WG_SIZE >= 2 { 2 } else { 0 }, block = RD_WG_SIZE),
        args(reference, matrix, n + 1 as i32, penalty, 2 as i32, n / RD_WG_SIZE as i32),
    ),
    pass(
        entry = "needle_cuda_shared_1",
        launch(grid = if n / RD_WG_SIZE >= 3 { 3 } else { 0 }, block = RD_WG_SIZE),
        args(reference, matrix, n + 1 as i32, penalty, 3 as i32, n / RD_WG_SIZE as i32),
    ),
    pass(
        entry = "needle_cuda_shared_1",
        launch(grid = if n / RD_WG_SIZE >= 4 { 4 } else { 0 }, block = RD_WG_SIZE),
        args(reference, matrix, n + 1 as i32, penalty, 4 as i32, n / RD_WG_SIZE as i32),
    ),
    pass(
        entry = "needle_cuda_shared_2",
        launch(grid = if n / RD_WG_SIZE > 3 { 3 } else { 0 }, block = RD_WG_SIZE),
        args(reference, matrix, n + 1 as i32, penalty, 3 as i32, n / RD_WG_SIZE as i32),
    ),
    pass(
        entry = "needle_cuda_shared_2",
        launch(grid = if n / RD_WG_SIZE > 2 { 2 } else { 0 }, block = RD_WG_SIZE),
        args(reference, matrix, n + 1 as i32, penalty, 2 as i32, n / RD_WG_SIZE as i32),
    ),
    pass(
        entry = "needle_cuda_shared_2",
        launch(grid = if n / RD_WG_SIZE > 1 { 1 } else { 0 }, block = RD_WG_SIZE),
        args(reference, matrix, n + 1 as i32, penalty, 1 as i32, n / RD_WG_SIZE as i32),
    ),
    problem(n = 64),
    work(bytes = 12 * n * n),
    verify(reference = "c/nw.c"),
    budget(evaluations = 12, seconds = 300),
)]
pub fn nw(
    stream: &Arc<CudaStream>,
    #[len((n + 1) * (n + 1))] reference: &CudaSlice<i32>,
    #[len((n + 1) * (n + 1))]
    #[init(uniform(-20, 20))]
    matrix: &mut CudaSlice<i32>,
    n: i32,
    #[value(1..=10)] penalty: i32,
) -> bico::Result<()>;
