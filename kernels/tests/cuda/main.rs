//! The CUDA kernels through their dispatchers, every config that the program carries, against loops in Rust
//! at awkward sizes. Where there is no GPU there is nothing to run, unless `BICO_TEST_GPU` demands one.
#![cfg(feature = "cuda")]

mod attention;
mod conv2d;
mod gemm;
mod gemm_f16;
mod gemm_regtile;
mod glu;
mod reduce;
mod softmax;
mod transpose;

use bico::Tunable;
use bico::cudarc::driver::{CudaContext, CudaSlice, CudaStream, DeviceRepr};
use std::sync::Arc;

/// A stream of the first GPU. `None`: there is none, and none was demanded.
fn stream(tunable: &Tunable, sizes: &[i64]) -> Option<Arc<CudaStream>> {
    if let Err(error) = tunable.config_of(sizes) {
        #[allow(clippy::disallowed_methods)] // A setting of this test.
        let demanded = std::env::var_os("BICO_TEST_GPU").is_some();
        let missing = matches!(error, bico::Error::NoDevice { .. });
        assert!(missing && !demanded, "{error}");
        eprintln!("skipped: {error}");
        return None;
    }
    Some(CudaContext::new(0).unwrap().default_stream())
}

/// Whether a call with a config was served. What won on another GPU may need what this one lacks, and tensor maps need
/// sizes that they can describe; nothing else may be refused.
fn served(called: bico::Result<()>) -> bool {
    if let Err(error @ bico::Error::NoConfig(_)) = &called {
        let why = error.to_string();
        let known = ["device.", r#"VARIANT != "hopper" || "#];
        if known.iter().any(|of| why.contains(of)) {
            return false;
        }
    }
    called.unwrap();
    true
}

/// What is on the GPU. Drivers allocate no buffers of no bytes: an empty one has an element that is not asked for.
fn upload<T: DeviceRepr + Clone + Default>(stream: &Arc<CudaStream>, data: &[T]) -> CudaSlice<T> {
    let data = if data.is_empty() {
        &[T::default()]
    } else {
        data
    };
    stream.clone_htod(data).unwrap()
}

/// Multiples of an eighth in [-4, 4), which 16-bit floats have, too.
fn values(len: usize, seed: usize) -> Vec<f32> {
    (0..len)
        .map(|i| ((i * 37 + seed * 11) % 64) as f32 / 8.0 - 4.0)
        .collect()
}

/// The product of an m x k matrix and a k x n one, both row-major.
fn product(a: &[f32], b: &[f32], [m, n, k]: [usize; 3]) -> Vec<f32> {
    let element = |i: usize, j: usize| (0..k).map(|p| a[i * k + p] * b[p * n + j]).sum();
    (0..m * n).map(|at| element(at / n, at % n)).collect()
}

/// Every element of what [`upload`] has made room for is within `tolerance * (1 + |expected|)`.
fn compare(out: &[f32], expected: &[f32], tolerance: f32, config: &str) {
    assert_eq!(out.len(), expected.len().max(1));
    for (i, (a, b)) in out.iter().zip(expected).enumerate() {
        assert!(
            (a - b).abs() <= tolerance * (1.0 + b.abs()),
            "{config}: element {i}: {a}, not {b}"
        );
    }
}
