#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in [4, 8]),
    problem(n = 64),
    problem(rows = 64, rows = 32, small = 256, scale = 1),
    problem(n = -1, rows = "many", small = 0.5, scale = true),
    problem(n = 64, rows = 64, small = 1, scale = 0.5, out = 1, row = 1),
)]
fn fill(
    #[len(n)] out: &mut [f32],
    n: u32,
    rows: u32,
    small: u8,
    scale: f64,
) -> bico::Result<()>;

fn main() -> bico::Result<()> {
    fill(&mut [0.0], 1, 1, 1, 0.5)
}
