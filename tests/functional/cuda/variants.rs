//! `variant(..)` of CUDA kernels: sources, launches, arguments and scratch of their own.

use super::kernel::{KERNEL, MAIN, TYPES};
use crate::harness::Package;

/// Two launches, with other arguments than the wrapper's and a parameter that is a template's.
const TWICE: &str = r#"
template <int ITEMS>
__global__ void doubled(const float *x, float *twice, int n)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * ITEMS;
    for (int i = first; i < n && i < first + ITEMS; i++)
        twice[i] = 2 * x[i];
}

__global__ void plus(float *y, const float *twice, unsigned n, float what)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    if (i < n)
        y[i] = twice[i] + what;
}
"#;

const ITEM: &str = r#"
#[bico::tunable(
    variant(
        plain,
        source = "kernels/work.cu",
        space(SPIN in [4000000, 1000000], BLOCK in [32, 64]),
        launch(grid = n.div_ceil(BLOCK), block = BLOCK),
    ),
    variant(
        twice,
        source = "kernels/twice.cu",
        space(ITEMS in [2, 4]),
        require(device.compute_capability >= 80),
        scratch(TWICE: f32, len = n),
        pass(
            entry = "doubled",
            template = [ITEMS],
            launch(grid = n.div_ceil(32 * ITEMS), block = (32, 1)),
            args(x, TWICE, n as i32),
        ),
        pass(
            entry = "plus",
            launch(grid = n.div_ceil(64), block = 64),
            args(y, TWICE, n, ITEMS / ITEMS as f32),
        ),
    ),
    variant(
        newer,
        source = "kernels/work.cu",
        flags = ["-DSPIN=0", "-DBLOCK=32"],
        require(device.compute_capability >= 90),
        launch(grid = n.div_ceil(32), block = 32),
    ),
    problem(n = 256),
    verify(reference = "work_reference", launch(grid = n.div_ceil(32), block = 32)),
    measure(cache = warm),
    budget(evaluations = 8, seconds = 30),
)]
pub fn work(
    stream: &Arc<CudaStream>,
    #[len(n)] y: &mut CudaSlice<f32>,
    #[len(n)] x: &CudaSlice<f32>,
    n: u32,
) -> bico::Result<()>;
"#;

#[test]
#[ignore = "slow: .ci/run runs it"]
fn the_faster_variant_is_launched() {
    let package = Package::cuda("cuda-variants");
    package.file("kernels/work.cu", KERNEL);
    package.file("kernels/twice.cu", TWICE);
    package.file("src/main.rs", &format!("{TYPES}{ITEM}{MAIN}"));
    package.build("auto").ok();
    let rows = package.trail("work");
    let of = |variant: &str| {
        rows.iter()
            .filter(|row| row["values"]["VARIANT"] == variant)
            .count()
    };
    assert!(
        of("plain") > 0 && of("twice") > 0 && of("newer") == 0,
        "{rows:#?}"
    );
    let winner = package.winner("work");
    assert_eq!(winner["VARIANT"], "twice", "{winner}");
    assert!(winner.get("BLOCK").is_none(), "{winner}");
    let served = package.start().run().ok();
    served.says("VARIANT=twice, ITEMS=").says("all right");

    // Of each candidate its own source, on the program's own machine.
    let bare = package.cargo(&["build"]).env("BICO", "locked");
    bare.env("BICO_NVRTC", "/nowhere").run().ok();
    package
        .start()
        .run()
        .ok()
        .says("VARIANT=twice")
        .says("all right");
    package.command(&["check"]).run().ok();
}
