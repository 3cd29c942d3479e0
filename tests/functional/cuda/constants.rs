//! `__constant__` and `__device__` variables: who fills them, and that nobody takes zeros for a result.

use super::kernel::TYPES;
use crate::harness::Package;

/// Which points lie inside of a polygon, whose corners are in constant memory.
const POLYGON: &str = r#"
static __constant__ float d_x[MOST];
__constant__ float d_y[MOST];

__device__ bool is_inside(float px, float py, unsigned corners)
{
    bool inside = false;
    for (unsigned i = 0, j = corners - 1; i < corners; j = i++)
        if ((d_y[i] > py) != (d_y[j] > py) && px < (d_x[j] - d_x[i]) * (py - d_y[i]) / (d_y[j] - d_y[i]) + d_x[i])
            inside = !inside;
    return inside;
}

__global__ void polygon(unsigned char *inside, const float *px, const float *py, unsigned n, unsigned corners)
{
    unsigned at = blockIdx.x * BLOCK + threadIdx.x;
    if (at == 0)
        for (volatile int spin = 0; spin < (BLOCK == 32 ? 2000000 : 0); spin++) {
        }
    if (at < n)
        inside[at] = is_inside(px[at], py[at], corners);
}

__global__ void polygon_reference(unsigned char *inside, const float *px, const float *py, unsigned n,
                                  unsigned corners)
{
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < n)
        inside[at] = is_inside(px[at], py[at], corners);
}
"#;

const POLYGON_MAIN: &str = r#"
#[bico::tunable(
    source = "kernels/polygon.cu",
    space(BLOCK in [32, 64], MOST = 100),
    launch(grid = n.div_ceil(BLOCK), block = BLOCK),
    problem(n = 256, corners = 90),
    verify(reference = "polygon_reference", launch(grid = n.div_ceil(32), block = 32)),
    measure(cache = warm),
    budget(evaluations = 4, seconds = 30),
)]
#[allow(clippy::too_many_arguments)]
pub fn polygon(
    stream: &Arc<CudaStream>,
    #[constant(d_x)] #[len(corners)] x: &[f32],
    #[len(n)] inside: &mut CudaSlice<u8>,
    #[len(n)] px: &CudaSlice<f32>,
    #[len(n)] py: &CudaSlice<f32>,
    n: u32,
    corners: u32,
    #[constant(d_y)] #[len(corners)] y: &[f32],
) -> bico::Result<()>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let context = CudaContext::new(0)?;
    let streams = [context.default_stream(), context.new_stream()?];
    // A square whose corner is at the origin, of this side.
    let square = |side: f32| ([0.0, side, side, 0.0], [0.0, 0.0, side, side]);
    let points: Vec<f32> = (0..8).map(|at| at as f32 + 0.5).collect();
    let points = [streams[0].clone_htod(&points)?, streams[0].clone_htod(&points)?];
    for side in [2.0, 5.0, 5.0, 3.0] {
        for stream in &streams {
            let (mut x, mut y) = square(side);
            let mut inside = stream.alloc_zeros::<u8>(8)?;
            polygon(stream, &x, &mut inside, &points[0], &points[1], 8, 4, &y)?;
            // What the caller does with its own memory afterwards is its own business.
            (x, y) = ([7.0; 4], [7.0; 4]);
            let inside: u8 = stream.clone_dtoh(&inside)?.iter().sum();
            println!("{side} {inside} {}", x[0] + y[0]);
        }
    }
    let mut inside = streams[0].alloc_zeros::<u8>(8)?;
    let short = polygon(&streams[0], &[0.0; 3], &mut inside, &points[0], &points[1], 8, 4, &[0.0; 4]);
    println!("{}", short.unwrap_err());
    let long = polygon(&streams[0], &[0.0; 101], &mut inside, &points[0], &points[1], 8, 101, &[0.0; 101]);
    println!("{}", long.unwrap_err());
    Ok(())
}
"#;

fn polygon(name: &str) -> Package {
    let package = Package::cuda(name);
    package.file("kernels/polygon.cu", POLYGON);
    package.file("src/main.rs", &format!("{TYPES}{POLYGON_MAIN}"));
    package
}

/// Calls fill the variables of the module that they launch, on whichever stream; a kernel that is wrong for anything but
/// zeros is found.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn calls_and_trials_fill_them() {
    let package = polygon("polygon");
    package.build("auto").ok();
    let entries = package.entries("polygon");
    let entry = entries.as_object().unwrap().values().next().unwrap();
    assert_eq!(entry["verified"], "reference, rules 2", "{entry:#}");
    let lines = "2 2 14\n2 2 14\n5 5 14\n5 5 14\n5 5 14\n5 5 14\n3 3 14\n3 3 14\n\
                 polygon: `x` is too short: the kernel touches 4 elements, the buffer has 3\n\
                 polygon: `x` is too long: it fills a `__constant__` variable of 400 bytes with 404\n";
    assert_eq!(package.run(), lines);
    // Of a polygon of zeros nothing is inside, whatever the kernel makes of it.
    let right =
        "inside[at] = is_inside(px[at], py[at], corners);\n}\n\n__global__ void polygon_reference";
    let wrong =
        "inside[at] = is_inside(px[at], -py[at], corners);\n}\n\n__global__ void polygon_reference";
    package.edit("kernels/polygon.cu", right, wrong);
    package
        .build("auto")
        .fails()
        .says("ran and was right")
        .says("wrong");
}

/// A reference in C gets the slices where the wrapper has them.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn a_reference_in_c() {
    let package = polygon("in-c");
    package.file(
        "reference/polygon.c",
        r#"
#include <stdbool.h>
#include <stdint.h>

void polygon(const float *x, uint8_t *inside, const float *px, const float *py, uint32_t n, uint32_t corners,
             const float *y)
{
    for (uint32_t at = 0; at < n; at++) {
        bool is_inside = false;
        for (uint32_t i = 0, j = corners - 1; i < corners; j = i++)
            if ((y[i] > py[at]) != (y[j] > py[at]) && px[at] < (x[j] - x[i]) * (py[at] - y[i]) / (y[j] - y[i]) + x[i])
                is_inside = !is_inside;
        inside[at] = is_inside;
    }
}
"#,
    );
    let reference =
        "verify(reference = \"polygon_reference\", launch(grid = n.div_ceil(32), block = 32))";
    package.edit(
        "src/main.rs",
        reference,
        "verify(reference = \"reference/polygon.c\")",
    );
    package.build("auto").ok();
    assert_eq!(package.winner("polygon")["BLOCK"], 64);
    package.edit("reference/polygon.c", "x[j] - x[i]", "y[j] - x[i]");
    package.build("tune").fails().says("ran and was right");
}

/// What nobody fills is zeros to kernel and reference alike, and anything is right then.
#[test]
fn zeros_are_no_contents() {
    let package = polygon("zeros");
    package.edit(
        "src/main.rs",
        "#[constant(d_y)] #[len(corners)] y: &[f32],",
        "",
    );
    package
        .build("auto")
        .fails()
        .says("nothing fills `d_y`, a `__constant__` variable of `kernels/polygon.cu`: the kernel would read zeros")
        .says("#[constant(d_y)] #[len(..)] d_y: &[f32]")
        .says("--> src/main.rs:");
    assert!(!package.has_lock());
}

#[test]
fn variables_that_are_not_there() {
    let package = polygon("absent");
    package.edit("src/main.rs", "#[constant(d_y)]", "#[constant(d_z)]");
    package
        .build("auto")
        .fails()
        .says("`kernels/polygon.cu` has no `__constant__` variable `d_z`, which `y` is to fill")
        .says("it has `d_x`, `d_y`");
    package.edit("src/main.rs", "#[constant(d_z)]", "#[constant(d_y)]");
    package.edit("src/main.rs", "MOST = 100", "MOST = 80");
    package
        .build("auto")
        .fails()
        .says("is 360 bytes long, its `__constant__` variable `d_x` has 320, at n = 256, corners = 90")
        .says("make the variable larger, or exclude the size by a `require(..)`");
}

/// Each run that is verified begins with a module as it was loaded, and the next call goes on from there.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn device_variables_are_restored() {
    let package = Package::cuda("device-variables");
    let kernel = r#"
__device__ unsigned calls;
__device__ float factor = 3;

__global__ void work(float *y, const float *x, unsigned n)
{
    unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        y[i] = factor * x[i] + 1;
    if (i == 0)
        AFTERWARDS;
}

__global__ void reference(float *y, const float *x, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = 3 * x[i] + 1;
}
"#;
    let main = r#"
#[bico::tunable(
    source = "kernels/work.cu",
    entry = "work",
    space(BLOCK in [32, 64]),
    launch(grid = n.div_ceil(BLOCK), block = BLOCK),
    problem(n = 256),
    verify(reference = "reference", launch(grid = n.div_ceil(32), block = 32)),
    measure(cache = warm),
    budget(evaluations = 2, seconds = 30),
)]
fn work(
    stream: &Arc<CudaStream>,
    #[len(n)] y: &mut CudaSlice<f32>,
    #[len(n)] x: &CudaSlice<f32>,
    n: u32,
) -> bico::Result<()>;

fn main() {
    let _ = work;
}
"#;
    package.file("src/main.rs", &format!("{TYPES}{main}"));
    package.file("kernels/work.cu", &kernel.replace("AFTERWARDS", "calls++"));
    package.build("auto").ok();
    // Whoever remembers the first size that it saw is right at each size in a module of its own.
    let remembers = "y[i] = factor * x[i] + (seen == 0 || seen == n)";
    let remembers = kernel.replace("y[i] = factor * x[i] + 1", remembers);
    let remembers = remembers.replace("unsigned calls;", "unsigned seen;");
    package.file(
        "kernels/work.cu",
        &remembers.replace("AFTERWARDS", "seen = n"),
    );
    package.build("tune").ok();
    // Right in the first call only.
    package.file(
        "kernels/work.cu",
        &kernel.replace("AFTERWARDS", "factor = 2"),
    );
    let said = package.build("auto").fails();
    said.says("ran and was right");
}
