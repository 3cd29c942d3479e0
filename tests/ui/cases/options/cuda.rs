use std::sync::Arc;

pub struct CudaStream;
pub struct CudaSlice<T>(T);

#[bico::tunable(
    source = "kernels/fill.cu",
    space(TILE in [4, 8]),
    launch(grid = n.div_ceil(TILE), block = TILE),
    problem(n = 64),
)]
fn fill(s: &Arc<CudaStream>, #[len(n)] out: &mut CudaSlice<f32>, n: u32) -> bico::Result<()>;

fn main() -> bico::Result<()> {
    fill(&Arc::new(CudaStream), &mut CudaSlice(0.0), 1)
}
