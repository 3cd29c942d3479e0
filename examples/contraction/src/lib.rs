//! From an einsum to a tuned kernel.

pub mod race;
pub mod steps;
pub mod table;

/// What is computed: a batch of matrix products.
pub const EINSUM: &str = "cmk, ckn -> cmn";
/// The problem of the attribute: c, m, n, k.
pub const SIZES: [u32; 4] = [4, 512, 512, 512];

/// O = A * B for each c: A is c x m x k, B is c x k x n, O is c x m x n, dense and row-major.
#[bico::tunable(
    einsum = "cmk, ckn -> cmn",
    problem(c = 4, m = 512, n = 512, k = 512),
    budget(evaluations = 64, seconds = 60)
)]
pub fn contract(
    o: &mut [f32],
    a: &[f32],
    b: &[f32],
    c: u32,
    m: u32,
    n: u32,
    k: u32,
) -> bico::Result<()>;
