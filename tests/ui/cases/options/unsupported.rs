#[bico::tunable(
    sorce = "kernels/fill.c",
    source = "kernels/fill.c",
    space(TILE in [4, 8]),
    problem(n = 64),
    work(flop = n, bytes = 4 * n),
    budget(evals = 20),
    verify(refrence = "fill_naive"),
    measure(warm = true),
    unroll = 4,
)]
fn fill(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

fn main() -> bico::Result<()> {
    fill(&mut [0.0], 1)
}
