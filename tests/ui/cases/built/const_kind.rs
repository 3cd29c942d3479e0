const WIDTH: &[u32] = &[8, 16];

#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in [4, 8]),
    require(TILE <= WIDTH),
    problem(n = 64),
)]
fn const_kind(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

fn main() {}
