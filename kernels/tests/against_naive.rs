//! The wrappers, through the dispatcher and with every config that the program carries, against loops in Rust at
//! awkward sizes, of which some are 0.

use bico::Tunable;

fn values(len: usize, seed: usize) -> Vec<f32> {
    (0..len)
        .map(|i| ((i * 37 + seed * 11) % 64) as f32 / 8.0 - 4.0)
        .collect()
}

/// Has the dispatcher (`None`) and every candidate fill an output, and compares all of its elements.
fn close(
    tunable: &'static Tunable,
    expected: &[f32],
    mut run: impl FnMut(Option<&bico::Config>, &mut [f32]) -> bico::Result<()>,
) {
    let candidates: Vec<bico::Config> = tunable.candidates().collect();
    assert!(!candidates.is_empty());
    for config in std::iter::once(None).chain(candidates.iter().map(Some)) {
        let mut out = vec![f32::NAN; expected.len()];
        match run(config, &mut out) {
            // Made for CPUs that have more than this one; the dispatcher must find another.
            Err(bico::Error::NoConfig(_)) if config.is_some() => continue,
            result => result.unwrap(),
        }
        for (i, (a, b)) in out.iter().zip(expected).enumerate() {
            assert!(
                (a - b).abs() <= 1e-3 * (1.0 + b.abs()),
                "{config:?}: element {i}: {a}, not {b}"
            );
        }
    }
}

#[test]
#[cfg(feature = "gemm")]
fn gemm() {
    for (m, n, k) in [
        (1, 1, 1),
        (0, 5, 3),
        (7, 0, 3),
        (7, 5, 0),
        (97, 65, 0),
        (7, 5, 3),
        (13, 49, 31),
        (97, 65, 257),
        (64, 48, 513),
    ] {
        let (a, b) = (values(m * k, 1), values(k * n, 2));
        let mut expected = vec![0.0; m * n];
        for i in 0..m {
            for j in 0..n {
                expected[i * n + j] = (0..k).map(|p| a[i * k + p] * b[p * n + j]).sum();
            }
        }
        let [m, n, k] = [m, n, k].map(|size| size as u32);
        close(
            bico_kernels::gemm_tunable(),
            &expected,
            |config, out| match config {
                None => bico_kernels::gemm(out, &a, &b, m, n, k),
                Some(config) => bico_kernels::gemm_with(config, out, &a, &b, m, n, k),
            },
        );
    }
}

#[test]
#[cfg(feature = "conv2d")]
fn conv2d() {
    for (h, w, f) in [
        (1_usize, 1_usize, 1_usize),
        (0, 5, 3),
        (7, 0, 3),
        (5, 7, 0),
        (33, 300, 0),
        (5, 7, 3),
        (33, 65, 7),
        (17, 129, 15),
    ] {
        let wide = (w + f).saturating_sub(1);
        let (input, filter) = (
            values((h + f).saturating_sub(1) * wide, 1),
            values(f * f, 2),
        );
        let mut expected = vec![0.0; h * w];
        for y in 0..h {
            for x in 0..w {
                let taps = (0..f).flat_map(|r| (0..f).map(move |s| (r, s)));
                expected[y * w + x] = taps
                    .map(|(r, s)| filter[r * f + s] * input[(y + r) * wide + x + s])
                    .sum();
            }
        }
        let [h, w, f] = [h, w, f].map(|size| size as u32);
        close(
            bico_kernels::conv2d_tunable(),
            &expected,
            |config, out| match config {
                None => bico_kernels::conv2d(out, &input, &filter, h, w, f),
                Some(config) => bico_kernels::conv2d_with(config, out, &input, &filter, h, w, f),
            },
        );
    }
}

#[test]
#[cfg(feature = "transpose")]
fn transpose() {
    for (rows, cols) in [
        (1, 1),
        (0, 5),
        (3, 0),
        (3, 5),
        (17, 31),
        (130, 67),
        (512, 513),
    ] {
        let input = values(rows * cols, 1);
        let expected: Vec<f32> = (0..cols * rows)
            .map(|at| input[at % rows * cols + at / rows])
            .collect();
        let (rows, cols) = (rows as u32, cols as u32);
        close(
            bico_kernels::transpose_tunable(),
            &expected,
            |config, out| match config {
                None => bico_kernels::transpose(out, &input, rows, cols),
                Some(config) => bico_kernels::transpose_with(config, out, &input, rows, cols),
            },
        );
    }
}
