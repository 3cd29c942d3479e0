//! bico's types and cudarc's are the same ones here, whoever chose how cudarc finds the driver.

use cudarc::driver::{CudaContext, CudaStream, CudaViewMut};
use std::sync::Arc;

#[bico::tunable(
    source = "kernels/scale.cu",
    space(BLOCK in [64, 256], ITEMS in [1, 4]),
    launch(grid = n.div_ceil(BLOCK * ITEMS), block = BLOCK),
    problem(a = 2.0, n = 1_000_000),
)]
fn scale(
    stream: &Arc<CudaStream>,
    #[len(n)]
    #[init(ones)]
    x: &mut CudaViewMut<'_, f32>,
    a: f32,
    n: u32,
) -> bico::Result<()>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("{}", bico::config_of(scale_tunable(), &[1000])?);
    let stream = CudaContext::new(0)?.default_stream();
    let mut x = stream.clone_htod(&[1.0f32; 1000])?;
    scale(&stream, &mut x.slice_mut(..), 2.0, 1000)?;
    println!("{}", stream.clone_dtoh(&x)?[999]);
    Ok(())
}
