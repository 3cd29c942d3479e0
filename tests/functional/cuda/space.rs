//! `cargo bico space` for GPUs that are here, and for such that are not.

use super::kernel::{A100, work};
use crate::harness::Package;

/// The threads of a block decide what a GPU can launch, its multiprocessors what is promising.
fn package(name: &str) -> Package {
    let package = work(name);
    package.edit(
        "src/main.rs",
        "BLOCK in [32, 64]",
        "BLOCK in [32, 64, 2048]",
    );
    package.edit(
        "src/main.rs",
        "SPIN in [4000000, 0, 1000000]",
        "SPIN in [0]",
    );
    package.edit(
        "src/main.rs",
        "problem(n = 256),",
        "problem(n = 256), score = if device.multiprocessors > 100 { BLOCK } else { -BLOCK },",
    );
    package
}

#[test]
fn a_gpu_that_is_not_here() {
    let package = package("absent");
    let space = |args: &[&str]| {
        let args = [&["space", "work"], args].concat();
        package.command(&args).without_cuda().run()
    };
    // Without one there is no space.
    space(&[])
        .fails()
        .says("error: `work` is a CUDA kernel, and there is no GPU here: ")
        .says("= help: name one: `--device \"NVIDIA H100\"`; `cargo bico devices` lists those that are known");
    let h100 = space(&["--device", "NVIDIA H100", "--why"]).ok();
    h100.says("work on NVIDIA H100 80GB HBM3 (sm_90)\nn=256: 2 configs of 3 combinations\n")
        .says("    1         1     2        1  BLOCK <= device.max_threads_per_block (of any launch)\n")
        .says("1     64.0000  SPIN=0 BLOCK=64\n");
    // Another order on a smaller one.
    space(&["--device", "NVIDIA L4"])
        .ok()
        .says("1     -32.0000  SPIN=0 BLOCK=32\n");
    // What is printed can be edited and read.
    let facts = package
        .command(&["devices", "--facts", "NVIDIA L4"])
        .run()
        .ok()
        .stdout;
    let facts = facts.replace("\"multiprocessors\": 58", "\"multiprocessors\": 158");
    package.file("mine.json", &facts);
    space(&["--device", "mine.json", "--count"])
        .ok()
        .says("2 work (n=256) on NVIDIA L4 (sm_89)\n");
    space(&["--device", "mine.json"])
        .ok()
        .says("1     64.0000  SPIN=0 BLOCK=64\n");
    let cpu = "{\"brand\": \"b\", \"cores\": 1, \"family\": 1, \"features\": [], \"kind\": \"cpu\", \"l1d_bytes\": 1, \
        \"l2_bytes\": 1, \"l3_bytes\": 1, \"level\": \"x86-64\", \"model\": 1, \"vector_bits\": 128, \"vendor\": \"v\"}";
    package.file("cpu.json", cpu);
    space(&["--device", "cpu.json"])
        .fails()
        .says("b (v family 1 model 1, x86-64) is a CPU, but none of these kernels is in C or C++");
}

#[test]
fn the_gpus_that_are_here_one_of_each_kind() {
    let package = package("present");
    let space = |gpus: &str| {
        package
            .command(&["space", "--count"])
            .gpus(gpus, "")
            .run()
            .ok()
    };
    assert_eq!(
        space("A100,RTX 4090,A100").stdout,
        format!("2 work (n=256) on {A100}\n2 work (n=256) on NVIDIA GeForce RTX 4090 (sm_89)\n")
    );
    // What the table has of it is what the driver tells.
    let facts = package
        .command(&["devices", "--facts", "A100-SXM4-40GB"])
        .run()
        .ok()
        .stdout;
    let facts: serde_json::Value = serde_json::from_str(&facts).unwrap();
    package.command(&["tune"]).run().ok();
    let lock = package.lock();
    let told = &lock["devices"][A100];
    for (name, value) in told.as_object().unwrap() {
        if name != "memory_bytes_per_second" {
            assert_eq!(facts[name], *value, "{name}");
        }
    }
    // Twice the memory's clock times its width is a little more than the data sheet's figure.
    let bandwidth = |of: &serde_json::Value| of["memory_bytes_per_second"].as_f64().unwrap() / 1e9;
    assert!((bandwidth(told) - bandwidth(&facts)).abs() < 5.0);
    // From then on the lock knows the GPU.
    package
        .command(&["space", "--device", A100, "--count"])
        .without_cuda()
        .run()
        .ok()
        .says(&format!("2 work (n=256) on {A100}"));
}
