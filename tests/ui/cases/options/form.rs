#[bico::tunable(
    source("kernels/fill.c"),
    space = [4, 8],
    problem: 64,
    score,
    name =,
    entry == "fill",
)]
fn fill(#[len] out: &mut [f32], n: u32) -> bico::Result<()>;

fn main() -> bico::Result<()> {
    fill(&mut [0.0], 1)
}
