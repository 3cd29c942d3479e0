#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in power_of_two(4..=8), LANES in [4, 8]),
    require(
        TILE.minn(3) > 1,
        TILE.clone() > 1,
        TILE.min() > 1,
        TILE.abs(1, 2) > 1,
        TILE.pow::<u32>(3) > 1,
        TILE.pow(-1) > 1,
        min(TILE, LANES) > 1,
        fits(TILE),
        (TILE)(LANES),
    ),
    problem(n = 64),
)]
fn fill(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

fn main() {}
