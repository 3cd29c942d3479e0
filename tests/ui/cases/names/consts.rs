#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in [4, 8]),
    problem(n = 64, const K = 1, const out = 1),
    problem(n = 64, const K = 1, const out = 1),
    problem(n = 32, const K = "1", const out = 1),
    problem(n = 16, const K = [1, 2], const out = 1),
    problem(n = 8, const fn = 1),
)]
fn fill(#[len(n)] out: &mut [f32], n: u32, k: u32) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in [4, 8]),
    problem(n = 64, const ACT = "silu"),
    problem(n = 32, const ACT = 1),
)]
fn kinds(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

fn main() {}
