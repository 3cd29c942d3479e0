//! Static shared memory that a kernel reads and nobody wrote.

use super::kernel::TYPES;
use crate::harness::Package;

/// The root mean square of each row's elements divides them. With less than 32 warps it adds sums that nobody wrote.
const NORM: &str = r#"
__device__ float sum_of_warp(float x)
{
    for (int mask = 16; mask > 0; mask >>= 1)
        x += __shfl_xor_sync(0xffffffff, x, mask, 32);
    return x;
}

__device__ void norm_row(float *y, const float *x, unsigned n)
{
    unsigned first = blockIdx.x * n;
    float sum = 0;
    for (unsigned at = threadIdx.x; at < n; at += blockDim.x)
        sum += x[first + at] * x[first + at];
    sum = sum_of_warp(sum);
    __shared__ float sums[32];
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = sum_of_warp(sums[threadIdx.x % 32]);
    float scale = rsqrtf(sum / n + 1e-5f);
    for (unsigned at = threadIdx.x; at < n; at += blockDim.x)
        y[first + at] = scale * x[first + at];
}

__global__ void norm(float *y, const float *x, unsigned rows, unsigned n)
{
    norm_row(y, x, n);
}

__global__ void norm_reference(float *y, const float *x, unsigned rows, unsigned n)
{
    norm_row(y, x, n);
}
"#;

const NORM_MAIN: &str = r#"
#[bico::tunable(
    source = "kernels/norm.cu",
    space(BLOCK in [64, 256, 1024]),
    launch(grid = rows, block = BLOCK),
    problem(rows = 3, n = 500),
    verify(reference = "norm_reference", launch(grid = rows, block = 1024)),
    measure(cache = warm),
    budget(evaluations = 3, seconds = 30),
)]
fn norm(
    stream: &Arc<CudaStream>,
    #[len(rows * n)] y: &mut CudaSlice<f32>,
    #[len(rows * n)] x: &CudaSlice<f32>,
    rows: u32,
    n: u32,
) -> bico::Result<()>;

fn main() {
    let _ = norm;
}
"#;

#[test]
#[ignore = "slow: .ci/run runs it"]
fn warps_that_are_not_there() {
    let package = Package::cuda("norm");
    package.file("kernels/norm.cu", NORM);
    package.file("src/main.rs", &format!("{TYPES}{NORM_MAIN}"));
    package.build("auto").ok();
    assert_eq!(package.winner("norm")["BLOCK"], 1024);
    for row in package.trail("norm") {
        let is_right = row["values"]["BLOCK"] == 1024;
        assert_eq!(row["seconds"].is_number(), is_right, "{row:#}");
    }
    // A reference that shares the mistake: NaN is what it expects.
    package.edit("src/main.rs", "block = 1024)", "block = 64)");
    let says = "the reference `norm_reference` gives nothing but NaN in `y`, at rows = ";
    let nothing = format!("{says}3, n = 500: whatever shares its mistake would pass");
    package
        .build("auto")
        .fails()
        .says(&nothing)
        .says("does its `launch(..)` start the threads");
    package.command(&["check"]).run().fails().says(says);
}
