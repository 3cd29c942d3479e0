#[bico::tunable(
    source = "kernels/fill.c",
    space(#[cfg(unix)] TILE in [4, 8], UNROLL in [1, 2]),
    problem(n = 64),
    #[cfg(feature = "thorough")]
    budget(seconds = 60),
)]
fn fill(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

fn main() -> bico::Result<()> {
    fill(&mut [0.0], 1)
}
