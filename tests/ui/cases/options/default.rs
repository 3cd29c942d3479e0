#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in [4, 8], UNROLL in [1, 2], BYTES = 4 * TILE),
    problem(n = 64),
    default = { TILE: 5, UNROL: 1, BYTES: 16 },
)]
fn values(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in [4, 8], UNROLL in [1, 2], KIND in ["plain"], SIZE in 1..=4),
    problem(n = 64),
    default = { TILE: 4 },
)]
fn missing(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in [4, 8]),
    problem(n = 64),
    default = { TILE = 4 },
)]
fn mark(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in [4, 8]),
    problem(n = 64),
    default = [4],
)]
fn form(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in [4, 8]),
    problem(n = 64),
    default = { TILE: "4", TILE: 8 },
)]
fn kind(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

fn main() {}
