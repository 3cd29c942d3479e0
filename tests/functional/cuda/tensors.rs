//! Kernels that get tensor maps.

use super::kernel::{A100, TYPES};
use crate::harness::Package;

const HEADER: &str = include_str!("../../../kernels/kernels/tensor_copy.cuh");

/// `y = 2 x + 1` for a matrix, box by box: what lies outside of it is neither read nor written.
const KERNEL: &str = r#"
#include "tensor_copy.cuh"

extern "C" __global__ void work(const __grid_constant__ CUtensorMap y, const __grid_constant__ CUtensorMap x)
{
    __shared__ __align__(1024) float box[ROWS * COLUMNS];
    __shared__ Barrier barrier;
    int column = blockIdx.x * COLUMNS, row = blockIdx.y * ROWS;
    if (threadIdx.x == 0) {
        barrier_init(&barrier, 1);
        barrier_publish();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        barrier_expect(&barrier, sizeof(box));
        tensor_load(box, &x, &barrier, column, row);
    }
    barrier_wait(&barrier, 0);
    for (int i = threadIdx.x; i < ROWS * COLUMNS; i += 32)
        box[i] = 2 * box[i] + 1;
    tensor_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
        tensor_store(&y, box, column, row);
        tensor_commit();
        tensor_wait<0>();
    }
}

extern "C" __global__ void work_reference(float *y, const float *x, unsigned m, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m * n)
        y[i] = 2 * x[i] + 1;
}
"#;

const TUNABLE: &str = r#"
#[bico::tunable(
    source = "kernels/work.cu",
    space(ROWS in [2, 8, 512], COLUMNS in [4, 8, 32, 64], SWIZZLE in [0, 16, 128]),
    require(SWIZZLE == 0 || 4 * COLUMNS >= SWIZZLE),
    launch(grid = (n.div_ceil(COLUMNS), m.div_ceil(ROWS)), block = 32),
    args(
        tensor_map(y, dims = (n, m), box = (COLUMNS, ROWS), swizzle = SWIZZLE),
        tensor_map(x, dims = (n, m), strides = n, box = (COLUMNS, ROWS), swizzle = SWIZZLE, l2_promotion = 128),
    ),
    problem(m = 20, n = 72),
    verify(reference = "work_reference", launch(grid = (m * n).div_ceil(32), block = 32)),
    measure(cache = warm),
    budget(evaluations = 20, seconds = 30),
)]
pub fn work(
    stream: &Arc<CudaStream>,
    #[len(m * n)] y: &mut CudaSlice<f32>,
    #[len(m * n)] x: &CudaSlice<f32>,
    m: u32,
    n: u32,
) -> bico::Result<()>;
"#;

const MAIN: &str = r#"
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let stream = CudaContext::new(0)?.default_stream();
    for (m, n) in [(1, 4), (3, 36), (17, 100), (3, 36), (0, 4)] {
        let x: Vec<f32> = (0..m * n).map(|i| i as f32).collect();
        let (mut on_gpu, mut y) = (stream.alloc_zeros(x.len().max(1))?, stream.alloc_zeros(x.len().max(1))?);
        if m > 0 {
            on_gpu = stream.clone_htod(&x)?;
        }
        work(&stream, &mut y, &on_gpu, m, n)?;
        let wrong = stream.clone_dtoh(&y)?.iter().zip(&x).position(|(y, x)| *y != 2.0 * x + 1.0);
        assert_eq!(wrong, None, "m={m} n={n}");
    }
    let (x, mut y) = (stream.alloc_zeros::<f32>(64)?, stream.alloc_zeros::<f32>(64)?);
    println!("{}", work(&stream, &mut y, &x, 2, 5).unwrap_err());
    println!("all right");
    Ok(())
}
"#;

fn package(name: &str) -> Package {
    let package = Package::cuda(name);
    package.file("kernels/work.cu", KERNEL);
    package.file("kernels/tensor_copy.cuh", HEADER);
    package.file("src/main.rs", &format!("{TYPES}{TUNABLE}{MAIN}"));
    package
}

#[test]
fn boxes_of_tensors_come_and_go() {
    let package = package("tensors");
    package.cargo(&["build"]).gpus("H100", "").run().ok();
    let lock = package.lock();
    let entry = &lock["kernels"]["work"]["NVIDIA H100 80GB HBM3 (sm_90)"]["m=20, n=72"];
    // No box has 512 rows, no swizzle 16 bytes; 64 columns are more than a swizzle of 128 takes.
    assert_eq!(entry["space_size"], 2 * (4 + 1), "{entry:#}");
    let trail = package.trail("work");
    for row in &trail {
        assert!(row["failure"].is_null(), "{row:#}");
    }
    let said = package.start().gpus("H100", "").run().ok();
    said.says("work: no tensor map of `y`: its rows are 20 bytes apart, not a multiple of 16")
        .says("all right");
}

/// A build without a GPU takes a config of a GPU that has some, and code that it may run.
#[test]
fn without_a_gpu_there_is_code_for_a_hopper() {
    let package = package("tensors_unmeasured");
    package.cargo(&["build"]).gpus("", "").run().ok();
    assert!(!package.has_lock());
    let said = package.start().gpus("H100", "").run().ok();
    said.says("all right");
    package.start().gpus("A100", "").run().fails();
}

#[test]
fn an_ampere_has_none() {
    let package = package("no_tensors");
    let output = package.cargo(&["build"]).gpus("A100", "").run().fails();
    output.says(A100).says("compute_capability");
}
