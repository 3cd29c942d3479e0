//! Configs that a GPU cannot launch.

use super::kernel::{MAIN, TYPES};
use crate::harness::Package;

/// Stands at the end of the block's shared memory, and has four bytes of its own. Little of it, and few threads,
/// are made slow.
const KERNEL: &str = r#"
__global__ void work(float *y, const float *x, unsigned n)
{
    extern __shared__ float shared[];
    __shared__ float one;
    unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    float *mine = shared + SHARED / 4 - BLOCK + threadIdx.x;
    if (i == 0)
        for (volatile int spin = 0; spin < (SHARED > 49152 && BLOCK == 256 ? 0 : 2000000); spin++) {
        }
    *mine = i < n ? x[i] : 0;
    if (threadIdx.x == 0)
        one = 1;
    __syncthreads();
    if (i < n)
        y[i] = 2 * *mine + one;
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
    space(BLOCK in [2048, 64, 256, 512], SHARED in [49152, 65536, 262144]),
    launch(grid = n.div_ceil(BLOCK), block = BLOCK, shared = SHARED),
    problem(n = 256),
    verify(reference = "work_reference", launch(grid = n.div_ceil(32), block = 32)),
    measure(cache = warm),
    budget(evaluations = 20, seconds = 60, strategy = "sequential"),
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
fn what_cannot_be_launched_is_not_tried() {
    let package = Package::cuda("limits");
    package.file("kernels/work.cu", KERNEL);
    package.file("src/main.rs", &format!("{TYPES}{TUNABLE}{MAIN}"));
    let build = package
        .cargo(&["build"])
        .env("BICO_HOST_REGISTERS", "BLOCK=512=200");
    build.run().ok();
    let trail = package.trail("work");
    // Threads and shared memory are known before anything is compiled.
    for row in &trail {
        assert_ne!(row["values"]["BLOCK"], 2048, "{row:#}");
        assert_ne!(row["values"]["SHARED"], 262_144, "{row:#}");
    }
    let entry = &package.entries("work")["n=256"];
    assert_eq!(entry["space_size"], 6, "{entry:#}");
    // Registers are known when a config is compiled: that costs no evaluation.
    let (mut told, mut spent) = (0, Vec::new());
    for row in trail.iter().filter(|row| row["kind"] != "final") {
        if row["values"]["BLOCK"] == 512 {
            assert_eq!(row["failure"], "unlaunchable", "{row:#}");
            assert!(
                row["detail"].as_str().unwrap().contains("registers"),
                "{row:#}"
            );
            told += 1;
        } else {
            assert!(row["seconds"].is_number(), "{row:#}");
            spent.push(row["evaluation"].as_u64().unwrap());
        }
    }
    assert_eq!(told, 2, "{trail:#?}");
    assert_eq!(spent, [1, 2, 3, 4]);
    assert_eq!(entry["evaluations"], 4, "{entry:#}");
    // More than 48 KiB of shared memory, the kernel's own among them, is had for the asking, by the build and by
    // the program.
    assert_eq!(entry["winner"]["config"]["SHARED"], 65_536, "{entry:#}");
    assert_eq!(entry["winner"]["config"]["BLOCK"], 256, "{entry:#}");
    let printed = package.run();
    assert!(
        printed.contains("BLOCK=256, SHARED=65536 (tuned on"),
        "{printed}"
    );
    // On a GPU that gives a block less, the next config serves.
    let small = package.start().gpus("RTX 2080 Ti", "");
    small.run().ok().says("all right");
}
