use std::sync::Arc;

pub struct CudaStream;
pub struct CudaSlice<T>(T);

pub struct CudaView<'a, T>(&'a T);
pub struct CudaViewMut<'a, T>(&'a mut T);

#[bico::tunable(
    source = "kernels/fill.cu",
    space(TILE in [4, 8]),
    launch(grid = n, block = TILE),
    problem(n = 64),
)]
fn no_stream(#[len(n)] out: &mut CudaSlice<f32>, n: u32) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/fill.cu",
    space(TILE in [4, 8]),
    launch(grid = n, block = TILE),
    problem(n = 64),
)]
fn streams(
    s: &Arc<CudaStream>,
    t: &Arc<CudaStream>,
    u: &CudaStream,
    #[len(n)] x: &[f32],
    #[len(n)] y: &mut CudaView<'_, f32>,
    #[len(n)] z: &CudaViewMut<'_, f32>,
    #[len(n)] w: CudaSlice<f32>,
    #[len(n)] v: &CudaSlice<String>,
    option: Option<f32>,
    #[len(n)] out: &mut [f32],
    n: u32,
) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/fill.cu",
    space(TILE in [4, 8]),
    launch(grid = n, block = TILE),
    problem(n = 64),
)]
fn values(
    s: Arc<CudaStream>,
    #[len(n)] x: CudaView<'_, f32>,
    #[len(n)] y: CudaViewMut<'_, f32>,
    n: u32,
) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/fill.cu",
    space(TILE in [4, 8]),
    launch(grid = n, block = TILE),
    problem(n = 64),
)]
fn any(
    s: &Arc<CudaStream>,
    #[len(n)] x: &mut impl DevicePtr<f32>,
    #[len(n)] y: &impl DevicePtrMut<f32>,
    #[len(n)] z: impl DevicePtr<f32>,
    #[len(n)] w: &impl AsRef<[f32]>,
    n: u32,
) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/fill.cu",
    space(TILE in [4, 8]),
    launch(grid = n, block = TILE),
    problem(n = 64),
)]
fn textures(
    s: &Arc<CudaStream>,
    #[len(n)] out: &mut CudaSlice<f32>,
    #[len(n)] mask: Option<&CudaSlice<f32>>,
    image: cudaTextureObject_t,
    surface: sys::CUsurfObject,
    texture: &CudaTexture,
    n: u32,
) -> bico::Result<()>;

fn main() {}
