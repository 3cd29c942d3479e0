#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in [4, 8]),
    require(seed < TILE),
    problem(n = 64, seed = 1),
)]
fn condition(#[len(n)] out: &mut [f32], n: u32, #[value] seed: u32) -> bico::Result<()>;

#[bico::tunable(source = "kernels/fill.c", space(TILE in [4, 8]), problem(n = 64))]
fn range(#[len(n)] out: &mut [f32], n: u32, #[value(255)] seed: u32) -> bico::Result<()>;

#[bico::tunable(source = "kernels/fill.c", space(TILE in [4, 8]), problem(n = 64))]
fn buffer(#[len(n)] #[value] out: &mut [f32], n: u32) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in [4, 8], WIDE = TILE + seed),
    scratch(PARTIAL: f32, len = seed),
    problem(n = 64),
    work(flops = n * seed),
    score = TILE * seed,
    budget_scale = TILE + seed,
)]
fn elsewhere(#[len(n)] out: &mut [f32], n: u32, #[value(0..=255)] seed: u32) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in [4, 8]),
    problem(n = 64, seed = 1),
    problem(n = 64, seed = 2),
)]
fn same(
    #[len(n)] out: &mut [f32],
    n: u32,
    #[value] seed: u32,
    #[value(0..=4)] factor: f32,
    #[value(0..=seed)] last: u32,
) -> bico::Result<()>;

fn main() -> bico::Result<()> {
    condition_warm_up(1)?;
    condition(&mut [0.0], 1, 2)
}
