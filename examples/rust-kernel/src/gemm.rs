//! C = A * B in safe Rust, blocked and packed, with tiles that are const parameters.

/// Whether a fused multiply-add is one instruction; where it is none, it is a slow function.
const FUSED: bool = cfg!(any(target_feature = "fma", target_arch = "aarch64"));

/// C = A * B in FP32, all dense and row-major: C is m x n, A is m x k, B is k x n.
#[bico::tunable(
    space(
        ISA in ["x86-64-v2", "x86-64-v3", "x86-64-v4"],
        MR in [1, 2, 4, 6, 8, 12],
        NR in [4, 8, 16, 32, 64],
        KC in [64, 128, 256, 512],
        MC in [24, 96, 384],
    ),
    require(
        device.has(ISA),
        MR * NR <= 512,
        4 * KC * (MR + NR) <= 4 * device.l1d_bytes,
        4 * MC * KC <= device.l2_bytes,
    ),
    flags = ["-Ctarget-cpu={ISA}", "-Ctarget-feature=-prefer-256-bit"],
    ship = measured,
    problem(m = 1024, n = 1024, k = 1024),
    work(flops = 2 * m * n * k),
    default = { ISA: "x86-64-v2", MR: 4, NR: 8, KC: 256, MC: 96 },
    verify(reference = "plain", rtol = 1e-4),
    budget(evaluations = 48, seconds = 60),
)]
pub(crate) fn gemm<const MR: usize, const NR: usize, const KC: usize, const MC: usize>(
    #[len(m * n)] c: &mut [f32],
    #[len(m * k)] a: &[f32],
    #[len(k * n)] b: &[f32],
    m: usize,
    n: usize,
    k: usize,
) {
    blocked::<MR, NR, KC, MC>(c, a, b, m, n, k);
}

/// What is tuned, for callers that choose for themselves.
pub(crate) fn blocked<const MR: usize, const NR: usize, const KC: usize, const MC: usize>(
    c: &mut [f32],
    a: &[f32],
    b: &[f32],
    m: usize,
    n: usize,
    k: usize,
) {
    c.fill(0.0);
    let depth = KC.min(k).max(1);
    let mut packed_b = vec![[0.0; NR]; depth * n.div_ceil(NR)];
    let mut packed_a = vec![[0.0; MR]; depth * MC.min(m).div_ceil(MR)];
    for p in (0..k).step_by(KC) {
        let kc = KC.min(k - p);
        for (panel, column) in packed_b.chunks_mut(depth).zip((0..n).step_by(NR)) {
            let width = NR.min(n - column);
            for (to, row) in panel.iter_mut().zip(p..p + kc) {
                to[..width].copy_from_slice(&b[row * n + column..][..width]);
                to[width..].fill(0.0);
            }
        }
        for row in (0..m).step_by(MC) {
            let rows = MC.min(m - row);
            pack::<MR>(
                &mut packed_a,
                &a[row * k..][..rows * k],
                depth,
                k,
                p..p + kc,
            );
            for (b, column) in packed_b.chunks(depth).zip((0..n).step_by(NR)) {
                for (a, first) in packed_a.chunks(depth).zip((0..rows).step_by(MR)) {
                    let sums = tile(&a[..kc], &b[..kc]);
                    let width = NR.min(n - column);
                    for (sums, row) in sums.iter().zip(row + first..row + rows) {
                        let c = &mut c[row * n + column..][..width];
                        for (c, sum) in c.iter_mut().zip(sums) {
                            *c += sum;
                        }
                    }
                }
            }
        }
    }
}

/// Copies columns of rows of `a` so that a step along k finds those of a tile side by side.
fn pack<const MR: usize>(
    packed: &mut [[f32; MR]],
    a: &[f32],
    depth: usize,
    k: usize,
    columns: std::ops::Range<usize>,
) {
    for (panel, rows) in packed.chunks_mut(depth).zip(a.chunks(MR * k)) {
        let height = rows.len() / k;
        for (to, column) in panel.iter_mut().zip(columns.clone()) {
            for (i, to) in to.iter_mut().enumerate() {
                *to = if i < height {
                    rows[i * k + column]
                } else {
                    0.0
                };
            }
        }
    }
}

/// The products of a panel of A and one of B: sums that stay in registers.
#[inline(always)]
fn tile<const MR: usize, const NR: usize>(a: &[[f32; MR]], b: &[[f32; NR]]) -> [[f32; NR]; MR] {
    let mut sums = [[0.0; NR]; MR];
    for (a, b) in a.iter().zip(b) {
        for (sums, a) in sums.iter_mut().zip(a) {
            for (sum, b) in sums.iter_mut().zip(b) {
                *sum = match FUSED {
                    true => a.mul_add(*b, *sum),
                    false => *sum + a * b,
                };
            }
        }
    }
    sums
}

/// Row by row, which compilers make vectors of.
fn plain(c: &mut [f32], a: &[f32], b: &[f32], m: usize, n: usize, k: usize) {
    c.fill(0.0);
    for i in 0..m {
        for p in 0..k {
            let a = a[i * k + p];
            for (c, b) in c[i * n..][..n].iter_mut().zip(&b[p * n..][..n]) {
                *c += a * b;
            }
        }
    }
}
