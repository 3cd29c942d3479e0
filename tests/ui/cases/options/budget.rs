#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in [4, 8]),
    problem(n = 64),
    budget(evaluations = 0, seconds = 0, seed = -1, strategy = "gided"),
    measure(cache = hot),
)]
fn values(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in [4, 8]),
    problem(n = 64),
    budget(evaluations = 2.5, seconds = "5", seed = TILE, strategy = guided),
)]
fn kinds(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

fn main() {}
