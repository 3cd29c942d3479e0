//! What CUDA kernels get: buffers, numbers, parameters, constants.

use super::kernel::{A100, TYPES, work};
use crate::harness::Package;

/// Numbers of every width, a buffer in place and two of bico's own.
const WIDTHS: &str = r#"
__device__ double value(unsigned at, unsigned char a, signed char b, unsigned short c, short d, unsigned e, int f,
                        unsigned long long g, long long h, float i, double j, bool k, size_t l)
{
    double all[] = {(double)a, (double)b, (double)c, (double)d, (double)e, (double)f,
                    (double)g, (double)h, (double)i, j, k ? 1.0 : 0.0, (double)l};
    return all[at % 12] + at;
}

__global__ void widths(unsigned n, double *out, unsigned char a, signed char b, unsigned short c, short d, unsigned e,
                       int f, unsigned long long g, float *in_place, long long h, float i, double j, bool k, size_t l,
                       double *near, unsigned char *far)
{
    unsigned at = blockIdx.x * 32 + threadIdx.x;
    for (volatile int spin = 0; spin < (at == 0 ? SPIN : 0); spin++) {
    }
    if (at >= n)
        return;
    near[at] = value(at, a, b, c, d, e, f, g, h, i, j, k, l);
    far[3 * at] = at % 7;
    out[at] = near[at] + far[3 * at];
    /* Run on its own results it would be somewhere else. */
    if (in_place[at] < -1 || in_place[at] > 1)
        in_place[1ll << 40] = 1;
    in_place[at] = 2 * in_place[at] + 3;
}

__global__ void reference(unsigned n, double *out, unsigned char a, signed char b, unsigned short c, short d, unsigned e,
                          int f, unsigned long long g, float *in_place, long long h, float i, double j, bool k, size_t l)
{
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= n)
        return;
    out[at] = value(at, a, b, c, d, e, f, g, h, i, j, k, l) + at % 7;
    in_place[at] = 2 * in_place[at] + 3;
}
"#;

const WIDTHS_MAIN: &str = r#"
#[bico::tunable(
    source = "kernels/widths.cu",
    space(SPIN in [2000000, 0]),
    launch(grid = n.div_ceil(32), block = 32),
    problem(
        n = 100, a = 250, b = -100, c = 65000, d = -32000, e = 4000000000, f = -2000000000, g = 9000000000,
        h = -9000000000, i = 0.5, j = -0.1, k = true, l = 5000000000,
    ),
    scratch(near: f64, len = n),
    scratch(far: u8, len = 3 * n),
    verify(reference = "reference", launch(grid = n.div_ceil(64), block = 64)),
    measure(cache = warm),
    budget(evaluations = 4, seconds = 30),
)]
#[allow(clippy::too_many_arguments)]
fn widths(
    n: u32, #[len(n)] out: &mut CudaSlice<f64>, a: u8, b: i8, c: u16, d: i16, e: u32, f: i32, g: u64,
    #[len(n)] #[init(uniform(-1, 1))] in_place: &mut CudaSlice<f32>, h: i64, i: f32, j: f64, k: bool, l: usize,
    stream: &Arc<CudaStream>,
) -> bico::Result<()>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let stream = CudaContext::new(0)?.default_stream();
    let mut out = stream.alloc_zeros::<f64>(13)?;
    let mut in_place = stream.clone_htod(&[0.5f32; 13])?;
    widths(
        13, &mut out, 255, -128, 65535, -32768, u32::MAX, i32::MIN, 1 << 50, &mut in_place, -(1 << 50), 0.25, 0.1,
        true, 1 << 40, &stream,
    )?;
    let out: Vec<String> = stream.clone_dtoh(&out)?.iter().map(f64::to_string).collect();
    println!("{}", out.join(" "));
    println!("{:?}", stream.clone_dtoh(&in_place)?);
    let refused = widths(14, &mut stream.alloc_zeros(14)?, 0, 0, 0, 0, 0, 0, 0, &mut in_place, 0, 0.0, 0.0, false, 0, &stream);
    println!("{}", refused.unwrap_err());
    Ok(())
}
"#;

#[test]
#[ignore = "slow: .ci/run runs it"]
fn numbers_of_every_width() {
    let package = Package::cuda("widths");
    package.file("kernels/widths.cu", WIDTHS);
    package.file("src/main.rs", &format!("{TYPES}{WIDTHS_MAIN}"));
    package.build("auto").ok();
    for row in package.trail("widths") {
        assert!(row["seconds"].is_number(), "{row:#}");
    }
    assert_eq!(package.winner("widths")["SPIN"], 0);
    let printed = package.run();
    let values = [
        255.0,
        -128.0,
        65535.0,
        -32768.0,
        4_294_967_295.0,
        -2_147_483_648.0,
        1_125_899_906_842_624.0,
        -1_125_899_906_842_624.0,
        0.25,
        0.1,
        1.0,
        1_099_511_627_776.0,
        255.0,
    ];
    let expected = (0u32..)
        .zip(values)
        .map(|(at, value)| value + f64::from(at) + f64::from(at % 7));
    let expected: Vec<String> = expected.map(|value| value.to_string()).collect();
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines[0], expected.join(" "));
    assert_eq!(lines[1], format!("{:?}", [4.0f32; 13]));
    assert_eq!(
        lines[2],
        "widths: `in_place` is too short: the kernel touches 14 elements, the buffer has 13"
    );
}

/// Wrapper and kernel must take the same; the message shows both.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn a_wrapper_that_does_not_match_its_kernel() {
    let package = work("mismatch");
    let right = "void work(float *y, const float *x, unsigned n)";
    for (wrong, takes) in [
        (
            "void work(float *y, const float *x, unsigned long long n)",
            "8 bytes, 8 bytes, 8 bytes",
        ),
        (
            "void work(float *y, unsigned n, const float *x)",
            "8 bytes, 4 bytes, 8 bytes",
        ),
        (
            "void work(float *y, const float *x, unsigned n, int more)",
            "8 bytes, 8 bytes, 4 bytes, 4 bytes",
        ),
    ] {
        package.edit("kernels/work.cu", right, wrong);
        package
            .build("auto")
            .fails()
            .says("the arguments of the wrapper differ from those of the kernel `work` in `kernels/work.cu`")
            .says("the wrapper passes: 8 bytes (`f32` buffer), 8 bytes (`f32` buffer), 4 bytes (`u32`)")
            .says(&format!("the kernel takes:   {takes}\n"))
            .says("src/main.rs:")
            .says_nothing_of("panicked");
        assert!(!package.has_lock());
        package.edit("kernels/work.cu", wrong, right);
    }
    package.edit("src/main.rs", "entry = \"work\"", "entry = \"wrok\"");
    package
        .build("auto")
        .fails()
        .says("wrok")
        .says_nothing_of("panicked");
    package.edit("src/main.rs", "entry = \"wrok\"", "entry = \"work\"");
    // What only looks different is fine.
    package.edit(
        "kernels/work.cu",
        right,
        "void work(float *__restrict__ y, float *x, int n)",
    );
    package.edit(
        "kernels/work.cu",
        "    unsigned i = blockIdx.x * BLOCK",
        "    int i = blockIdx.x * BLOCK",
    );
    package.build("auto").ok();
    assert_eq!(package.winner("work")["SPIN"], 0);
}

/// Only the right choice of everything is fast.
const CHOICES: &str = r#"
#include "tools/helper.h"

template <bool FAST, typename REAL>
__device__ void both(float *y, const float *x, unsigned n, float *buffer)
{
    static_assert(sizeof(REAL) == WIDTH, "the flag");
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    if (i == 0)
        wait(!FAST || sizeof(REAL) == 8 || !KIND);
    if (i < n) {
        buffer[i] = x[i];
        y[i] = (REAL)buffer[i] * TWICE + 1;
    }
}

template <bool FAST, typename REAL>
__global__ void first(float *y, const float *x, unsigned n, float *buffer)
{
    both<FAST, REAL>(y, x, n, buffer);
}

template <bool FAST, typename REAL>
__global__ void second(float *y, const float *x, unsigned n, float *buffer)
{
    both<FAST, REAL>(y, x, n, buffer);
}
"#;

const HELPER: &str = r#"
#pragma once
#define TWICE 2
__device__ inline void wait(bool slow)
{
    for (volatile int spin = 0; spin < (slow ? 2000000 : 0); spin++) {
    }
}
"#;

/// The C reference, for the CPU.
const REFERENCE: &str = r#"
#include <stdint.h>

void right(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
}
"#;

const CHOICES_MAIN: &str = r#"
use bico::cudarc::driver::{CudaView, CudaViewMut};

#[bico::tunable(
    source = "kernels/choices.cu",
    entry = if KIND { "second" } else { "first" },
    template = [FAST, REAL],
    space(FAST in [false, true], REAL in ["double", "float"], KIND in [false, true], BYTES = if REAL == "float" { 4 } else { 8 }),
    flags = ["-DWIDTH={BYTES}"],
    launch(grid = n.div_ceil(32), block = 32),
    problem(n = 100),
    scratch(buffer: f32, len = n),
    verify(reference = "reference/right.c", entry = "right"),
    measure(cache = warm),
    budget(evaluations = 8, seconds = 30, strategy = "sequential"),
)]
unsafe fn choices(
    stream: &Arc<CudaStream>,
    #[len(n)] y: &mut CudaViewMut<'_, f32>,
    #[len(n)] x: &CudaView<'_, f32>,
    n: u32,
) -> bico::Result<()>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let stream = CudaContext::new(0)?.default_stream();
    let x = stream.clone_htod(&[1.0f32, 2.0, 3.0, 4.0, 5.0])?;
    let mut y = stream.alloc_zeros::<f32>(5)?;
    // SAFETY: both hold three elements.
    unsafe { choices(&stream, &mut y.slice_mut(1..4), &x.slice(2..), 3)? };
    println!("{:?}", stream.clone_dtoh(&y)?);
    println!("{}", choices_tunable().config_on(&stream, &[100])?);
    Ok(())
}
"#;

#[test]
#[ignore = "slow: .ci/run runs it"]
fn choices_of_every_kind() {
    let package = Package::cuda("choices");
    package.file("kernels/choices.cu", CHOICES);
    package.file("kernels/tools/helper.h", HELPER);
    package.file("reference/right.c", REFERENCE);
    package.file("src/main.rs", &format!("{TYPES}{CHOICES_MAIN}"));
    package.build("auto").ok();
    let trail = package.trail("choices");
    assert!(
        trail.iter().all(|row| row["seconds"].is_number()),
        "{trail:#?}"
    );
    let entry = &package.entries("choices")["n=100"];
    assert_eq!(entry["evaluations"], 8, "{entry:#}");
    assert_eq!(entry["verified"], "reference, rules 2", "{entry:#}");
    assert_eq!(
        package.run(),
        format!(
            "[0.0, 7.0, 9.0, 11.0, 0.0]\n\
             choices (n=100): FAST=true, REAL=float, KIND=true, BYTES=4 (tuned on {A100})\n"
        )
    );

    // What the kernel includes is part of it.
    package.edit(
        "kernels/tools/helper.h",
        "#define TWICE 2",
        "#define TWICE 3",
    );
    package
        .build("locked")
        .fails()
        .says("bico.lock is stale for `choices` (n=100)")
        .says("its source");
    // The reference is not: nothing is right any more.
    package.build("tune").fails().says("ran and was right");
    for row in package.trail("choices") {
        assert_eq!(row["failure"], "wrong", "{row:#}");
    }
    package.edit("reference/right.c", "2 * x[i]", "3 * x[i]");
    package.build("tune").ok();
    assert!(package.run().starts_with("[0.0, 10.0, 13.0, 16.0, 0.0]\n"));
}

/// Compile-time constants of a problem are matched, never approached; sizes are.
const CONSTANTS: &str = r#"
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define plus_one(x) ((x) + 1)
#define times_two(x) ((x) * 2)

__global__ void work(float *y, const float *x, unsigned n)
{
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    if (i == 0)
        for (volatile int spin = 0; spin < (LARGE == (n >= 1000) ? 0 : 2000000); spin++) {
        }
    if (i < n)
        y[i] = JOIN(, ACT)(x[i]);
}

__global__ void reference(float *y, const float *x, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = JOIN(, ACT)(x[i]);
}
"#;

const CONSTANTS_MAIN: &str = r#"
#[bico::tunable(
    source = "kernels/work.cu",
    space(LARGE in [true, false]),
    launch(grid = n.div_ceil(32), block = 32),
    problem(n = 64, const ACT = "plus_one"),
    problem(n = 64, const ACT = "times_two"),
    problem(n = 4000, const ACT = "times_two"),
    verify(reference = "reference", launch(grid = n.div_ceil(32), block = 32)),
    measure(cache = warm),
    budget(evaluations = 4, seconds = 30),
)]
fn work(
    stream: &Arc<CudaStream>,
    act: &str,
    #[len(n)] y: &mut CudaSlice<f32>,
    #[len(n)] x: &CudaSlice<f32>,
    n: u32,
) -> bico::Result<()>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let stream = CudaContext::new(0)?.default_stream();
    let x = stream.clone_htod(&[5.0f32; 4000])?;
    for (act, n) in [("plus_one", 64), ("times_two", 64), ("times_two", 4000), ("times_two", 3001), ("plus_one", 4000), ("none", 64)] {
        let mut y = stream.alloc_zeros::<f32>(4000)?;
        match work(&stream, act, &mut y, &x, n) {
            Ok(()) => {
                let sum: f32 = stream.clone_dtoh(&y)?.iter().sum();
                println!("{act} {n}: {sum} {}", work_warm_up(&stream, act, n)?.config);
            }
            Err(error) => println!("{act} {n}: {error}"),
        }
    }
    Ok(())
}
"#;

#[test]
#[ignore = "slow: .ci/run runs it"]
fn problems_and_their_constants() {
    let package = Package::cuda("constants");
    package.file("kernels/work.cu", CONSTANTS);
    package.file("src/main.rs", &format!("{TYPES}{CONSTANTS_MAIN}"));
    package.build("auto").ok();
    assert_eq!(package.entries("work").as_object().unwrap().len(), 3);
    let printed = package.run();
    let lines: Vec<&str> = printed.lines().collect();
    let expected = [
        "plus_one 64: 384 LARGE=false",
        "times_two 64: 640 LARGE=false",
        "times_two 4000: 40000 LARGE=true",
        "times_two 3001: 30010 LARGE=true",
        // The only problem of this constant.
        "plus_one 4000: 24000 LARGE=false",
    ];
    assert_eq!(lines[..5], expected, "{printed}");
    assert!(
        lines[5].contains("no `problem(..)` has act")
            || lines[5].contains("no `problem(..)` has ACT"),
        "{printed}"
    );
}
