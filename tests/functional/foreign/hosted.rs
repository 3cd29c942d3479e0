//! Code of the host around a kernel, as the real nvcc takes it. What comes of it is looked at, not run: the stand-in driver
//! has a compiler of its own.

use crate::harness::Package;

const HOSTED: &str = r#"
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

template <int ITEMS>
__global__ void scaled(float *y, const float *x, float by, unsigned n)
{
    for (int item = 0; item < ITEMS; item++) {
        unsigned at = (blockIdx.x * ITEMS + item) * BLOCK + threadIdx.x;
        if (at < n)
            y[at] = by * x[at];
    }
}

int main()
{
    std::vector<float> x(1000, 1.5f);
    float *device;
    cudaMalloc(&device, x.size() * sizeof(float));
    cudaMemcpy(device, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice);
    scaled<4><<<4, BLOCK>>>(device, device, 2.0f, x.size());
    std::printf("%d\n", (int)cudaDeviceSynchronize());
}
"#;

const PROGRAM: &str = r#"
use bico::cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

#[bico::tunable(
    source = "kernels/scaled.cu",
    compiler = "nvcc",
    template = [ITEMS],
    space(BLOCK in [64, 256], ITEMS in [1, 2, 4]),
    launch(grid = n.div_ceil(BLOCK * ITEMS), block = BLOCK),
    problem(n = 1_000_000, by = 2.0),
)]
fn scaled(
    stream: &Arc<CudaStream>,
    #[len(n)] y: &mut CudaSlice<f32>,
    #[len(n)] x: &CudaSlice<f32>,
    by: f32,
    n: u32,
) -> bico::Result<()>;

fn main() {
    let _ = scaled;
}
"#;

#[test]
#[ignore = "needs nvcc: scripts/full nvcc"]
fn code_of_the_host() {
    let package = Package::cuda("hosted");
    package.file("kernels/scaled.cu", HOSTED);
    package.file("src/main.rs", PROGRAM);
    let compile = || package.command(&["compile", "--arch", "80,90"]).run();
    let said = compile().ok();
    let said = said.says("kernels/scaled.cu), nvcc ");
    for architecture in ["sm_80", "sm_90"] {
        let mut lines = said.stdout.lines();
        let row = lines.find(|line| line.starts_with(architecture)).unwrap();
        let counts: Vec<&str> = row.split_whitespace().take(4).collect();
        // Valid, compiled and failed.
        assert_eq!(counts[1..], ["6", "6", "0"], "{row}");
    }
    // Lines are those of the author's file.
    package.edit("kernels/scaled.cu", "by * x[at]", "by * z[at]");
    compile()
        .fails()
        .says("kernels/scaled.cu(12): error: identifier \"z\" is undefined");
}
