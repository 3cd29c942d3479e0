#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in [4, 8]),
    require(TILE <= MAX_TILE),
    problem(n = 64),
)]
fn unknown_const(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

fn main() -> bico::Result<()> {
    unknown_const(&mut [0.0], 1)
}
