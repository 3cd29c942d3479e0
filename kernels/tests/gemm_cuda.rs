//! The CUDA product through the dispatcher, every config that the program carries, against loops in Rust at
//! awkward sizes. Where there is no GPU there is nothing to run, unless `BICO_TEST_GPU` demands one.
#![cfg(feature = "gemm-cuda")]

use bico::cudarc::driver::CudaContext;
use bico_kernels::{gemm_cuda, gemm_cuda_tunable, gemm_cuda_with};

fn values(len: usize, seed: usize) -> Vec<f32> {
    (0..len)
        .map(|i| ((i * 37 + seed * 11) % 64) as f32 / 8.0 - 4.0)
        .collect()
}

#[test]
fn all_candidates_at_awkward_sizes() {
    let tunable = gemm_cuda_tunable();
    if let Err(error) = tunable.config_of(&[1, 1, 1]) {
        #[allow(clippy::disallowed_methods)] // A setting of this test.
        let demanded = std::env::var_os("BICO_TEST_GPU").is_some();
        let missing = matches!(error, bico::Error::NoDevice { .. });
        assert!(missing && !demanded, "{error}");
        eprintln!("skipped: {error}");
        return;
    }
    let stream = CudaContext::new(0).unwrap().default_stream();
    for (m, n, k) in [
        (1, 1, 1),
        (7, 5, 3),
        (13, 49, 31),
        (1, 131, 2),
        (97, 65, 67),
        (64, 64, 64),
    ] {
        let (a, b) = (values(m * k, 1), values(k * n, 2));
        let mut expected = vec![0.0; m * n];
        for i in 0..m {
            for j in 0..n {
                expected[i * n + j] = (0..k).map(|p| a[i * k + p] * b[p * n + j]).sum();
            }
        }
        let (a, b) = (
            stream.clone_htod(&a).unwrap(),
            stream.clone_htod(&b).unwrap(),
        );
        let mut c = stream.clone_htod(&vec![f32::NAN; m * n]).unwrap();
        let [rows, columns, depth] = [m, n, k].map(|size| size as u32);
        gemm_cuda(&stream, &mut c, &a, &b, rows, columns, depth).unwrap();
        compare(
            &stream.clone_dtoh(&c).unwrap(),
            &expected,
            "the dispatcher's",
        );
        let mut tried = 0;
        for config in tunable.candidates() {
            stream.memcpy_htod(&vec![f32::NAN; m * n], &mut c).unwrap();
            gemm_cuda_with(&config, &stream, &mut c, &a, &b, rows, columns, depth).unwrap();
            compare(
                &stream.clone_dtoh(&c).unwrap(),
                &expected,
                &config.to_string(),
            );
            tried += 1;
        }
        assert!(tried > 0);
    }
}

fn compare(out: &[f32], expected: &[f32], config: &str) {
    for (i, (a, b)) in out.iter().zip(expected).enumerate() {
        assert!(
            (a - b).abs() <= 1e-3 * (1.0 + b.abs()),
            "{config}: element {i}: {a}, not {b}"
        );
    }
}
