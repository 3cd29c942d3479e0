//! `cargo bico check` on GPUs.

use super::kernel::{A100, MAIN, TYPES, work};
use crate::harness::Package;

const KERNEL: &str = r#"
#define IS_right 0
#define IS_broken broken
#define IS_wrong 2
#define IS_beyond 3
#define IS_dirty 4
#define IS_illegal 5
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define FAULTY JOIN(IS_, FAULT)

__global__ void work(float *y, const float *x, unsigned n, unsigned *locks)
{
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    int fault = FAULTY;
    if (i >= n)
        return;
    y[i] = 2 * x[i] + 1 + atomicAdd(&locks[i], 1u);
    locks[i] = fault == 4 && i == 2;
    if (fault == 2 && i == 12)
        y[i] = 0;
    if (fault == 3 && i == 0)
        y[n] = 1;
    if (fault == 5 && i == 0)
        y[1ll << 40] = 1;
}

__global__ void work_reference(float *y, const float *x, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = 2 * x[i] + 1;
}
"#;

const TUNABLE: &str = r#"
#[bico::tunable(
    source = "kernels/work.cu",
    space(FAULT in ["broken", "right", "wrong", "beyond", "dirty", "illegal"]),
    scratch(LOCKS: u32, len = n, zeroed),
    launch(grid = n.div_ceil(32), block = 32),
    problem(n = 256),
    verify(reference = "work_reference", launch(grid = n.div_ceil(32), block = 32)),
)]
fn work(
    stream: &Arc<CudaStream>,
    #[len(n)] y: &mut CudaSlice<f32>,
    #[len(n)] x: &CudaSlice<f32>,
    n: u32,
) -> bico::Result<()>;
"#;

#[test]
#[ignore = "slow: .ci/run runs it"]
fn every_fault_is_named() {
    let package = Package::cuda("faulty");
    package.file("kernels/work.cu", KERNEL);
    package.file("src/main.rs", &format!("{TYPES}{TUNABLE}{MAIN}"));
    let output = package.command(&["check"]).run().fails();
    output
        .says(&format!("work on {A100}, seed 1"))
        .says("failed: FAULT=broken: compile: ")
        .says("wrong: FAULT=wrong: wrong: y[12] is 0.0, expected ")
        .says("wrong: FAULT=beyond: out of bounds: it writes behind `y`")
        .says("wrong: FAULT=dirty: wrong: scratch `LOCKS` is not zero when the kernel ends: at element 2 of ")
        .says("wrong: FAULT=illegal: crash: ")
        .says_nothing_of("FAULT=right")
        .says("error: 4 configs are wrong: work (n=256)");
    // What only does not compile is no fault of what does.
    package.edit(
        "src/main.rs",
        "\"wrong\", \"beyond\", \"dirty\", \"illegal\"",
        "",
    );
    package.command(&["check"]).run().ok().says("FAULT=broken");
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn on_every_kind_of_gpu_and_on_none() {
    let package = work("kinds");
    let on = |gpus: &str| package.command(&["check", "-c", "2"]).gpus(gpus, "").run();
    let output = on("A100,RTX 4090,A100").ok();
    assert_eq!(output.count("work on "), 2, "{output}");
    on("")
        .fails()
        .says("error: no GPU can be used here")
        .says(": work");
    assert!(!package.has_lock());
}
