#[bico::tunable(
    source = "kernels/fill.c",
    entry = "fill fast",
    name = "f32:fill",
    crate = "bico",
    space(TILE in [4, 8]),
    problem(n = 64),
)]
fn fill(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/fill.c",
    entry = "",
    name = "",
    space(TILE in [4, 8]),
    problem(n = 64),
)]
fn empty(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/fill.c",
    entry = if TILE == 4 { "fill_4" } else { 8 },
    name = 32,
    space(TILE in [4, 8]),
    problem(n = 64),
)]
fn number(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

fn main() {}
