#[bico::tunable(
    source = "kernels/fill.c",
    template = [TILE],
    space(TILE in [4, 8]),
    launch(grid = n.div_ceil(TILE), block = TILE),
    problem(n = 64),
)]
fn fill(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

fn main() -> bico::Result<()> {
    fill(&mut [0.0], 1)
}
