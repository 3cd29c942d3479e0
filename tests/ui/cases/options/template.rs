#[bico::tunable(
    source = "kernels/fill.cpp",
    template = [TILE, TILES, UNROLL, TILE, 8],
    space(TILE in [4, 8]),
    problem(n = 64),
)]
fn fill(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/fill.cpp",
    template = TILE,
    space(TILE in [4, 8]),
    problem(n = 64),
)]
fn single(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

fn main() {}
