use std::sync::Arc;

pub struct CudaStream;
pub struct CudaSlice<T>(T);

#[bico::tunable(
    source = "kernels/polygon.cu",
    space(TILE in [4, 8]),
    launch(grid = n, block = 1),
    problem(n = 64, v = 8, scale = 0.5)
)]
fn inside(
    stream: &Arc<CudaStream>,
    #[len(n)] y: &mut CudaSlice<u8>,
    #[constant(d_all)]
    #[len(v)]
    on_gpu: &CudaSlice<f32>,
    #[constant(d_left)]
    #[len(v)]
    left: &mut [f32],
    #[constant(d_scale)] scale: f32,
    #[constant("d_text")]
    #[len(v)]
    text: &[f32],
    #[constant]
    #[len(v)]
    bare: &[f32],
    #[constant(d_vertices)]
    #[len(v)]
    vertices: &[f32],
    #[constant(d_vertices)]
    #[len(v)]
    again: &[f32],
    #[constant(d_twice)]
    #[constant(d_thrice)]
    #[len(v)]
    twice: &[f32],
    #[constant(d_aligned)]
    #[align(64)]
    #[len(v)]
    aligned: &[f32],
    #[constant(d_unmeasured)] unmeasured: &[f32],
    #[len(v)] forgotten: &[f32],
    n: u32,
    v: u32,
) -> bico::Result<()>;

#[bico::tunable(source = "kernels/polygon.c", space(TILE in [4, 8]), problem(n = 64))]
fn on_cpu(
    #[len(n)] y: &mut [u8],
    #[constant(d_vertices)]
    #[len(n)]
    vertices: &[f32],
    n: u32,
) -> bico::Result<()>;

#[bico::tunable(einsum = "mk, kn -> mn", problem(m = 64, n = 64, k = 64))]
fn product(
    stream: &Arc<CudaStream>,
    c: &mut CudaSlice<f32>,
    a: &CudaSlice<f32>,
    #[constant(d_b)] b: &[f32],
    m: u32,
    n: u32,
    k: u32,
) -> bico::Result<()>;

fn main() {}
