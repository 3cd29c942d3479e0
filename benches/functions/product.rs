/// C = A * B, packed and blocked.
#[bico::tunable(
    space(
        MR in 1..=10,
        NR in [4, 8, 16, 32, 64],
        KC in [16, 32, 64, 96, 128, 160, 192, 224, 256, 512],
    ),
    problem(n = 256),
    work(flops = 2 * n * n * n),
    verify(reference = "plain", rtol = 1e-4),
    measure(cache = warm),
    budget(evaluations = 64, seconds = 600),
)]
pub fn product<const MR: usize, const NR: usize, const KC: usize>(
    #[len(n * n)] c: &mut [f32],
    #[len(n * n)] a: &[f32],
    #[len(n * n)] b: &[f32],
    n: usize,
) {
    c.fill(0.0);
    let mut panel = vec![[0.0; NR]; KC];
    for p in (0..n).step_by(KC) {
        let kc = KC.min(n - p);
        for column in (0..n).step_by(NR) {
            let width = NR.min(n - column);
            for (to, row) in panel.iter_mut().zip(p..p + kc) {
                to[..width].copy_from_slice(&b[row * n + column..][..width]);
                to[width..].fill(0.0);
            }
            for first in (0..n).step_by(MR) {
                let rows = MR.min(n - first);
                let mut sums = [[0.0; NR]; MR];
                for (k, b) in panel[..kc].iter().enumerate() {
                    for (i, sums) in sums[..rows].iter_mut().enumerate() {
                        let a = a[(first + i) * n + p + k];
                        for (sum, b) in sums.iter_mut().zip(b) {
                            *sum += a * b;
                        }
                    }
                }
                for (i, sums) in sums[..rows].iter().enumerate() {
                    let c = &mut c[(first + i) * n + column..][..width];
                    for (c, sum) in c.iter_mut().zip(sums) {
                        *c += sum;
                    }
                }
            }
        }
    }
}

fn plain(c: &mut [f32], a: &[f32], b: &[f32], n: usize) {
    for i in 0..n {
        for j in 0..n {
            c[i * n + j] = (0..n).map(|k| a[i * n + k] * b[k * n + j]).sum();
        }
    }
}
