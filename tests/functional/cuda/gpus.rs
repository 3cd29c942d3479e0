//! Several GPUs, and GPUs that the lock does not know.

use super::kernel::{A100, searched, work};
use crate::harness::Package;

const RTX_4090: &str = "NVIDIA GeForce RTX 4090 (sm_89)";
const H100: &str = "NVIDIA H100 80GB HBM3 (sm_90)";
const RTX_2080: &str = "NVIDIA GeForce RTX 2080 Ti (sm_75)";

/// `FOR` must be the architecture that the kernel is compiled for, else it does a hundred times the work.
fn for_each(name: &str) -> Package {
    let package = work(name);
    package.edit(
        "kernels/work.cu",
        "spin < SPIN",
        "spin < (10 * FOR == __CUDA_ARCH__ ? 0 : 2000000)",
    );
    package.edit(
        "src/main.rs",
        "SPIN in [4000000, 0, 1000000], BLOCK in [32, 64]",
        "FOR in [89, 80], BLOCK = 32",
    );
    package
}

/// Four threads with streams of their own call at the same time; then one with a foreign buffer.
const THREADS: &str = r#"
    std::thread::scope(|scope| {
        for thread in 0..4u32 {
            scope.spawn(move || {
                let gpus = CudaContext::device_count().unwrap() as u32;
                let context = CudaContext::new((thread % gpus) as usize).unwrap();
                let stream = context.new_stream().unwrap();
                for n in (1..200).step_by(13) {
                    let x = stream.clone_htod(&vec![thread as f32; n as usize]).unwrap();
                    let mut y = stream.alloc_zeros::<f32>(n as usize).unwrap();
                    work(&stream, &mut y, &x, n).unwrap();
                    let expected = vec![2.0 * thread as f32 + 1.0; n as usize];
                    assert_eq!(stream.clone_dtoh(&y).unwrap(), expected);
                }
            });
        }
    });
    if CudaContext::device_count()? > 1 {
        let streams = [CudaContext::new(0)?.default_stream(), CudaContext::new(1)?.default_stream()];
        let x = streams[1].alloc_zeros::<f32>(9)?;
        let refused = work(&streams[0], &mut streams[0].alloc_zeros::<f32>(9)?, &x, 9);
        println!("{}", refused.unwrap_err());
    }
    println!("all right");
"#;

#[test]
#[ignore = "slow: .ci/run runs it"]
fn two_at_once() {
    let package = for_each("two");
    package.edit("src/main.rs", "    println!(\"all right\");\n", THREADS);
    let both = "A100,RTX 4090";
    package.cargo(&["build"]).gpus(both, "").run().ok();
    let lock = package.lock();
    for (device, wins) in [(A100, 80), (RTX_4090, 89)] {
        assert!(lock["devices"][device].is_object(), "{lock:#}");
        let entry = &lock["kernels"]["work"][device]["n=256"];
        assert_eq!(entry["winner"]["config"]["FOR"], wins, "{lock:#}");
    }
    let printed = package.start().gpus(both, "").run().ok().stdout;
    for (device, wins) in [(A100, 80), (RTX_4090, 89)] {
        let line = format!("FOR={wins}, BLOCK=32 (tuned on {device})");
        assert!(printed.contains(&line), "{printed}");
    }
    let foreign = "work: `x` lies on GPU 1, the stream belongs to GPU 0\nall right\n";
    assert!(printed.ends_with(foreign), "{printed}");
    // Each alone finds its own as well, whichever number it has.
    let printed = package.start().gpus("RTX 4090", "").run().ok().stdout;
    assert!(printed.contains("FOR=89"), "{printed}");

    // A third one is tuned for when it comes; of two equal ones, once.
    assert!(searched(&package, "work"));
    package
        .cargo(&["build"])
        .gpus("H100,H100", "")
        .env("BICO", "tune")
        .run()
        .ok();
    let lock = package.lock();
    assert_eq!(lock["devices"].as_object().unwrap().len(), 3, "{lock:#}");
    let trail = package.trail("work");
    assert!(trail.iter().all(|row| row["device"] == H100), "{trail:#?}");
    let baselines = trail
        .iter()
        .filter(|row| row["kind"] != "final" && row["config"] == 0);
    assert_eq!(baselines.count(), 1, "{trail:#?}");
    let printed = package.start().gpus("H100,A100,H100", "").run().ok().stdout;
    assert_eq!(
        printed.matches(&format!("(tuned on {H100})")).count(),
        2,
        "{printed}"
    );
}

/// `arch = "exact"`: code that uses what only `sm_90a` has, which other GPUs don't load.
#[test]
fn exact_code_is_for_one_kind() {
    let package = work("exact");
    // Blocks of 64 threads take as long.
    package.edit("src/main.rs", "BLOCK in [32, 64]", "BLOCK = 32");
    // Compiled for less it is no kernel at all; elsewhere it has another way.
    package.edit(
        "kernels/work.cu",
        "__global__ void work(",
        "#if __CUDA_ARCH__ >= 900 && !defined(__CUDA_ARCH_FEAT_SM90_ALL)\n#error compiled for any\n#endif\n__global__ void work(",
    );
    package.edit("src/main.rs", "budget(", "arch = \"exact\", budget(");
    package.cargo(&["build"]).gpus("H100", "").run().ok();
    let lock = package.lock();
    let entry = &lock["kernels"]["work"][H100]["n=256"];
    let toolchain = entry["toolchain"].as_str().unwrap();
    assert!(toolchain.ends_with(", sm_90a"), "{lock:#}");
    let data = std::fs::read_to_string(package.out_dir("work").join("work.rs")).unwrap();
    assert!(
        data.contains("ImageKind::Exact, compute_capability: 90"),
        "{data}"
    );
    assert!(!data.contains("ImageKind::Ptx"), "{data}");

    let run = |gpu: &str| package.start().gpus(gpu, "").run();
    run("H100")
        .ok()
        .says(&format!("SPIN=0, BLOCK=32 (tuned on {H100})"));
    // Another GPU has it compiled from its source, if it can.
    run("A100").ok().says("all right");
    let refused = package
        .start()
        .gpus("A100", "")
        .env("BICO_NVRTC", "/nowhere");
    refused
        .run()
        .fails()
        .says("for sm_80 this program carries a cubin for sm_90a");
}

/// What a program does on a GPU that was not tuned for: it goes by the ranking, which here prefers the
/// slowest on the newest.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn unknown_ones() {
    let package = work("unknown");
    let score = "score = if device.compute_capability >= 90 { SPIN } else { -SPIN }";
    package.edit("src/main.rs", "budget(", &format!("{score}, budget("));
    package.build("auto").ok();
    assert_eq!(package.winner("work")["SPIN"], 0);
    let run = |gpu: &str, faults: &str, nvrtc: bool| {
        // Nor does it learn.
        let call = package
            .start()
            .gpus(gpu, faults)
            .env("BICO_RUNTIME", "fixed");
        match nvrtc {
            true => call.run(),
            false => call.env("BICO_NVRTC", "/nowhere").run(),
        }
    };
    // Machine code of the same family, else PTX: neither needs a compiler.
    run("RTX 4090", "", false)
        .ok()
        .says("SPIN=0")
        .says(&format!(
            "(tuned at n=256 on {A100}, not yet on {RTX_4090})"
        ))
        .says("all right");
    run("H100", "", false)
        .ok()
        .says("SPIN=4000000")
        .says(&format!("(predicted for n=256, not yet tuned on {H100})"))
        .says("all right");
    // What is older than all of it, and a driver that is older than the PTX: NVRTC compiles the source.
    run("RTX 2080 Ti", "", true)
        .ok()
        .says("SPIN=0")
        .says(&format!("not yet on {RTX_2080})"))
        .says("all right");
    run("H100", "driver-too-old:ptx", true)
        .ok()
        .says("all right");
    // Without NVRTC nothing is left. Why, is said of each.
    let refused = |gpu: &str, faults: &str, why: &str| {
        let refused = run(gpu, faults, false).fails();
        let error = "error: work: no config of this program can run here at n=1\n";
        assert!(refused.stdout.contains(error), "{refused}");
        let refused = refused.says(why).says("/nowhere");
        refused.says_nothing_of("panicked");
    };
    refused(
        "RTX 2080 Ti",
        "",
        "for sm_75 this program carries a cubin for sm_80, PTX for compute_80",
    );
    refused(
        "H100",
        "driver-too-old:ptx",
        "PTX for compute_80 does not load (CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
    );
    // Nor where a module does not load.
    refused(
        "A100",
        "load:BLOCK",
        "a cubin for sm_80 does not load (CUDA_ERROR_INVALID_IMAGE",
    );
}

/// A lock that knows another GPU of the same compute capability.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn of_the_same_kind() {
    let package = work("kin");
    package.build("auto").ok();
    let other = A100.replace("SXM4-40GB", "PCIE-80GB");
    package.edit(
        "bico.lock",
        "NVIDIA A100-SXM4-40GB",
        "NVIDIA A100-PCIE-80GB",
    );
    package.build("locked").ok();
    let printed = package.start().env("BICO_RUNTIME", "fixed").run().ok();
    let printed = printed.stdout;
    let line = format!("(tuned at n=256 on {other}, which is of the same kind as {A100})");
    assert!(printed.contains(&line), "{printed}");
    assert!(printed.contains("SPIN=0"), "{printed}");
    // This very GPU gets its own entry, beside the other.
    package.build("auto").ok();
    let lock = package.lock();
    let devices = lock["kernels"]["work"].as_object().unwrap();
    assert_eq!(devices.len(), 2, "{lock:#}");
    assert!(package.run().contains(&format!("(tuned on {A100})")));
}

/// What wins on a large GPU may need what no lesser one has. The program carries the best of what was measured that runs
/// there; where nothing that was measured does, what is predicted.
#[test]
fn a_lock_of_a_large_one_serves_lesser_ones() {
    for (name, evaluations, on_a100, on_4090) in [
        ("measured", 8, 150, 40),
        // Only the first valid config, which is ranked first, too, was measured.
        ("not_measured", 1, 150, 80),
    ] {
        let package = work(name);
        package.edit("kernels/work.cu", "spin < SPIN", "spin < 1");
        let space = "SPIN in [4000000, 0, 1000000], BLOCK in [32, 64]";
        package.edit(
            "src/main.rs",
            space,
            "KIB in [200, 150, 80, 40], BLOCK = 32",
        );
        let launch = "block = BLOCK)";
        package.edit("src/main.rs", launch, "block = BLOCK, shared = 1024 * KIB)");
        let budget = format!("score = KIB, budget(evaluations = {evaluations}");
        package.edit("src/main.rs", "budget(evaluations = 6", &budget);
        let build = package.cargo(&["build"]).gpus("H100", "");
        let times = "KIB=200=1;KIB=150=2;KIB=80=8;KIB=40=4";
        build.env("BICO_HOST_TIMES", times).run().ok();
        assert_eq!(package.winner("work")["KIB"], 200);
        let run = |gpu: &str| {
            let call = package.start().gpus(gpu, "").env("BICO_NVRTC", "/nowhere");
            call.env("BICO_RUNTIME", "fixed").run().ok()
        };
        run("H100")
            .says("KIB=200")
            .says(&format!("(tuned on {H100})"));
        run("A100").says(&format!(
            "KIB={on_a100}, BLOCK=32 (predicted for n=256, not yet tuned on {A100})"
        ));
        run("RTX 4090").says(&format!(
            "KIB={on_4090}, BLOCK=32 (predicted for n=256, not yet tuned on {RTX_4090})"
        ));
        // A build that measures nothing carries the same.
        package.build("locked").ok();
        run("RTX 4090").says(&format!("KIB={on_4090}, "));
    }
}
