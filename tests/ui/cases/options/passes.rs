//! `pass(..)`: kernels in a row.

#[bico::tunable(
    source = "kernels/k.c",
    entry = "first",
    args(y, x, n),
    space(TILE in [1, 2]),
    scratch(NEAR: f32, len = n.div_ceil(TILE)),
    pass(entry = "first", args(x, n)),
    pass(launch(grid = 1, block = 1), args(x)),
    problem(n = 1),
)]
fn wrong(#[len(n * TILE)] y: &mut [f32], #[len(n * TILE)] x: &[f32], n: u32) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/k.cu",
    space(TILE in [1, 2]),
    pass(entry = "first", launch(grid = n, block = 1)),
    pass(entry = "second"),
    problem(n = 1),
    verify(reference = "plain"),
)]
fn also_wrong(#[len(n)] y: &mut CudaSlice<f32>, n: u32, stream: &std::sync::Arc<CudaStream>) -> bico::Result<()>;

fn main() {}
