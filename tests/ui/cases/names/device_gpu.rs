use std::sync::Arc;

pub struct CudaStream;
pub struct CudaSlice<T>(T);

#[bico::tunable(
    source = "kernels/fill.cu",
    space(TILE in [4, 8]),
    require(device.has("avx2"), device.cores > 1, device.warp_sise == 32),
    launch(grid = n, block = TILE),
    problem(n = 64),
)]
fn fill(s: &Arc<CudaStream>, #[len(n)] out: &mut CudaSlice<f32>, n: u32) -> bico::Result<()>;

fn main() {}
