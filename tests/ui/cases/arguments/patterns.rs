#[bico::tunable(source = "kernels/fill.c", space(TILE in [4, 8]), problem(n = 64))]
fn fill(
    #[len(n)] out: &mut [f32],
    (rows, columns): (u32, u32),
    mut step: u32,
    _: u32,
    n: u32,
    n: u32,
) -> bico::Result<()>;

fn main() -> bico::Result<()> {
    fill(&mut [0.0], (1, 1), 1, 1, 1, 1)
}
