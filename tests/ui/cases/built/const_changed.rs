const WIDTH: u32 = 16;

#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in [4, 8]),
    require(TILE <= WIDTH),
    problem(n = 64),
)]
fn const_changed(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

fn main() -> bico::Result<()> {
    const_changed(&mut [0.0], 1)
}
