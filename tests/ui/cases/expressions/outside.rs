#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in [4, 8], LANES in vec![4, 8]),
    require(
        TILE & 3 == 0,
        [4, 8].iter().any(|tile| tile == TILE),
        TILE = 4,
        TILE <= usize::MAX,
        LANES[0] > 1,
        (TILE, LANES) == (4, 8),
        if let 4 = TILE { true } else { false },
        *TILE > 1,
        return,
        TILE.width > 1,
    ),
    score = { let mut best = 0; best += TILE; best },
    problem(n = 64),
)]
fn fill(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

fn main() {}
