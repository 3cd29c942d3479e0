//! Several workers through what sites run: Slurm, ssh, Open MPI. `scripts/engines` starts them on this machine.

use crate::cuda::workers::{measured as on_gpu, package as for_gpus, tune as tune_gpus};
use crate::harness::process::{MARK, wait_for};
use crate::workers::{is_sane, mark, measured, package, script, temporary, tune, until_measured};
use std::fs;
use std::process::Command;

/// A step of Slurm with a GPU, which is a node of its own.
const STEP: &str = "srun -Q -n1 --gpus-per-task=1";

fn is_done(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().unwrap();
    assert!(
        output.status.success(),
        "{program} {arguments:?}: {output:?}"
    );
    String::from_utf8_lossy(&output.stdout).trim().to_string()
}

#[test]
#[ignore = "scripts/full engines"]
fn steps_of_slurm_measure() {
    let package = package("slurm");
    let two = format!("2 x {STEP}");
    let output = until_measured(&package, 2, || tune(&package, &two).run());
    is_sane(&package);
    assert_eq!(measured(&package).len(), 2, "{output}");
    assert_eq!(is_done("squeue", &["-h"]), "");
}

#[test]
#[ignore = "scripts/full engines"]
fn four_gpus_of_slurm_tune_one_kernel() {
    let package = for_gpus("slurm_gpus");
    let arguments = ["--worker", "4", STEP];
    tune_gpus(&package, &arguments).gpus("A100", "").run().ok();
    let names = on_gpu(&package, crate::cuda::kernel::A100);
    assert!(names.len() > 2, "{names:?}");
}

/// The other nodes go on where a node's daemon and its steps are killed.
#[test]
#[ignore = "scripts/full engines"]
fn a_node_that_dies_costs_nothing() {
    let package = package("dead_node");
    // Slow enough that the search is not over before anything dies.
    package.edit("kernels/work.c", "spin < SPIN", "spin < 8 * SPIN");
    let trail = package.trail_file("work");
    let call = tune(&package, &format!("{STEP} -wn1 ; {STEP} -wn2"));
    let output = std::thread::scope(|scope| {
        let running = scope.spawn(move || call.run());
        wait_for("some trials", || {
            let rows = fs::read_to_string(&trail).unwrap_or_default();
            running.is_finished() || rows.contains("-wn2")
        });
        // As if its power were cut: the daemon, what watches the step, and the worker.
        let job = is_done("squeue", &["-h", "-w", "n2", "-o", "%i"]);
        let step = is_done("pgrep", &["-f", &format!(r"^slurmstepd: \[{job}\.")]);
        is_done("pkill", &["-9", "-f", "^slurmd -N n2"]);
        is_done("pkill", &["-9", "-P", &step.replace('\n', ",")]);
        // It may have seen that already, and ended.
        let watcher = format!(r"^slurmstepd: \[{job}\.");
        let _ = Command::new("pkill").args(["-9", "-f", &watcher]).status();
        is_done(
            "scontrol",
            &["update", "nodename=n2", "state=down", "reason=killed"],
        );
        running.join().unwrap()
    });
    output.ok();
    is_sane(&package);
    assert!(measured(&package).iter().any(|name| name.ends_with("-wn1")));
    is_done("slurmd", &["-N", "n2"]);
    let _ = Command::new("scontrol")
        .args(["update", "nodename=n2", "state=resume"])
        .status();
    wait_for("the node", || {
        is_done("sinfo", &["-h", "-t", "idle", "-o", "%D"]) == "4"
    });
}

/// A job array of parts, and a job that joins them.
#[test]
#[ignore = "scripts/full engines"]
fn an_array_of_parts_is_joined() {
    let package = package("array");
    // Two parts, some 20 configs each.
    let program = env!("CARGO_BIN_EXE_command");
    let text = format!("exec {program} bico tune --force --shard $SLURM_ARRAY_TASK_ID/2");
    let job = script(&package, "array.sh", &text);
    let out = format!("{}/array-%a", package.folder().display());
    let mut sbatch = Command::new("sbatch");
    sbatch.args(["--wait", "-Q", "--array=1-2", "-o", &out, &job]);
    package.started(sbatch).run().ok();
    assert!(!package.has_lock());
    let parts = [1, 2].map(|number| {
        let name = format!("work.shard-{number}-of-2.jsonl");
        package.trail_file("work").with_file_name(name)
    });
    let named: Vec<&str> = parts.iter().map(|of| of.to_str().unwrap()).collect();
    package
        .command(&[&["merge"], &named[..]].concat())
        .run()
        .ok()
        .says("the best are measured again");
    assert_eq!(package.winner("work")["SPIN"], 0);
}

#[test]
#[ignore = "scripts/full engines"]
#[allow(clippy::disallowed_methods)]
fn what_ssh_reaches_measures() {
    let ssh = std::env::var("BICO_TEST_SSH").expect("scripts/engines sets it");
    let package = package("real_ssh");
    // ssh passes no environment on: what starts the worker says where it may have a folder, and whose it is.
    let reached = format!(
        "{ssh} env TMPDIR={} {MARK}={}",
        temporary(&package).display(),
        mark(&package)
    );
    let two = format!("send {reached} ONE=1; send {reached} TWO=2");
    until_measured(&package, 2, || tune(&package, &two).run());
    is_sane(&package);
    assert_eq!(measured(&package).len(), 2);
}

#[test]
#[ignore = "scripts/full engines"]
fn ranks_of_open_mpi_measure() {
    let package = package("mpi");
    let rank = "mpirun -n 1 --allow-run-as-root --bind-to none";
    tune(&package, &format!("{rank} ; {rank} --tag-output=0"))
        .run()
        .ok();
    is_sane(&package);
}
