//! Inputs that hang together, as the author's function fills them: `inputs(..)`.

use crate::harness::Package;

/// MODE 0 is right and slow, 1 knows short rows only, 2 has learned what the first inputs hold.
const KERNELS: &str = r#"
#include <stdint.h>

void spmv(float *y, const uint32_t *first, const uint32_t *column, const float *value, const float *x,
          uint32_t rows, uint32_t columns, uint32_t nonzeros)
{
    for (volatile int i = 0; i < (MODE ? 0 : 100000); i++) {
    }
    (void)columns, (void)nonzeros;
    for (uint32_t row = 0; row < rows; row++) {
        float sum = 0;
        for (uint32_t i = first[row]; i < first[row + 1]; i++)
            if (MODE != 1 || i < first[row] + 40)
                sum += value[i] * (MODE == 2 && column[i] == 0 ? 1 : x[column[i]]);
        y[row] = sum;
    }
}

void spmv_plain(float *y, const uint32_t *first, const uint32_t *column, const float *value, const float *x,
                uint32_t rows, uint32_t columns, uint32_t nonzeros)
{
    for (uint32_t row = 0; row < rows; row++) {
        double sum = 0;
        for (uint32_t i = first[row]; i < first[row + 1]; i++)
            sum += (double)value[i] * x[column[i]];
        y[row] = (float)sum;
    }
}
"#;

/// The values, and all of `x` but its first element, stay as they are.
const FILL: &str = r#"
#include <stdint.h>

void fill_csr(float *y, uint32_t *first, uint32_t *column, float *value, float *x,
              uint32_t rows, uint32_t columns, uint32_t nonzeros, unsigned long long seed)
{
    first[0] = 0;
    for (uint32_t row = 0; row < rows; row++)
        first[row + 1] = columns ? (uint64_t)nonzeros * (row + 1) / rows : 0;
    for (uint32_t i = 0; columns && i < nonzeros; i++)
        column[i] = (i * 7 + seed) % columns;
    if (columns)
        x[0] = seed;
}
"#;

const PROGRAM: &str = r#"
#[bico::tunable(
    source = "kernels/spmv.c",
    inputs(file = "kernels/fill.c", entry = "fill_csr"),
    space(MODE in [0, 1, 2]),
    problem(rows = 50, columns = 400, nonzeros = 3000),
    verify(reference = "spmv_plain"),
    budget(evaluations = 6, seconds = 20),
)]
fn spmv(
    #[len(rows)] y: &mut [f32],
    #[len(rows + 1)] first: &[u32],
    #[len(nonzeros)] column: &[u32],
    #[len(nonzeros)] value: &[f32],
    #[len(columns)] x: &[f32],
    rows: u32,
    columns: u32,
    nonzeros: u32,
) -> bico::Result<()>;

fn main() -> bico::Result<()> {
    let mut y = [0.0; 2];
    spmv(&mut y, &[0, 1, 3], &[1, 0, 2], &[1.0, 2.0, 3.0], &[10.0, 20.0, 30.0], 2, 3, 3)?;
    println!("{y:?}");
    Ok(())
}
"#;

#[test]
fn sparse_rows() {
    let package = Package::new("filled");
    package.file("kernels/spmv.c", KERNELS);
    package.file("kernels/fill.c", FILL);
    package.file("src/main.rs", PROGRAM);
    package.build("auto").ok().says_nothing_of("fill_csr");
    assert_eq!(package.winner("spmv")["MODE"], 0);
    let trail = package.trail("spmv");
    let why = |mode: u64| {
        let row = trail.iter().find(|row| row["values"]["MODE"] == mode);
        assert_eq!(row.unwrap()["failure"], "wrong", "{mode}");
        row.unwrap()["detail"].to_string()
    };
    assert!(why(1).contains("rows = 50"));
    let learned = why(2);
    assert!(
        learned.contains("and other inputs") && !learned.contains("init"),
        "{learned}"
    );
    assert!(package.run().contains("[20.0, 110.0]"));

    // What fills inputs belongs to them.
    package.edit("kernels/fill.c", "i * 7", "i * 11");
    package
        .build("locked")
        .fails()
        .says("launch changed since it was tuned");
    package.edit("kernels/fill.c", "first[0] = 0;", "first[0] = 0; y[0] = 0;");
    package
        .build("tune")
        .fails()
        .says("the function `fill_csr` is wrong: it writes to its input `y`, at rows = 50")
        .says("of `&mut` buffers those with `#[init(..)]`")
        .says("src/main.rs:4:19");
    package.edit("kernels/fill.c", "y[0] = 0;", "*(char *)seed = 0;");
    package
        .build("tune")
        .fails()
        .says("the function `fill_csr` crashed at rows = 50");
    package.edit("kernels/fill.c", ", unsigned long long seed", "");
    package.edit("kernels/fill.c", "*(char *)seed = 0;", "unsigned seed = 1;");
    package
        .build("tune")
        .fails()
        .says("the arguments of the wrapper differ from those of the function `fill_csr` in `")
        .says("float *, uint32_t, uint32_t, uint32_t, uint64_t)");
    package.edit("src/main.rs", "\"fill_csr\"", "\"fill\"");
    package
        .build("tune")
        .fails()
        .says("fill.c` has no function `fill`");
}

#[cfg(target_arch = "x86_64")]
const SCATTER: &str = r#"
#include <cuda_fp16.h>

/* Wrong where places are not those of the first inputs. */
__global__ void scatter(float *y, const __half *x, const unsigned *to, unsigned n)
{
    unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        y[RIGHT ? to[i] : (i + 1) % n] += __half2float(x[i]);
}

__global__ void scatter_plain(float *y, const __half *x, const unsigned *to, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[to[i]] += __half2float(x[i]);
}
"#;

#[cfg(target_arch = "x86_64")]
const PLACES: &str = r#"
#include <stdint.h>

void scatter(float *y, uint16_t *x, uint32_t *to, uint32_t n, unsigned long long seed)
{
    for (uint32_t i = 0; i < n; i++) {
        y[i] = i;
        x[i] = 0x3c00 + 8 * (i % 100);
        to[i] = (i + seed) % n;
    }
}
"#;

#[cfg(target_arch = "x86_64")]
const SCATTER_MAIN: &str = r#"
use bico::cudarc::driver::{CudaContext, CudaSlice, CudaStream};
use half::f16;
use std::sync::Arc;

#[bico::tunable(
    source = "kernels/scatter.cu",
    inputs(file = "kernels/places.c"),
    space(BLOCK in [32, 64], RIGHT in [true, false]),
    launch(grid = n.div_ceil(BLOCK), block = BLOCK),
    problem(n = 200),
    verify(reference = "scatter_plain", launch(grid = n.div_ceil(32), block = 32)),
    measure(cache = warm),
    budget(evaluations = 4, seconds = 30),
)]
fn scatter(
    stream: &Arc<CudaStream>,
    #[len(n)]
    #[init(zeros)]
    y: &mut CudaSlice<f32>,
    #[len(n)] x: &CudaSlice<f16>,
    #[len(n)] to: &CudaSlice<u32>,
    n: u32,
) -> bico::Result<()>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let stream = CudaContext::new(0)?.default_stream();
    let x = stream.clone_htod(&[f16::from_f32(2.0), f16::from_f32(3.0)])?;
    let (mut y, to) = (stream.alloc_zeros(2)?, stream.clone_htod(&[1u32, 0])?);
    scatter(&stream, &mut y, &x, &to, 2)?;
    println!("{:?}", stream.clone_dtoh(&y)?);
    Ok(())
}
"#;

/// The function runs on the CPU, and what it fills is copied. With usual indices two threads would write to one place.
#[cfg(target_arch = "x86_64")]
#[test]
#[ignore = "slow: .ci/run runs it"]
fn places_on_a_gpu() {
    let package = Package::halves("scatter");
    package.file("kernels/scatter.cu", SCATTER);
    package.file("kernels/places.c", PLACES);
    package.file("src/main.rs", SCATTER_MAIN);
    package.build("auto").ok();
    assert_eq!(package.winner("scatter")["RIGHT"], true);
    // One of the wrong ones may be too slow to be looked at closely.
    let trail = package.trail("scatter");
    let wrong = trail.iter().find(|row| row["failure"] == "wrong");
    let why = wrong.unwrap()["detail"].to_string();
    assert!(why.contains("and other inputs"), "{why}");
    assert!(package.run().contains("[3.0, 2.0]"));
}
