#[bico::tunable(source = "kernels/fill.c", space(TILE in [4, 8]), problem(n = 64))]
fn nothing(#[len(n)] out: &mut [f32], n: u32, act: &str) -> bico::Result<()>;

#[bico::tunable(source = "kernels/fill.c", space(TILE in [4, 8]), problem(n = 64, act = "silu"))]
fn size(#[len(n)] out: &mut [f32], n: u32, act: &str) -> bico::Result<()>;

#[bico::tunable(source = "kernels/fill.c", space(TILE in [4, 8]), problem(n = 64, const ACT = 3))]
fn kind(#[len(n)] out: &mut [f32], n: u32, act: &str) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in [4, 8]),
    problem(n = 64, const ACT = "silu"),
    problem(n = 64, const ACT = "relu"),
)]
fn unselected(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

fn main() -> bico::Result<()> {
    nothing(&mut [0.0], 1, "silu")
}
