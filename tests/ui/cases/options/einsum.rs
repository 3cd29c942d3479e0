#[bico::tunable(einsum = "mk, kn -> mz", problem(m = 64, n = 64, k = 64))]
fn letter(c: &mut [f32], a: &[f32], b: &[f32], m: u32, n: u32, k: u32) -> bico::Result<()>;

#[bico::tunable(einsum = "mk, k\u{6e} -> mj", problem(m = 64, n = 64, k = 64))]
fn escaped(c: &mut [f32], a: &[f32], b: &[f32], m: u32, n: u32, k: u32) -> bico::Result<()>;

#[bico::tunable(einsum = "mk, k -> m", problem(m = 64, k = 64))]
fn vector(c: &mut [f32], a: &[f32], b: &[f32], m: u32, k: u32) -> bico::Result<()>;

#[bico::tunable(einsum = "mk, kn -> mn", problem(m = 64, n = 64))]
fn argument(c: &mut [f32], a: &[f32], b: &[f32], m: u32, n: u32) -> bico::Result<()>;

#[bico::tunable(einsum = "mk, kn -> mn", problem(m = 64, n = 64))]
fn size(c: &mut [f32], a: &[f32], b: &[f32], m: u32, n: u32, k: u32) -> bico::Result<()>;

#[bico::tunable(einsum = "mk, kn -> mn", source = "kernels/gemm.c", problem(m = 64, n = 64, k = 64))]
fn source(c: &mut [f32], a: &[f32], b: &[f32], m: u32, n: u32, k: u32) -> bico::Result<()>;

#[bico::tunable(
    einsum = "mk, kn -> mn",
    space(M_PRIN in [64]),
    verify(reference = "naive"),
    problem(m = 64, n = 64, k = 64),
)]
fn options(c: &mut [f32], a: &[f32], b: &[f32], m: u32, n: u32, k: u32) -> bico::Result<()>;

#[bico::tunable(einsum = "mk, kn -> mn", problem(m = 64, n = 64, k = 64))]
fn elements(c: &mut [f64], a: &[f32], b: &[f32], m: u32, n: u32, k: u32) -> bico::Result<()>;

#[bico::tunable(einsum = "mk, kn -> mn", problem(m = 64, n = 64, k = 64, const ACT = "silu"))]
fn constant(c: &mut [f32], a: &[f32], b: &[f32], m: u32, n: u32, k: u32) -> bico::Result<()>;

#[bico::tunable(einsum = "mk, kn -> mn", problem(m = 64, n = 64, k = 64))]
fn length(#[len(m * n)] c: &mut [f32], a: &[f32], b: &[f32], m: u32, n: u32, k: u32) -> bico::Result<()>;

fn main() -> bico::Result<()> {
    vector(&mut [0.0], &[0.0], &[0.0], 1, 1)?;
    letter(&mut [0.0], &[0.0], &[0.0], 1, 1, 1)
}
