#[bico::tunable(
    source = "kernels/fill.c",
    inputs(file = "kernels/fill.cpp"),
    space(TILE in [4, 8]),
    problem(n = 64),
    verify(judge(file = "kernels/judge.c"), rtol = 1e-3),
)]
fn functions(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

#[bico::tunable(source = "kernels/fill.c", space(TILE in [4, 8]), problem(n = 64))]
fn parameter(#[len(n)] #[init(uniform(0, TILE))] out: &mut [u32], n: u32) -> bico::Result<()>;

#[bico::tunable(source = "kernels/fill.c", space(TILE in [4, 8]), problem(n = 64))]
fn integers(#[len(n)] #[init(normal(0, n))] out: &mut [u32], n: u32) -> bico::Result<()>;

#[bico::tunable(source = "kernels/fill.c", space(TILE in [4, 8]), problem(n = 64, seed = 1))]
fn twice(
    #[len(n)]
    #[init(uniform(0, 1), ones, file = "x.npy")]
    out: &mut [f32],
    #[len(n)]
    #[init(normal(0, 0), file = "x.csv")]
    x: &[f32],
    #[len(n)]
    #[init(uniform(0, device.cores))]
    y: &[u32],
    #[len(n)]
    #[init(uniform(0, seed))]
    z: &[u32],
    n: u32,
    #[value] seed: u32,
) -> bico::Result<()>;

fn main() -> bico::Result<()> {
    functions_warm_up(1)?;
    parameter(&mut [0], 1)?;
    integers(&mut [0], 1)
}
