//! Several GPUs for one search.

use super::kernel::{A100, work};
use crate::harness::{Call, Package};
use crate::workers::{script, until_measured};
use std::collections::BTreeSet;

const H100: &str = "NVIDIA H100 80GB HBM3 (sm_90)";

/// More configs than workers.
pub(crate) fn package(name: &str) -> Package {
    let package = work(name);
    let space = "SPIN in [4000000, 0, 1000000], BLOCK in [32, 64]";
    let more =
        "SPIN in [0, 100000, 200000, 300000, 400000, 500000, 600000, 700000], BLOCK in [32, 64]";
    package.edit("src/main.rs", space, more);
    package.edit("src/main.rs", "evaluations = 6", "evaluations = 16");
    package
}

/// Who measured what is tuned for a device.
pub(crate) fn measured(package: &Package, device: &str) -> BTreeSet<String> {
    let rows = package.trail("work").into_iter();
    let of = rows.filter(|row| row["device"] == device);
    let names = of.filter_map(|row| row["worker"].as_str().map(String::from));
    names.collect()
}

pub(crate) fn tune(package: &Package, arguments: &[&str]) -> Call {
    package.command(&[&["tune", "--force"], arguments].concat())
}

/// What the stand-in tells of the configs, however busy this machine is.
pub(crate) fn times() -> String {
    let times = (0..8).map(|at| format!("SPIN={}={}", at * 100_000, 1.0 + f64::from(at)));
    times.collect::<Vec<_>>().join(";")
}

/// Each answer is that of the config which it is taken for.
#[track_caller]
pub(crate) fn times_are_told(package: &Package) {
    for row in package.trail("work") {
        let told = 1e-3 * (1.0 + row["values"]["SPIN"].as_f64().unwrap() / 1e5);
        let seconds = row["seconds"].as_f64().unwrap();
        assert!((seconds / told - 1.0).abs() < 1e-6, "{row:#}");
    }
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn all_gpus_of_this_machine() {
    let package = package("four");
    let four = "A100,A100,H100,A100,A100";
    // On a busy machine the first worker could have measured all before the others are there.
    let slow = "slow:200:BLOCK";
    until_measured(&package, 2, || {
        tune(&package, &["--local"]).gpus(four, slow).run()
    });
    let names = measured(&package, A100);
    assert!(names.len() > 1, "{names:?}");
    let known = (1..=4).map(|number| format!("local #{number}"));
    assert!(names.is_subset(&known.collect()), "{names:?}");
    // One of a kind is a search as ever.
    assert!(measured(&package, H100).is_empty());
    let lock = package.lock();
    for device in [A100, H100] {
        let winner = &lock["kernels"]["work"][device]["n=256"]["winner"]["config"];
        assert_eq!(winner["SPIN"], 0, "{lock:#}");
    }
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn each_kind_is_tuned_by_those_that_have_it() {
    let package = package("kinds");
    let arguments = [
        "--worker",
        "2",
        "env BICO_HOST_GPUS=A100",
        "--worker",
        "1",
        "env BICO_HOST_GPUS=H100",
    ];
    let output = tune(&package, &arguments).gpus("RTX 4090", "").run().ok();
    output
        .says("the worker `env BICO_HOST_GPUS=H100` is left out: its GPU is another one: NVIDIA H100")
        .says("the worker `env BICO_HOST_GPUS=A100 #1` is left out: its GPU is another one: NVIDIA A100");
    let lock = package.lock();
    let devices: Vec<&String> = lock["devices"].as_object().unwrap().keys().collect();
    assert_eq!(devices, [A100, H100]);
    let named = measured(&package, A100);
    assert!(
        named.iter().all(|name| name.contains("GPUS=A100")),
        "{named:?}"
    );
}

/// The way to them takes a while, so each has the next config before it has answered: more are under way than there are workers.
#[test]
fn far_workers_do_not_wait_for_what_is_next() {
    let package = package("far");
    let far = script(
        &package,
        "far",
        "while IFS= read -r line; do sleep 0.05; printf '%s\\n' \"$line\"; done | \"$@\"",
    );
    tune(&package, &["--worker", "2", &far])
        .gpus("A100,A100", "")
        .env("BICO_HOST_TIMES", times())
        .run()
        .ok();
    times_are_told(&package);
    let trail = package.trail("work");
    let most = trail.iter().filter_map(|row| row["under_way"].as_u64());
    assert!(most.max() > Some(2), "{trail:#?}");
    let trials = trail.iter().filter(|row| row["kind"] != "final");
    let configs: Vec<String> = trials.map(|row| row["config"].to_string()).collect();
    let once: BTreeSet<&String> = configs.iter().collect();
    assert_eq!(once.len(), configs.len(), "{configs:?}");
    let winner = &package.lock()["kernels"]["work"][A100]["n=256"]["winner"]["config"];
    assert_eq!(winner["SPIN"], 0);
}

/// The stand-in tells exact times: whoever dies, what is found is the same.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn the_result_is_that_of_an_undisturbed_search() {
    let dies = "while IFS= read -r line; do n=$((n + 1)); [ $n -gt 3 ] && touch \"$0.died\" && kill -9 0; printf '%s\\n' \"$line\"; done | \"$@\"";
    let found = |name: &str, second: &str| {
        let package = package(name);
        let second = match second {
            "" => "env TWO=2".to_string(),
            text => script(&package, "second", text),
        };
        let search = tune(
            &package,
            &["--worker", "1", "env ONE=1", "--worker", "1", &second],
        );
        let output = search
            .gpus("A100", "")
            .env("BICO_HOST_TIMES", times())
            .run()
            .ok();
        times_are_told(&package);
        let mut rows = package.trail("work");
        rows.retain(|row| row["kind"] != "final");
        let mut measured: Vec<String> = rows
            .iter()
            .map(|row| format!("{} {}", row["config"], row["seconds"]))
            .collect();
        measured.sort();
        let winner = package.lock()["kernels"]["work"][A100]["n=256"]["winner"]["config"].clone();
        let died = package.folder().join("second.died").exists();
        (measured, winner, output, died)
    };
    let (undisturbed, winner, ..) = found("undisturbed", "");
    assert_eq!(undisturbed.len(), 16);
    // On a busy machine the first one may have measured nearly all before the second one is there.
    let died = (0..5).any(|_| {
        let (measured, after, output, died) = found("disturbed", dies);
        assert_eq!((&measured, &after), (&undisturbed, &winner), "{output}");
        died
    });
    assert!(died);
}
