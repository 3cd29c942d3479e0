//! Configs that go wrong on a GPU cost one trial each, and the trail names them.

use super::kernel::{MAIN, TYPES, work};
use crate::harness::{Package, only_trial};

/// What goes wrong for real. `FAULT`s that are not here are the host driver's to inject.
const KERNEL: &str = r#"
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define FAULTY JOIN(IS_, FAULT)
#define IS_right 0
#define IS_refused 0
#define IS_unloadable 0
#define IS_forbidden 0
#define IS_crooked 0
#define IS_late 0
#define IS_fallen 0
#define IS_needy 0
#define IS_endless 0
#define IS_spoiled 0
#define IS_greedy 0
#define IS_slow 1
#define IS_illegal 2
#define IS_misaligned 3
#define IS_beyond 4
#define IS_before 5
#define IS_wrong 6
#define IS_nan 7
#define IS_unwritten 8
#define IS_changed 9

__global__ void work(float *y, float *x, unsigned n, float *buffer)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) {
        if (FAULTY == 1)
            for (volatile int spin = 0; spin < 2000000; spin++) {
            }
        if (FAULTY == 2)
            y[1ll << 40] = 1;
        if (FAULTY == 3)
            *(volatile int *)((char *)y + 1) = 1;
        if (FAULTY == 4)
            y[n] = 1;
        if (FAULTY == 5)
            y[-1] = 1;
        if (FAULTY == 9)
            x[n / 2] = 9;
        buffer[0] = 1;
    }
    if (i < n && !(FAULTY == 8 && i == n - 1))
        y[i] = 2 * x[i] + 1;
    if (FAULTY == 6 && i == n / 2)
        y[i] += 1;
    if (FAULTY == 7 && i == n / 2)
        y[i] = 0.0f / 0.0f;
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
    space(FAULT in [
        "broken", "slow", "illegal", "misaligned", "beyond", "before", "wrong", "nan", "unwritten", "changed",
        "refused", "unloadable", "forbidden", "crooked", "late", "fallen", "needy", "endless", "spoiled",
        "greedy", "right",
    ]),
    scratch(buffer: f32, len = if FAULT == "greedy" { 100000000 } else { 16 }),
    launch(grid = n.div_ceil(32), block = 32),
    problem(n = 256),
    verify(reference = "work_reference", launch(grid = n.div_ceil(32), block = 32)),
    measure(cache = warm),
    budget(evaluations = 30, seconds = 200, strategy = "sequential"),
)]
fn work(
    stream: &Arc<CudaStream>,
    #[len(n)] y: &mut CudaSlice<f32>,
    #[len(n)] x: &CudaSlice<f32>,
    n: u32,
) -> bico::Result<()>;
"#;

/// What the host driver injects.
const INJECTED: &str = "compile:FAULT=refused; load:FAULT=unloadable; illegal-address:FAULT=forbidden; \
    misaligned:FAULT=crooked; launch-timeout:FAULT=late; launch-failed:FAULT=fallen; \
    out-of-resources:FAULT=needy; hang:FAULT=endless; wrong:FAULT=spoiled; out-of-memory:300000000";

#[test]
#[ignore = "slow: .ci/run runs it"]
fn each_costs_its_trial() {
    let package = Package::cuda("faults");
    package.file("kernels/work.cu", KERNEL);
    package.file("src/main.rs", &format!("{TYPES}{TUNABLE}{MAIN}"));
    let build = package.cargo(&["build"]).gpus("A100", INJECTED);
    build.run().ok();
    assert_eq!(package.winner("work")["FAULT"], "right");
    let printed = package.run();
    assert!(printed.contains("FAULT=right (tuned on"), "{printed}");

    let trail = package.trail("work");
    let row = |fault: &str| only_trial(&trail, "FAULT", fault);
    for (fault, kind, detail) in [
        ("broken", "compile", "IS_broken"),
        ("refused", "compile", ""),
        ("unloadable", "compile", "INVALID_IMAGE"),
        ("illegal", "crash", "CUDA_ERROR_ILLEGAL_ADDRESS"),
        ("forbidden", "crash", "CUDA_ERROR_ILLEGAL_ADDRESS"),
        ("misaligned", "crash", "CUDA_ERROR_MISALIGNED_ADDRESS"),
        ("crooked", "crash", "CUDA_ERROR_MISALIGNED_ADDRESS"),
        ("late", "crash", "CUDA_ERROR_LAUNCH_TIMEOUT"),
        ("fallen", "crash", "CUDA_ERROR_LAUNCH_FAILED"),
        ("needy", "crash", "OUT_OF_RESOURCES"),
        ("endless", "timeout", ""),
        ("beyond", "out_of_bounds", "behind `y`"),
        ("before", "out_of_bounds", "before `y`"),
        ("wrong", "wrong", "y["),
        ("spoiled", "wrong", "y["),
        ("nan", "wrong", "NaN"),
        ("changed", "wrong", "changes its input `x`"),
        ("unwritten", "unwritten", "y"),
        ("greedy", "memory", "buffer"),
    ] {
        let row = row(fault);
        assert_eq!(row["failure"], kind, "{row:#}");
        assert!(row["detail"].as_str().unwrap().contains(detail), "{row:#}");
        assert!(row["seconds"].is_null(), "{row:#}");
    }
    for fault in ["right", "slow"] {
        assert!(row(fault)["seconds"].is_number(), "{:#}", row(fault));
    }
    // Each was one evaluation.
    let trials = trail.iter().filter(|row| row["kind"] != "final");
    let spent: Vec<u64> = trials
        .map(|row| row["evaluation"].as_u64().unwrap())
        .collect();
    assert_eq!(spent, (1..=21).collect::<Vec<u64>>());
    // None of them is in the lock.
    let entry = &package.entries("work")["n=256"];
    assert_eq!(entry["trials"].as_array().unwrap().len(), 2, "{entry:#}");
    assert_eq!(entry["evaluations"], 21, "{entry:#}");
}

/// Buffers so large that the GPU itself looks into them: what is wrong is found there, and told as everywhere.
#[test]
fn those_in_large_buffers() {
    let package = Package::cuda("large");
    let few = r#"FAULT in ["wrong", "nan", "unwritten", "changed", "spoiled", "right"]"#;
    let (before, rest) = TUNABLE.split_once("FAULT in [").unwrap();
    let (_, after) = rest.split_once(']').unwrap();
    let tunable = format!("{before}{few}{after}").replace("n = 256", "n = 40_000");
    package.file("kernels/work.cu", KERNEL);
    package.file("src/main.rs", &format!("{TYPES}{tunable}{MAIN}"));
    let build = package.cargo(&["build"]);
    build.gpus("A100", "wrong:FAULT=spoiled").run().ok();
    assert_eq!(package.winner("work")["FAULT"], "right");
    let trail = package.trail("work");
    for (fault, kind, detail) in [
        ("wrong", "wrong", "y[20000] is "),
        ("nan", "wrong", "y[20000] is NaN"),
        (
            "unwritten",
            "unwritten",
            "it leaves 1 of 40000 elements of `y` unwritten, the first is 39999",
        ),
        (
            "changed",
            "wrong",
            "it changes its input `x`: at element 20000",
        ),
        ("spoiled", "wrong", "y["),
    ] {
        let row = only_trial(&trail, "FAULT", fault);
        assert_eq!(row["failure"], kind, "{row:#}");
        assert!(row["detail"].as_str().unwrap().contains(detail), "{row:#}");
    }
}

/// What is wrong with the reference is no config's fault.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn a_reference_at_fault() {
    let package = work("reference");
    let said = |gpus: &str, faults: &str| {
        let build = package.cargo(&["build"]).gpus(gpus, faults).run().fails();
        assert!(!package.has_lock());
        build
            .says("work_reference")
            .says("src/main.rs")
            .says("^^^")
            .says_nothing_of("panicked")
    };
    said("A100", "illegal-address:work_reference").says("CUDA_ERROR_ILLEGAL_ADDRESS");
    package.edit(
        "src/main.rs",
        "reference = \"work_reference\"",
        "reference = \"work_referenz\"",
    );
    package
        .build("auto")
        .fails()
        .says("work_referenz")
        .says("^^^");
}

/// Where nothing is right, the build says why.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn nothing_is_right() {
    let package = work("hopeless");
    package.edit(
        "kernels/work.cu",
        "y[i] = 2 * x[i] + 1;\n}\n\n__global__ void work_ref",
        "y[i] = 3;\n}\n\n__global__ void work_ref",
    );
    package
        .build("auto")
        .fails()
        .says("no config of `work` (n=256) ran and was right")
        .says("work.jsonl");
    assert!(!package.has_lock());
    for row in package.trail("work") {
        assert_eq!(row["failure"], "wrong", "{row:#}");
    }
}

/// A GPU that slows down for heat is no reason to stop, but said.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn a_throttled_gpu() {
    let package = work("hot");
    let build = |faults: &str| {
        let call = package.cargo(&["build", "-vv"]).env("BICO", "tune");
        call.gpus("A100", faults).run().ok()
    };
    let note = "the device's clock was held back by heat or power";
    let timings = || {
        package
            .trail("work")
            .into_iter()
            .filter(|row| row["seconds"].is_number())
    };
    build("").says_nothing_of(note);
    assert!(timings().all(|row| row["throttled"] != true));
    build("throttle").says(note);
    assert!(timings().all(|row| row["throttled"] == true));
    for row in timings() {
        let conditions = &row["conditions"];
        let [celsius, limit] =
            ["celsius", "power_limit_watts"].map(|of| conditions[of].as_f64().unwrap());
        assert_eq!((celsius, limit), (90.0, 400.0), "{row:#}");
        assert!(conditions["clock_hz"].as_f64().unwrap() > 1e8, "{row:#}");
        let occupancy = row["of_peak"]["occupancy"].as_f64().unwrap();
        assert!(occupancy > 0.0 && occupancy <= 1.0, "{row:#}");
        assert_eq!(conditions["held_back"], "its power limit, heat", "{row:#}");
    }
    assert_eq!(package.winner("work")["SPIN"], 0);
}
