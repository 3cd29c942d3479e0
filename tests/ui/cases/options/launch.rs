use std::sync::Arc;

pub struct CudaStream;
pub struct CudaSlice<T>(T);

#[bico::tunable(source = "kernels/fill.cu", space(TILE in [4, 8]), problem(n = 64))]
fn none(s: &Arc<CudaStream>, #[len(n)] out: &mut CudaSlice<f32>, n: u32) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/fill.cu",
    space(TILE in [4, 8]),
    launch(blocks = n),
    problem(n = 64),
)]
fn empty(s: &Arc<CudaStream>, #[len(n)] out: &mut CudaSlice<f32>, n: u32) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/fill.cu",
    space(TILE in [4, 8]),
    launch(grid = (), block = (TILE, 1, 1, 1), shared = 0.5),
    problem(n = 64),
)]
fn extents(s: &Arc<CudaStream>, #[len(n)] out: &mut CudaSlice<f32>, n: u32) -> bico::Result<()>;

fn main() {}
