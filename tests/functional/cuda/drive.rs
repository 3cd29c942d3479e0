//! `drive(..)` of CUDA kernels: a function of the host launches them as the program does.

use super::kernel::TYPES;
use crate::harness::Package;

/// A reduction in two kernels, and a pipeline of three. With `EXTRA` whoever calls the first of them twice in a row is given
/// something else.
const KERNELS: &str = r#"
__device__ int calls;

template <int PART>
__global__ void sums(const float *x, float *part, int n)
{
    int at = blockIdx.x * PART;
    for (volatile int spin = 0; spin < (at == 0 ? SPIN : 0); spin++) {
    }
    if (threadIdx.x == 0) {
        float sum = EXTRA && calls > 0 ? 1 : 0;
        for (int i = at; i < n && i < at + PART; i++)
            sum += x[i];
        part[blockIdx.x] = sum;
        if (blockIdx.x == gridDim.x - 1)
            calls++;
    }
}

__global__ void total(float *out, const float *part, unsigned parts)
{
    float sum = 0;
    for (unsigned p = 0; p < parts; p++)
        sum += part[p];
    *out = sum;
}

__global__ void plain(float *out, const float *x, unsigned n)
{
    double sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum += x[i];
    *out = sum;
}

__global__ void scale(float *to, const float *x, unsigned n)
{
    unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        to[i] = 2 * x[i];
}

__global__ void shift(float *to, const float *from, unsigned n, float by)
{
    unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        to[i] = from[i] + by;
}

__global__ void mirror(float *y, const float *from, unsigned n)
{
    unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        y[i] = from[n - 1 - i];
}

__global__ void whole(float *y, const float *x, unsigned n)
{
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    if (i < n)
        y[i] = 2 * x[n - 1 - i] + 3;
}
"#;

const HEAD: &str = r#"
#include <stdint.h>
typedef struct CUstream_st *cudaStream_t;
#ifdef __cplusplus
extern "C"
#endif
"#;

const REDUCE: &str = r#"
int sums_launch(cudaStream_t stream, const float *x, float *part);
int total_launch(cudaStream_t stream, float *out, const float *part);

int reduce(cudaStream_t stream, float *out, const float *x, uint32_t n, float *part)
{
    (void)n;
    int status = sums_launch(stream, x, part);
    if (!status)
        status = sums_launch(stream, x, part);
    return status ? status : total_launch(stream, out, part);
}
"#;

/// In C++.
const PIPELINE: &str = r#"
{
int scale_launch(cudaStream_t stream, float *to, const float *x, uint32_t n);
int shift_launch(cudaStream_t stream, float *to, const float *from, uint32_t n);
int mirror_launch(cudaStream_t stream, float *y, const float *from, uint32_t n);

int pipeline(cudaStream_t stream, float *y, const float *x, uint32_t n, float *a, float *b)
{
    int status = scale_launch(stream, a, x, n);
    if (!status)
        status = shift_launch(stream, b, a, n);
    return status ? status : mirror_launch(stream, y, b, n);
}
}
"#;

const MAIN: &str = r#"
#[bico::tunable(
    source = "kernels/all.cu",
    flags = ["-DBLOCK=1"],
    space(EXTRA in [1, 0], SPIN in [1000000, 0], PART in [32, 64]),
    scratch(PARTIAL: f32, len = n.div_ceil(PART)),
    pass(entry = "sums", template = [PART], launch(grid = n.div_ceil(PART), block = 32), args(x, PARTIAL, n as i32)),
    pass(entry = "total", launch(grid = 1, block = 1), args(out, PARTIAL, n.div_ceil(PART) as u32)),
    drive(file = "kernels/drive.c", entry = "reduce"),
    problem(n = 1000),
    verify(reference = "plain", rtol = 1e-3, launch(grid = 1, block = 1)),
    measure(cache = warm),
    budget(evaluations = 8, seconds = 30),
)]
fn sum(
    stream: &Arc<CudaStream>, #[len(1)] out: &mut CudaSlice<f32>, #[len(n)] x: &CudaSlice<f32>, n: u32,
) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/all.cu",
    flags = ["-DSPIN=0", "-DEXTRA=0"],
    space(BLOCK in [32, 64, 4096]),
    scratch(A: f32, len = n),
    scratch(B: f32, len = n),
    pass(entry = "scale", launch(grid = n.div_ceil(BLOCK), block = BLOCK.min(1024)), args(A, x, n)),
    pass(entry = "shift", launch(grid = n.div_ceil(BLOCK), block = BLOCK.min(1024)), args(B, A, n, 3.0 as f32)),
    pass(entry = "mirror", launch(grid = n.div_ceil(BLOCK), block = BLOCK.min(1024)), args(y, B, n)),
    drive(file = "kernels/drive.cpp", entry = "pipeline"),
    problem(n = 5000),
    verify(reference = "whole", launch(grid = n.div_ceil(32), block = 32)),
    measure(cache = warm),
    budget(evaluations = 3, seconds = 30),
)]
fn whole(
    stream: &Arc<CudaStream>, #[len(n)] y: &mut CudaSlice<f32>, #[len(n)] x: &CudaSlice<f32>, n: u32,
) -> bico::Result<()>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let stream = CudaContext::new(0)?.default_stream();
    for n in [1, 64, 65, 1000, 2000] {
        let x: Vec<f32> = (0..n).map(|i| (i % 7) as f32).collect();
        let on_gpu = stream.clone_htod(&x)?;
        let mut out = stream.clone_htod(&[-1.0f32])?;
        sum(&stream, &mut out, &on_gpu, n)?;
        let mut y = stream.alloc_zeros::<f32>(n as usize)?;
        whole(&stream, &mut y, &on_gpu, n)?;
        let right = stream.clone_dtoh(&y)?.iter().zip(x.iter().rev()).all(|(y, x)| *y == 2.0 * x + 3.0);
        println!("{n} {} {right}", stream.clone_dtoh(&out)?[0] == x.iter().sum::<f32>());
    }
    Ok(())
}
"#;

#[test]
#[ignore = "slow: .ci/run runs it"]
fn kernels_are_launched_by_the_driver() {
    let package = Package::cuda("cuda-drive");
    package.file("kernels/all.cu", KERNELS);
    package.file("kernels/drive.c", &format!("{HEAD}{REDUCE}"));
    package.file("kernels/drive.cpp", &format!("{HEAD}{PIPELINE}"));
    package.file("src/main.rs", &format!("{TYPES}{MAIN}"));
    package.build("auto").ok();
    // Only the second of two calls in a row shows that, so it is the driver's outputs that are verified.
    package.only_zero_is_right("sum", "EXTRA");
    // Too few threads for the blocks that it counts: each launch has its own grid.
    for row in package.trail("whole") {
        match row["values"]["BLOCK"] == 4096 {
            false => assert!(row["seconds"].is_number(), "{row:#}"),
            true => assert!(row["failure"].is_string(), "{row:#}"),
        }
    }
    let right = "1 true true\n64 true true\n65 true true\n1000 true true\n2000 true true\n";
    assert_eq!(package.run(), right);

    // What it gives back is looked at, and what it takes.
    let total = "total_launch(stream, out, part);";
    package.edit("kernels/drive.c", total, &format!("7 + {total}"));
    package.build("tune").fails().says("its driver gave back 7");
    package.edit(
        "kernels/drive.c",
        "int reduce(cudaStream_t stream, ",
        "int reduce(",
    );
    package.edit(
        "kernels/drive.c",
        "    int status",
        "    cudaStream_t stream = 0;\n    int status",
    );
    package
        .build("tune")
        .fails()
        .says("the arguments of the wrapper differ from those of the driver `reduce`")
        .says("gets the stream first");
}
