//! CUDA kernels whose data says what a test or a bench wants: see `build.rs` and `data`.

use bico::cudarc::driver::{CudaSlice, CudaStream, CudaView, CudaViewMut};
use std::sync::Arc;

/// PTX of a kernel that does nothing, with the parameters of [`nothing`].
pub const NOTHING: &str = include_str!("../kernels/nothing.ptx");

/// The same of [`nothing_mapped`].
pub const NOTHING_MAPPED: &str = include_str!("../kernels/nothing_mapped.ptx");

/// y = x + delta. Tuned for an A100 at two sizes and for an H200 at one.
#[bico::tunable(
    source = "kernels/shift.cu",
    template = [TILE, KIB],
    space(TILE in [64, 128], KIB in [4, 96, 160]),
    require(1024 * KIB <= device.shared_memory_per_block_optin),
    launch(grid = n.div_ceil(TILE), block = TILE, shared = 1024 * KIB),
    problem(n = 1000, delta = 0.5),
    problem(n = 100_000, delta = 0.5),
    score = KIB,
)]
pub fn shift(
    stream: &Arc<CudaStream>,
    #[len(n)] y: &mut CudaSlice<f32>,
    #[len(n)] x: &CudaSlice<f32>,
    n: u32,
    delta: f32,
) -> bico::Result<()>;

/// What arrives of an argument of each width. The stream need not come first.
#[allow(clippy::too_many_arguments, reason = "one of each width")]
#[bico::tunable(
    source = "kernels/widths.cu",
    space(BLOCK in [32]),
    launch(grid = 1, block = BLOCK),
    problem(a = 1, b = 2, c = 3, d = 4, e = 5.0, f = 6.0, g = true),
)]
pub fn widths(
    #[len(7)] out: &mut CudaViewMut<'_, f64>,
    a: i8,
    b: u16,
    c: i32,
    d: i64,
    e: f32,
    f: f64,
    g: bool,
    stream: &Arc<CudaStream>,
) -> bico::Result<()>;

/// y = x * x, with scratch memory.
#[bico::tunable(
    source = "kernels/squares.cu",
    template = [ROOM],
    space(ROOM in [3]),
    launch(grid = n.div_ceil(32), block = 32),
    problem(n = 1000),
    scratch(SQUARED: i32, len = n * ROOM),
    scratch(MARKS: i16, len = n),
)]
pub fn squares(
    stream: &Arc<CudaStream>,
    #[len(n)] y: &mut CudaSlice<i32>,
    #[len(n)]
    #[align(16)]
    x: &CudaView<'_, i32>,
    n: u32,
) -> bico::Result<()>;

/// y = x + what the zeroed scratch holds, and leaves it so behind.
#[bico::tunable(
    source = "kernels/locks.cu",
    entry = "locks",
    template = [LEAVE],
    space(LEAVE in [0]),
    launch(grid = n.div_ceil(32), block = 32),
    problem(n = 1000),
    scratch(MARKS: u32, len = n),
    scratch(LOCKS: u32, len = n, zeroed),
    scratch(NONE: u64, len = 0, zeroed),
)]
pub fn clean(
    stream: &Arc<CudaStream>,
    #[len(n)] y: &mut CudaSlice<i32>,
    #[len(n)] x: &CudaSlice<i32>,
    n: u32,
) -> bico::Result<()>;

/// y = x + what the zeroed scratch holds, and leaves ones behind.
#[bico::tunable(
    source = "kernels/locks.cu",
    entry = "locks",
    template = [LEAVE],
    space(LEAVE in [1]),
    launch(grid = n.div_ceil(32), block = 32),
    problem(n = 1000),
    scratch(MARKS: u32, len = n),
    scratch(LOCKS: u32, len = n, zeroed),
    scratch(NONE: u64, len = 0, zeroed),
)]
pub fn dirty(
    stream: &Arc<CudaStream>,
    #[len(n)] y: &mut CudaSlice<i32>,
    #[len(n)] x: &CudaSlice<i32>,
    n: u32,
) -> bico::Result<()>;

/// Nothing, at the cost of a launch.
///
/// # Safety
///
/// There is none to keep: it is unsafe to show that such wrappers work.
#[bico::tunable(
    source = "kernels/nothing.cu",
    space(TILE in [64]),
    launch(grid = n.div_ceil(TILE), block = TILE),
    problem(n = 1000, delta = 0.5),
)]
pub unsafe fn nothing(
    stream: &Arc<CudaStream>,
    #[len(n)] y: &mut CudaSlice<f32>,
    #[len(n)] x: &CudaSlice<f32>,
    n: u32,
    delta: f32,
) -> bico::Result<()>;

/// Nothing as well, with tensor maps in place of addresses.
///
/// # Safety
///
/// As [`nothing`].
#[bico::tunable(
    source = "kernels/nothing_mapped.cu",
    space(TILE in [64]),
    launch(grid = n.div_ceil(TILE), block = TILE),
    args(
        tensor_map(y, dims = (n, 4), box = (64, 4)),
        tensor_map(x, dims = (n, 4), box = (64, 4)),
        n,
        delta
    ),
    problem(n = 1024, delta = 0.5),
)]
pub unsafe fn nothing_mapped(
    stream: &Arc<CudaStream>,
    #[len(4 * n)] y: &mut CudaSlice<f32>,
    #[len(4 * n)] x: &CudaSlice<f32>,
    n: u32,
    delta: f32,
) -> bico::Result<()>;

/// y = 2 x + 1, and the config that did it. No GPU was tuned for.
#[bico::tunable(
    source = "kernels/pick.cu",
    template = [ID, ROOM],
    space(ID in 0..6, ROOM in [1]),
    launch(grid = n.div_ceil(32), block = 32),
    problem(n = 1000),
    scratch(TWICE: f32, len = n * ROOM),
    score = -ID,
)]
pub fn pick(
    stream: &Arc<CudaStream>,
    #[len(n)] y: &mut CudaSlice<f32>,
    #[len(1)] who: &mut CudaSlice<i32>,
    #[len(n)] x: &CudaSlice<f32>,
    n: u32,
) -> bico::Result<()>;

/// The same of ROOM copies of x: configs ask for buffers of different length.
#[bico::tunable(
    source = "kernels/pick.cu",
    entry = "pick",
    template = [ID, ROOM],
    space(ROOM in [1, 2, 4], ID = ROOM.ilog2()),
    launch(grid = n.div_ceil(32), block = 32),
    problem(n = 1000),
    scratch(TWICE: f32, len = n * ROOM),
    score = -ID,
)]
pub fn roomy(
    stream: &Arc<CudaStream>,
    #[len(n)] y: &mut CudaSlice<f32>,
    #[len(1)] who: &mut CudaSlice<i32>,
    #[len(n * ROOM)] x: &CudaSlice<f32>,
    n: u32,
) -> bico::Result<()>;

/// y = x times weights, which lie in constant memory.
#[bico::tunable(
    source = "kernels/weighted.cu",
    space(ANY in [1]),
    launch(grid = n.div_ceil(32), block = 32),
    problem(n = 1000),
)]
pub fn weighted(
    stream: &Arc<CudaStream>,
    #[constant(d_weights)]
    #[len(4)]
    weights: &[i32],
    #[len(n)] y: &mut CudaSlice<i32>,
    #[len(n)] x: &CudaSlice<i32>,
    n: u32,
) -> bico::Result<()>;
