#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in [4, 8]),
    compiler = "clang",
    link = ["libgomp.so", "-lm", ""],
    threads = TILE,
    problem(n = 64),
)]
fn on_a_cpu(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in [4, 8]),
    compiler = "nvcc",
    threads = n,
    problem(n = 64),
)]
fn by_nvcc(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/fill.cu",
    space(TILE in [4, 8]),
    launch(grid = 1, block = TILE),
    link = ["m"],
    threads = device.multiprocessors,
    compiler = "gcc",
    problem(n = 64),
)]
fn on_a_gpu(stream: &Arc<CudaStream>, #[len(n)] out: &mut CudaSlice<f32>, n: u32) -> bico::Result<()>;

fn main() {}
