//! The wrappers, through the dispatcher, against loops in Rust at awkward sizes.

fn values(len: usize, seed: usize) -> Vec<f32> {
    (0..len)
        .map(|i| ((i * 37 + seed * 11) % 64) as f32 / 8.0 - 4.0)
        .collect()
}

fn close(out: &[f32], expected: &[f32]) {
    for (i, (a, b)) in out.iter().zip(expected).enumerate() {
        assert!(
            (a - b).abs() <= 1e-3 * (1.0 + b.abs()),
            "element {i}: {a}, not {b}"
        );
    }
}

#[test]
#[cfg(feature = "gemm")]
fn gemm() {
    for (m, n, k) in [
        (1, 1, 1),
        (7, 5, 3),
        (13, 49, 31),
        (97, 65, 257),
        (64, 48, 513),
    ] {
        let (a, b) = (values(m * k, 1), values(k * n, 2));
        let mut out = vec![f32::NAN; m * n];
        bico_kernels::gemm(&mut out, &a, &b, m as u32, n as u32, k as u32).unwrap();
        let mut expected = vec![0.0; m * n];
        for i in 0..m {
            for j in 0..n {
                expected[i * n + j] = (0..k).map(|p| a[i * k + p] * b[p * n + j]).sum();
            }
        }
        close(&out, &expected);
    }
}

#[test]
#[cfg(feature = "conv2d")]
fn conv2d() {
    for (h, w, f) in [(1, 1, 1), (5, 7, 3), (33, 65, 7), (17, 129, 15)] {
        let wide = w + f - 1;
        let (input, filter) = (values((h + f - 1) * wide, 1), values(f * f, 2));
        let mut out = vec![f32::NAN; h * w];
        bico_kernels::conv2d(&mut out, &input, &filter, h as u32, w as u32, f as u32).unwrap();
        let mut expected = vec![0.0; h * w];
        for y in 0..h {
            for x in 0..w {
                let taps = (0..f).flat_map(|r| (0..f).map(move |s| (r, s)));
                expected[y * w + x] = taps
                    .map(|(r, s)| filter[r * f + s] * input[(y + r) * wide + x + s])
                    .sum();
            }
        }
        close(&out, &expected);
    }
}

#[test]
#[cfg(feature = "transpose")]
fn transpose() {
    for (rows, cols) in [(1, 1), (3, 5), (17, 31), (130, 67), (512, 513)] {
        let input = values(rows * cols, 1);
        let mut out = vec![f32::NAN; rows * cols];
        bico_kernels::transpose(&mut out, &input, rows as u32, cols as u32).unwrap();
        for i in 0..rows {
            for j in 0..cols {
                assert_eq!(out[j * rows + i], input[i * cols + j]);
            }
        }
    }
}
