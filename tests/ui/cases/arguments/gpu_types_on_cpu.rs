use std::sync::Arc;

pub struct CudaStream;
pub struct CudaSlice<T>(T);

#[bico::tunable(source = "kernels/fill.c", space(TILE in [4, 8]), problem(n = 64))]
fn fill(
    stream: &Arc<CudaStream>,
    #[len(n)] x: &CudaSlice<f32>,
    #[len(n)] out: &mut CudaSlice<f32>,
    n: u32,
) -> bico::Result<()>;

fn main() -> bico::Result<()> {
    fill(&Arc::new(CudaStream), &CudaSlice(0.0), &mut CudaSlice(0.0), 1)
}
