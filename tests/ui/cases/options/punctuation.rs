#[bico::tunable(
    source = "kernels/fill.c",,
    space(TILE in [4, 8]; UNROLL in [1, 2]),
    problem(n = 64) budget(seconds = 5),
    require(TILE > 4 TILE < 8),
    score = TILE +,
    "fill",
)]
fn fill(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

fn main() -> bico::Result<()> {
    fill(&mut [0.0], 1)
}
