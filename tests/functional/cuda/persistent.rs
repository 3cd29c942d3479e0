//! Kernels whose blocks stay: as many as the GPU has room for, each with several tiles.

use super::kernel::{A100, TYPES, replace, work};

const PERSISTENT: &str = r#"
__global__ void work(float *y, const float *x, unsigned n)
{
    for (unsigned first = blockIdx.x * BLOCK; first < n; first += gridDim.x * BLOCK) {
        if (gridDim.x > 108 * CAP && threadIdx.x == 0)
            for (volatile int spin = 0; spin < 1000000; spin++) {
            }
        if (first + threadIdx.x < n)
            y[first + threadIdx.x] = 2 * x[first + threadIdx.x] + 1;
    }
}
"#;

#[test]
fn as_many_blocks_as_there_is_room_for() {
    let package = work("persistent");
    replace(&package, PERSISTENT);
    assert!(package.read("src/main.rs").starts_with(TYPES));
    package.edit(
        "src/main.rs",
        "SPIN in [4000000, 0, 1000000], BLOCK in [32, 64]",
        "CAP in [1, 2], BLOCK in [32, 64]",
    );
    package.edit(
        "src/main.rs",
        "grid = n.div_ceil(BLOCK)",
        "grid = n.div_ceil(BLOCK).min(CAP * device.multiprocessors)",
    );
    package.edit("src/main.rs", "problem(n = 256)", "problem(n = 100_000)");
    package.edit("src/main.rs", "&[256]", "&[100_000]");
    package.build("auto").ok();
    let entry = &package.lock()["kernels"]["work"][A100]["n=100000"];
    assert_eq!(entry["verified"], "reference, rules 2", "{entry:#}");
    let printed = package.run();
    assert!(printed.contains("(tuned on "), "{printed}");
    assert!(printed.ends_with("all right\n"), "{printed}");
    // A GPU with fewer of them launches fewer blocks.
    let other = package.start().gpus("RTX 2080 Ti", "").run().ok();
    other.says("all right");
}
