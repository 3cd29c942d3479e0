#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in [4, 8]),
    problem(n = 64),
    verify(reference = "reference.py", rtol = -1, atol = "small"),
)]
fn language(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in [4, 8]),
    problem(n = 64),
    verify(reference = "fill_naive", entry = "naive", launch(grid = 1, block = 1)),
)]
fn entry(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in [4, 8]),
    problem(n = 64),
    verify(reference = "reference.c", entry = "naive fill", launch(grid = 1, block = 1)),
)]
fn file(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in [4, 8]),
    problem(n = 64),
    verify(entry = "naive"),
)]
fn missing(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in [4, 8]),
    problem(n = 64),
    verify(reference = fill_naive),
)]
fn unquoted(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in [4, 8]),
    problem(n = 64),
    verify(live = 1),
)]
fn live(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in [4, 8]),
    problem(n = 64),
    verify(rtol(out = 1e-3, n = 1, out = 1e-4), atol(in), atol(out = 1), rtol = 1e-3, rtol = 1e-2),
)]
fn outputs(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/fill.cu",
    space(TILE in [4, 8]),
    problem(n = 64),
    launch(grid = 1, block = 1),
    verify(live = true),
)]
fn live_on_a_gpu(
    stream: &Arc<CudaStream>,
    #[len(n)] out: &mut CudaSlice<f32>,
    n: u32,
) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in [4, 8], ISA in ["x86-64-v2", "x86-64-v3"]),
    problem(n = 64),
    verify(reference = "naive", with(TIEL = 4, TILE = "4", ISA = "x86-64-v2", ISA = n, TILE in [4])),
)]
fn with(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in [4, 8], ISA in ["x86-64-v2", "x86-64-v3"]),
    problem(n = 64),
    verify(reference = "naive.c", with(TILE = n, ISA(4))),
)]
fn with_of_a_file(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

fn main() {}
