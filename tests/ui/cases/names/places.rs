#[bico::tunable(
    source = "kernels/fill.c",
    entry = if device.cores == 1 { "fill_1" } else { "fill" },
    space(TILE in [4, n], SPLIT = LATER, LATER in [1, 2], OWN = OWN + 1),
    require(out > 1),
    flags = ["-DN={n}"],
    problem(n = m, m = TILE, const ACT = n),
    problem(n = device.cores, m = 1, const ACT = "silu"),
    problem(const ACT = "relu", n = ACT, m = 1),
)]
fn fill(#[len(n)] out: &mut [f32], n: u32, m: u32, act: &str) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/fill.c",
    entry = if n > 1 { "fill" } else { "fill_1" },
    space(TILE in [4, 8]),
    problem(n = 64),
)]
fn entry(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

fn main() {}
