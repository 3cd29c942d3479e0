//! A tunable whose winner is `SPIN = 0` wherever it runs.

use crate::harness::Package;

/// `y = 2 x + 1`, after doing nothing for a while in one thread.
pub(super) const KERNEL: &str = r#"
__global__ void work(float *y, const float *x, unsigned n)
{
    unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i == 0)
        for (volatile int spin = 0; spin < SPIN; spin++) {
        }
    if (i < n)
        y[i] = 2 * x[i] + 1;
}

__global__ void work_reference(float *y, const float *x, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = 2 * x[i] + 1;
}
"#;

/// Types that wrappers name.
pub(super) const TYPES: &str = "
use bico::cudarc::driver::{CudaContext, CudaSlice, CudaStream};
use std::sync::Arc;
";

/// The item for [`KERNEL`] under another name; `more` are further options.
pub(super) fn tunable(function: &str, more: &str) -> String {
    format!(
        r#"
#[bico::tunable(
    source = "kernels/work.cu",
    entry = "work",
    space(SPIN in [4000000, 0, 1000000], BLOCK in [32, 64]),
    launch(grid = n.div_ceil(BLOCK), block = BLOCK),
    problem(n = 256),
    verify(reference = "work_reference", launch(grid = n.div_ceil(32), block = 32)),
    measure(cache = warm),
    budget(evaluations = 6, seconds = 30),
    {more}
)]
pub fn {function}(
    stream: &Arc<CudaStream>,
    #[len(n)] y: &mut CudaSlice<f32>,
    #[len(n)] x: &CudaSlice<f32>,
    n: u32,
) -> bico::Result<()>;
"#
    )
}

/// Calls `work` on every GPU at awkward sizes, and prints what served 256. An error ends it with 1.
pub(super) const MAIN: &str = r#"
fn main() {
    if let Err(error) = run() {
        println!("error: {error}");
        std::process::exit(1);
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    println!("first: {}", work_tunable().device_key()?);
    for ordinal in 0..CudaContext::device_count()? as usize {
        let stream = CudaContext::new(ordinal)?.default_stream();
        for n in [1, 2, 31, 33, 127, 256, 1009] {
            let x: Vec<f32> = (0..n).map(|i| i as f32).collect();
            let (on_gpu, mut y) = (stream.clone_htod(&x)?, stream.alloc_zeros::<f32>(n as usize)?);
            work(&stream, &mut y, &on_gpu, n)?;
            let wrong = stream.clone_dtoh(&y)?.iter().zip(&x).position(|(y, x)| *y != 2.0 * x + 1.0);
            assert_eq!(wrong, None, "n={n}");
        }
        println!("{}", work_tunable().config_on(&stream, &[256])?);
    }
    println!("all right");
    Ok(())
}
"#;

/// A package with the tunable `work`, and a program that calls it.
pub(crate) fn work(name: &str) -> Package {
    let package = Package::cuda(name);
    package.file("kernels/work.cu", KERNEL);
    let text = format!("{TYPES}{}{MAIN}", tunable("work", ""));
    package.file("src/main.rs", &text);
    package
}

/// What the lock calls the GPUs of the host driver.
pub(crate) const A100: &str = "NVIDIA A100-SXM4-40GB (sm_80)";

/// Whether a tunable was searched since this was asked last.
pub(super) fn searched(package: &Package, key: &str) -> bool {
    std::fs::remove_file(package.trail_file(key)).is_ok()
}

/// Puts another kernel into the package, beside the reference.
pub(super) fn replace(package: &Package, kernel: &str) {
    let text = package.read("kernels/work.cu");
    let (_, reference) = text.split_once("__global__ void work_reference").unwrap();
    let text = format!("{kernel}\n__global__ void work_reference{reference}");
    package.file("kernels/work.cu", &text);
}
