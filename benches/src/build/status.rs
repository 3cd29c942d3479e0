//! How long `cargo bico status` takes: a package with many kernels, tuned on many devices, all fresh.

use crate::package::Package;
use bico_build::env::{Env, Mode};
use bico_build::lock::{self, Budget, Entry, Lock, Place, RULES, Trial, Value, Verified};
use bico_build::scan::scan;
use bico_build::tuner::plan::Plan;
use bico_core::device::Facts;
use std::process::{Command, Stdio};
use std::time::Instant;

const KERNELS: usize = 100;
const DEVICES: u32 = 10;
/// As many as a search keeps.
const TRIALS: u32 = 12;
const RUNS: usize = 21;

/// What the bench is asked about, for people.
pub(super) fn subject() -> String {
    format!("cargo bico status, {KERNELS} kernels x {DEVICES} devices")
}

/// The median of the command's times, from its start to its end, in milliseconds.
pub(super) fn median_ms() -> Result<f64, String> {
    let package = package()?;
    write_lock(&package)?;
    // This program is the command, too, when it is asked by its name.
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut times = Vec::new();
    for _ in 0..RUNS {
        let mut command = Command::new(&own);
        command
            .args(["bico", "status"])
            .current_dir(package.path())
            // Neither a compiler nor anything else is there.
            .env("PATH", "")
            .env("BICO_CACHE", "off")
            .env("CARGO_TARGET_DIR", package.path().join("target"))
            .stderr(Stdio::null());
        let start = Instant::now();
        let output = command.output().map_err(|error| error.to_string())?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let expected = format!("{} fresh\n", KERNELS * DEVICES as usize);
        if !output.status.success() || said != expected {
            return Err(format!("cargo bico status: {said}"));
        }
    }
    times.sort_by(f64::total_cmp);
    Ok((times[RUNS / 2] * 10.0).round() / 10.0)
}

/// Each kernel has a source of its own, with a header that all include.
fn package() -> Result<Package, String> {
    let mut lib = String::from("//! Generated.\n");
    let package = Package::new("many-kernels", &[("kernels/all.h", super::SCALE)])?;
    for i in 0..KERNELS {
        lib += &format!(
            "/// A tunable.\n#[bico::tunable(\n    source = \"kernels/scale{i}.c\",\n    entry = \"scale\",\n    \
             space(UNROLL in powers_of_two(1..=4096)),\n    require(UNROLL <= device.l2_bytes),\n    problem(n = 1000),\n    \
             work(flops = n, bytes = 8 * n),\n)]\n\
             pub fn scale{i}(#[len(n)] out: &mut [f32], #[len(n)] x: &[f32], n: u32) -> bico::Result<()>;\n"
        );
        let source = format!("/* {i} */\n#include \"all.h\"\n");
        package.write(&format!("kernels/scale{i}.c"), &source)?;
    }
    package.write("src/lib.rs", &lib)?;
    Ok(package)
}

fn write_lock(package: &Package) -> Result<(), String> {
    let Facts::Cpu(cpu) = bico_device::this_cpu().clone() else {
        return Err("this is no CPU".to_string());
    };
    let mut lock = Lock::default();
    let scan = scan(&env(package));
    if scan.tunables.len() != KERNELS {
        return Err(scan.errors.join("\n"));
    }
    for found in scan.tunables {
        let plan = Plan::new(found, package.path(), bico_device::this_cpu())?;
        let kernel = lock.kernels.or_default(plan.key().to_string());
        for model in 0..DEVICES {
            let facts = Facts::Cpu(bico_core::device::CpuFacts {
                model,
                ..cpu.clone()
            });
            let problems = kernel.or_default(facts.key());
            for problem in &plan.problems {
                problems.insert(problem.key.clone(), entry(&plan));
            }
            lock.devices.insert(facts.key(), facts);
        }
    }
    let path = package.path().join("bico.lock");
    lock::modify(&path, None, |empty| *empty = lock).map_err(|error| error.to_string())?;
    Ok(())
}

fn entry(plan: &Plan) -> Entry {
    let trial = |power: u32| Trial {
        config: [("UNROLL".to_string(), Value::Int(1 << power))]
            .into_iter()
            .collect(),
        seconds: 1e-6 * f64::from(power + 1),
        place: Place::default(),
    };
    Entry {
        hashes: plan.hashes.clone(),
        winner: trial(0),
        timed: Some("median, 95 %, flushed".to_string()),
        tested: Some("14 awkward sizes, 200 calls, bit-reproducible".to_string()),
        ratio: None,
        interval: [0.9e-6, 1.1e-6],
        verified: Verified::Consensus,
        rules: RULES,
        strategy: "adaptive".to_string(),
        budget: Budget {
            evaluations: 64,
            seconds: 60.0,
        },
        evaluations: 13,
        space_size: 13,
        toolchain: "cc".to_string(),
        trials: (0..TRIALS).map(trial).collect(),
        first: Some(trial(0)),
        ranked: Some(trial(TRIALS)),
        resources: None,
        source: None,
    }
}

/// What a build of the package would know, as far as it is asked here.
fn env(package: &Package) -> Env {
    Env {
        manifest_dir: package.path().to_path_buf(),
        out_dir: package.path().join("target"),
        package: "many-kernels".to_string(),
        version: "0.1.0".to_string(),
        target: String::new(),
        host: String::new(),
        mode: Mode::Off,
        runner: Vec::new(),
        workers: Vec::new(),
        refused: None,
        shard: None,
        nvrtc: None,
        skip: None,
        features: Default::default(),
        cfg: Vec::new(),
        jobs: 1,
        cache_dir: None,
        macro_follows: false,
    }
}
