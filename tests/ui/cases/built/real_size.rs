#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in [4, 8]),
    require(scale > 0.0, !fast || TILE > 4),
    problem(n = 64, scale = 0.5, fast = true),
)]
fn real_size(#[len(n)] out: &mut [f32], n: u32, scale: f64, fast: bool) -> bico::Result<()>;

fn main() -> bico::Result<()> {
    real_size(&mut [0.0], 1, 0.5, true)
}
