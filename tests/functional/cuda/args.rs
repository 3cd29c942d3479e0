//! `args(..)` of CUDA kernels.

use super::kernel::TYPES;
use crate::harness::Package;

/// `args(..)`: the kernel's own order, with what is computed for it; rows that only the grid knows.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn what_the_kernel_gets_is_listed() {
    let package = Package::cuda("args");
    package.file(
        "kernels/sums.cu",
        r#"
__global__ void sums(int columns, const void *none, float scale, float *near, const float *x, float *out, int blocks)
{
    for (volatile int spin = 0; spin < (blockIdx.x == 0 ? SPIN : 0); spin++) {
    }
    if (none || blocks != (int)gridDim.x)
        return;
    for (int row = blockIdx.x * ROWS; row < (int)(blockIdx.x + 1) * ROWS; row++) {
        near[row] = 0;
        for (int at = 0; at < columns; at++)
            near[row] += x[row * columns + at];
        out[row] = near[row] * scale;
    }
}
"#,
    );
    package.file(
        "kernels/plain.c",
        "void plain(float *out, const float *x, unsigned rows, unsigned columns)\n{\n    for (unsigned row = 0; row < rows; row++) {\n        double sum = 0;\n        for (unsigned at = 0; at < columns; at++)\n            sum += x[row * columns + at];\n        out[row] = sum / columns;\n    }\n}\n",
    );
    let main = r#"
#[bico::tunable(
    source = "kernels/sums.cu",
    space(SPIN in [2000000, 0], ROWS in [1, 2]),
    require(rows % ROWS == 0, columns > 0),
    launch(grid = rows / ROWS, block = 1),
    scratch(NEAR: f32, len = rows),
    args(columns as i32, null, 1.0 / columns as f32, NEAR, x, out, rows / ROWS as i32),
    problem(rows = 16, columns = 20),
    verify(reference = "kernels/plain.c", entry = "plain"),
    measure(cache = warm),
    budget(evaluations = 4, seconds = 30),
)]
fn sums(
    #[len(rows)] out: &mut CudaSlice<f32>, #[len(rows * columns)] x: &impl bico::cudarc::driver::DevicePtr<f32>, rows: u32, columns: u32,
    stream: &Arc<CudaStream>,
) -> bico::Result<()>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let stream = CudaContext::new(0)?.default_stream();
    let x = stream.clone_htod(&[1.5f32; 320])?;
    let mut out = stream.alloc_zeros::<f32>(16)?;
    sums(&mut out, &x, 16, 20, &stream)?;
    sums(&mut out, &x.slice(..320), 16, 20, &stream)?;
    println!("{:?}", stream.clone_dtoh(&out)?);
    Ok(())
}
"#;
    package.file("src/main.rs", &format!("{TYPES}{main}"));
    package.build("auto").ok();
    for row in package.trail("sums") {
        assert!(row["seconds"].is_number(), "{row:#}");
    }
    assert_eq!(package.winner("sums")["SPIN"], 0);
    assert_eq!(package.run().trim(), format!("{:?}", [1.5f32; 16]));
}
