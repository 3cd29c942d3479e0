//! `args(..)`: what a kernel gets.

#[bico::tunable(
    source = "kernels/k.c",
    space(TILE in [1, 2]),
    scratch(NEAR: f32, len = n),
    args(y, y, 2 * n, z as u32, n as f16, missing as u32, null),
    problem(n = 1),
)]
fn wrong(#[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/k.cu",
    space(TILE in [1, 2]),
    launch(grid = n, block = 1),
    args(stream, y, n + 0.5 as u32, as u32, 1 as),
    problem(n = 1),
)]
fn also_wrong(#[len(n)] y: &mut CudaSlice<f32>, n: u32, stream: &std::sync::Arc<CudaStream>) -> bico::Result<()>;

fn main() {}
