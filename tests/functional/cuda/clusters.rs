//! Blocks that are launched in clusters.

use super::kernel::{A100, replace, work};

const CLUSTERED: &str = r#"
__global__ void work(float *y, const float *x, unsigned n)
{
#if __CUDA_ARCH__ >= 900
    // In a cluster of another size, or at another place in it, the result is another.
    unsigned wrong = __clusterSizeInBlocks() - CLUSTER + __clusterRelativeBlockRank() - blockIdx.x % CLUSTER;
#else
    unsigned wrong = 0;
#endif
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    if (i == 0)
        for (volatile int spin = 0; spin < 2000000 / CLUSTER; spin++) {
        }
    if (i < n)
        y[i] = 2 * x[i] + 1 + wrong;
}
"#;

#[test]
fn clusters_are_launched_where_there_are_some() {
    let package = work("clusters");
    replace(&package, CLUSTERED);
    package.edit(
        "src/main.rs",
        "SPIN in [4000000, 0, 1000000], BLOCK in [32, 64]",
        "CLUSTER in [1, 2, 4, 16]",
    );
    package.edit(
        "src/main.rs",
        "launch(grid = n.div_ceil(BLOCK), block = BLOCK)",
        "launch(grid = n.div_ceil(32 * CLUSTER) * CLUSTER, block = 32, cluster = (CLUSTER, 1))",
    );
    package.cargo(&["build"]).gpus("H100,A100", "").run().ok();
    let entries = &package.lock()["kernels"]["work"];
    let of = |device: &str| entries[device]["n=256"].clone();
    // No cluster has sixteen blocks, and an A100 has none.
    let hopper = of("NVIDIA H100 80GB HBM3 (sm_90)");
    assert_eq!(hopper["winner"]["config"]["CLUSTER"], 4, "{hopper:#}");
    assert_eq!(hopper["space_size"], 3, "{hopper:#}");
    assert_eq!(of(A100)["winner"]["config"]["CLUSTER"], 1);
    let trail = package.trail("work");
    assert!(
        trail.iter().all(|row| row["failure"].is_null()),
        "{trail:#?}"
    );
    for (gpu, cluster) in [("H100", 4), ("A100", 1)] {
        let said = package.start().gpus(gpu, "").run().ok();
        let said = said.says(&format!("CLUSTER={cluster} (tuned on "));
        said.says("all right");
    }
    // What was tuned for one GPU alone does not stop another one.
    let other = package.start().gpus("RTX 4090", "").run().ok();
    other.says("CLUSTER=1 ").says("all right");

    // A grid that is no whole number of clusters costs its trial.
    package.edit(
        "src/main.rs",
        "n.div_ceil(32 * CLUSTER) * CLUSTER",
        "n.div_ceil(32) + 2",
    );
    package
        .cargo(&["build"])
        .gpus("H100", "")
        .env("BICO", "tune")
        .run()
        .ok();
    let trail = package.trail("work").into_iter();
    let mut failed = trail.filter(|row| !row["failure"].is_null());
    let text = failed.next().unwrap().to_string();
    let why = "the grid has 10 blocks in x, which are no whole clusters of 4";
    assert!(text.contains(why), "{text}");
}
