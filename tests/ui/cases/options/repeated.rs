#[bico::tunable(
    source = "kernels/fill.c",
    source = "kernels/other.c",
    space(TILE in [4, 8]),
    problem(n = 64),
    problem(n = 128),
    budget(seconds = 5, seconds = 6),
)]
fn fill(#[len(n)] #[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

fn main() -> bico::Result<()> {
    fill(&mut [0.0], 1)
}
