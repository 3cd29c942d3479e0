#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in [4, 8], LANES in [1, 2]),
    problem(n = 64),
    budget_scale = 4 * n,
)]
fn constant(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in [4, 8], LANES in [1, 2]),
    problem(n = 64),
    budget_scale = TILE > LANES,
)]
fn kind(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in [4, 8], LANES in [1, 2]),
    problem(n = 64),
    budget_scale(TILE),
)]
fn form(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

fn main() {}
