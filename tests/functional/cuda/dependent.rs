//! Launches that may begin before the one ahead of them ends.

use super::kernel::TYPES;
use crate::harness::Package;

/// y = 2 x + 1 in two passes, of which the second may begin early.
const KERNEL: &str = r#"
__global__ void doubled(float *twice, const float *x, unsigned n)
{
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    if (i < n)
        twice[i] = 2 * x[i];
}

__global__ void plus(float *y, const float *twice, unsigned n)
{
    unsigned i = blockIdx.x * 32 + threadIdx.x;
#if !defined(HOST_DRIVER) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
    float one = 1;
#if defined(HOST_DRIVER) && __CUDA_ARCH__ >= 900
    // Launched in another way than was asked for, the result is another.
    one += host_may_begin_early() - EARLY;
#endif
    if (i < n)
        y[i] = twice[i] + one;
}

__global__ void work_reference(float *y, const float *x, unsigned n)
{
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    if (i < n)
        y[i] = 2 * x[i] + 1;
}
"#;

const REST: &str = r#"
#[bico::tunable(
    source = "kernels/work.cu",
    space(EARLY in [true, false]),
    scratch(TWICE: f32, len = n),
    pass(entry = "doubled", launch(grid = n.div_ceil(32), block = 32), args(TWICE, x, n)),
    pass(entry = "plus", launch(grid = n.div_ceil(32), block = 32, dependent = EARLY), args(y, TWICE, n)),
    problem(n = 256),
    verify(reference = "work_reference", launch(grid = n.div_ceil(32), block = 32)),
    measure(cache = warm),
    budget(evaluations = 4, seconds = 30),
)]
pub fn work(
    stream: &Arc<CudaStream>,
    #[len(n)] y: &mut CudaSlice<f32>,
    #[len(n)] x: &CudaSlice<f32>,
    n: u32,
) -> bico::Result<()>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let stream = CudaContext::new(0)?.default_stream();
    let x = stream.clone_htod(&[3.0f32; 100])?;
    for config in work_tunable().candidates() {
        let mut y = stream.alloc_zeros::<f32>(100)?;
        work_with(&config, &stream, &mut y, &x, 100)?;
        assert_eq!(stream.clone_dtoh(&y)?, [7.0; 100], "{config}");
    }
    println!("all right");
    Ok(())
}
"#;

/// Both ways are right on a GPU that has it; on another one, whose driver refuses such launches, there is none.
#[test]
fn the_second_pass_may_begin_early() {
    let package = Package::cuda("dependent");
    package.file("kernels/work.cu", KERNEL);
    package.file("src/main.rs", &format!("{TYPES}{REST}"));
    package.cargo(&["build"]).gpus("H100,A100", "").run().ok();
    let trail = package.trail("work");
    assert!(trail.len() >= 4, "{trail:#?}");
    assert!(
        trail.iter().all(|row| row["failure"].is_null()),
        "{trail:#?}"
    );
    for gpu in ["H100", "A100"] {
        package.start().gpus(gpu, "").run().ok().says("all right");
    }
}
