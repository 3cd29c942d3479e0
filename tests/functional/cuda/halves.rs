//! 16-bit floats: measured, told of, and passed by a wrapper that takes the crate `half`'s.

use super::kernel::TYPES;
use crate::harness::{Package, only_trial};

const KERNEL: &str = r#"
#include <cuda_fp16.h>

/* y = scale x + y, in 32 bits. */
__global__ void work(__half *y, const __half *x, __half scale, unsigned n)
{
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    if (i == 0)
        for (volatile int spin = 0; spin < (MODE == 1 ? 2000000 : 0); spin++) {
        }
    if (i >= n)
        return;
    float sum = __half2float(scale) * __half2float(x[i]) + __half2float(y[i]);
    if (MODE == 2 && i == 2)
        sum -= 0.5f;
    y[i] = __float2half(sum);
}

__global__ void reference(__half *y, const __half *x, __half scale, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = __float2half((double)__half2float(scale) * __half2float(x[i]) + __half2float(y[i]));
}

/* Raw bits: y is x. */
__global__ void copy(unsigned short *y, const unsigned short *x, unsigned n)
{
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    if (i < n && (MODE == 0 || i != 2))
        y[i] = MODE == 2 && i == 3 ? 0x4000 : x[i];
}

__global__ void copy_reference(unsigned short *y, const unsigned short *x, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i];
}
"#;

const MAIN: &str = r#"
use half::f16;

#[bico::tunable(
    source = "kernels/halves.cu",
    space(MODE in ["1", "0", "2"]),
    launch(grid = n.div_ceil(32), block = 32),
    problem(n = 100, scale = 0.5),
    verify(reference = "reference", rtol = 1e-3, launch(grid = n.div_ceil(32), block = 32)),
    measure(cache = warm),
    budget(evaluations = 4, seconds = 30),
)]
fn work(
    stream: &Arc<CudaStream>,
    #[len(n)] #[init(ones)] y: &mut CudaSlice<f16>,
    #[len(n)] #[init(iota)] x: &CudaSlice<half::f16>,
    scale: f16,
    n: u32,
) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/halves.cu",
    space(MODE in ["1", "0", "2"]),
    launch(grid = n.div_ceil(32), block = 32),
    problem(n = 100),
    verify(reference = "copy_reference", rtol = 1e-2, launch(grid = n.div_ceil(32), block = 32)),
    measure(cache = warm),
    budget(evaluations = 4, seconds = 30),
)]
fn copy(
    stream: &Arc<CudaStream>,
    #[len(n)] y: &mut CudaSlice<half::bf16>,
    #[len(n)] #[init(uniform(-1, 1))] x: &CudaSlice<half::bf16>,
    n: u32,
) -> bico::Result<()>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let stream = CudaContext::new(0)?.default_stream();
    let x = stream.clone_htod(&[f16::from_f32(0.25), f16::MAX, f16::ONE])?;
    let mut y = stream.alloc_zeros::<f16>(3)?;
    work(&stream, &mut y, &x, f16::from_f32(2.0), 3)?;
    println!("{:?}", stream.clone_dtoh(&y)?);
    let x = stream.clone_htod(&[half::bf16::MAX, half::bf16::ONE])?;
    let mut y = stream.alloc_zeros::<half::bf16>(2)?;
    copy(&stream, &mut y, &x, 2)?;
    assert_eq!(stream.clone_dtoh(&y)?, stream.clone_dtoh(&x)?);
    Ok(())
}
"#;

#[test]
#[ignore = "slow: .ci/run runs it"]
fn floats_of_16_bits() {
    let package = Package::halves("halves");
    package.file("kernels/halves.cu", KERNEL);
    package.file("src/main.rs", &format!("{TYPES}{MAIN}"));
    package.build("auto").ok();
    assert_eq!(package.winner("work")["MODE"], "0");
    assert_eq!(package.winner("copy")["MODE"], "0");
    assert_eq!(package.run(), "[0.5, inf, 2.0]\n");

    let trail = package.trail("work");
    let wrong = only_trial(&trail, "MODE", "2");
    assert_eq!(wrong["failure"], "wrong", "{wrong:#}");
    let detail = wrong["detail"].as_str().unwrap();
    assert!(
        detail.starts_with("y[2] is 1.5, expected 2.0, at scale = 0.5, n = "),
        "{detail}"
    );
    let trail = package.trail("copy");
    let unwritten = only_trial(&trail, "MODE", "1");
    assert_eq!(unwritten["failure"], "unwritten", "{unwritten:#}");
    assert_eq!(only_trial(&trail, "MODE", "2")["failure"], "unwritten");
}
