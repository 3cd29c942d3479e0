#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE_M in [4, 8], TILE_N = TILE_m * 2),
    require(TILE_K * TILE_M <= 64, m > 1),
    work(flops = 2 * size),
    score = tile_n,
    problem(n = 64),
)]
fn fill(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

fn main() {}
