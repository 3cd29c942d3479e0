//! CUDA kernels at run time: choosing, loading, launching, and what goes wrong.
//!
//! Every scene runs in a process of its own, under the stand-in for the driver with GPUs and faults of its
//! choice. Those that want no certain GPU run once more on the machine's own where there is one.

mod choosing;
mod constants;
mod counting;
mod failing;
mod graphs;
mod launching;
mod learning;
mod looking;
mod missing;
mod replacing;
mod resident;
mod sharing;

use std::process::{Command, ExitCode};

/// What a process of its own plays.
struct Scene {
    name: &'static str,
    play: fn(),
    on: On,
}

/// Where a scene is played.
enum On {
    /// Without a driver, if the machine has none.
    Nothing,
    /// These GPUs (`BICO_HOST_GPUS`), these faults (`BICO_HOST_FAULT`).
    Host(&'static str, &'static str),
    /// The same without faults, and the machine's own GPU where there is one.
    Any(&'static str),
}

const fn scene(name: &'static str, play: fn(), on: On) -> Scene {
    Scene { name, play, on }
}

const SCENES: &[Scene] = &[
    scene("no driver", missing::no_driver, On::Nothing),
    scene("no GPU", missing::no_gpu, On::Host("", "")),
    scene(
        "old driver",
        missing::old,
        On::Host("A100", "driver-too-old"),
    ),
    scene("tuned", choosing::tuned, On::Host("A100", "")),
    scene("kin", choosing::kin, On::Host("H100", "")),
    scene("unknown", choosing::unknown, On::Host("RTX 4090", "")),
    scene("small", choosing::small, On::Host("RTX 2080 Ti", "")),
    scene("next", choosing::next, On::Host("A100", "load:128, 4")),
    scene("none", choosing::none, On::Host("A100", "load:shift")),
    scene("right", launching::right, On::Any("A100")),
    scene("widths", launching::widths, On::Any("A100")),
    scene("refused", launching::refused, On::Any("A100")),
    scene("scratch", launching::scratch, On::Any("A100")),
    scene("scratch in graphs", graphs::scratch, On::Host("A100", "")),
    scene("zeroed scratch", launching::zeroed, On::Any("A100")),
    scene("constants", constants::right, On::Any("A100")),
    scene(
        "constants on several streams",
        constants::ordered,
        On::Host("A100", ""),
    ),
    scene(
        "constants in graphs",
        constants::captured,
        On::Host("A100", ""),
    ),
    scene("nothing allocated", counting::nothing, On::Any("A100")),
    scene("streams", sharing::streams, On::Any("A100")),
    scene("threads", sharing::threads, On::Any("A100,RTX 4090")),
    scene("equal", sharing::threads, On::Any("A100,A100")),
    scene(
        "elsewhere",
        sharing::elsewhere,
        On::Host("A100,RTX 4090", ""),
    ),
    scene("differences", looking::differences, On::Any("A100")),
    scene("elements", looking::elements, On::Any("A100")),
    scene("exactness", looking::exactness, On::Any("A100")),
    scene("resident", resident::blocks, On::Any("A100")),
    scene("resident, Ada", resident::blocks, On::Host("RTX 4090", "")),
    scene("resident, Hopper", resident::blocks, On::Host("H100", "")),
    scene(
        "resident, Turing",
        resident::blocks,
        On::Host("RTX 2080 Ti", ""),
    ),
    scene(
        "compiling",
        failing::compiling,
        On::Host("A100", "compile:shift"),
    ),
    scene(
        "resources",
        failing::resources,
        On::Host("A100", "out-of-resources:shift"),
    ),
    scene(
        "sticky",
        failing::sticky,
        On::Host("A100", "illegal-address:shift"),
    ),
    scene(
        "memory",
        failing::memory,
        On::Host("A100", "out-of-memory:900000"),
    ),
    // Times are scripted from here on.
    scene("settles", learning::settles, On::Host("RTX 4090", "")),
    scene("late", learning::late, On::Host("RTX 4090", "")),
    scene("together", learning::together, On::Host("RTX 4090", "")),
    scene("defaults", learning::defaults, On::Host("RTX 4090", "")),
    scene("apart", learning::apart, On::Host("RTX 4090,RTX 3090", "")),
    scene(
        "unable",
        learning::unable,
        On::Host("RTX 4090", "load:pick<3;refuse:701:pick<4"),
    ),
    scene("later", learning::later, On::Host("RTX 4090", "")),
    scene("slower", learning::slower, On::Host("RTX 4090", "")),
    scene("captured", learning::captured, On::Host("RTX 4090", "")),
    scene("winner", replacing::winner, On::Host("A100", "")),
    scene("context", replacing::context, On::Host("A100", "")),
    scene("all", replacing::all, On::Host("A100", "")),
    scene("one by one", replacing::together, On::Host("RTX 4090", "")),
    scene("room", replacing::room, On::Host("A100", "")),
    scene(
        "no memory",
        replacing::memory,
        On::Host("A100", "out-of-memory:3400000"),
    ),
    scene("stuck", learning::stuck, On::Host("RTX 4090", "hang:shift")),
    scene("settled", counting::driver, On::Host("A100", "")),
    scene(
        "nothing allocated while learning",
        counting::learning,
        On::Host("RTX 4090", ""),
    ),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, name] = arguments.as_slice()
        && flag == "--scene"
    {
        for scene in SCENES.iter().filter(|scene| scene.name == name) {
            (scene.play)();
        }
        return ExitCode::SUCCESS;
    }
    // What test harnesses are asked by editors; there is nothing to list.
    if arguments.iter().any(|argument| argument == "--list") {
        return ExitCode::SUCCESS;
    }
    // Only what this machine's own GPU can play, where no compiler stands in for another.
    let only_own = arguments.iter().any(|argument| argument == "--own");
    // As with the usual harness: names, or parts of them.
    let named: Vec<&String> = arguments.iter().filter(|a| !a.starts_with('-')).collect();
    let own = bico_device::cuda::driver();
    if let Err(why) = &own {
        println!("not run on a GPU: {why}");
    }
    let mut failed = Vec::new();
    let scenes = SCENES
        .iter()
        .filter(|scene| named.is_empty() || named.iter().any(|name| scene.name.contains(*name)));
    if only_own && own.is_err() {
        return ExitCode::FAILURE;
    }
    for scene in scenes {
        match scene.on {
            On::Nothing | On::Host(..) if only_own => {}
            On::Any(_) if only_own => failed.extend(fails(scene, None)),
            On::Nothing if own.is_ok() => println!("{}: skipped, there is a driver", scene.name),
            On::Nothing => failed.extend(fails(scene, None)),
            On::Host(gpus, faults) => failed.extend(fails(scene, Some((gpus, faults)))),
            On::Any(gpus) => {
                failed.extend(fails(scene, Some((gpus, ""))));
                if own.is_ok() {
                    failed.extend(fails(scene, None));
                }
            }
        }
    }
    if failed.is_empty() {
        return ExitCode::SUCCESS;
    }
    println!("failed: {}", failed.join(", "));
    ExitCode::FAILURE
}

/// Plays a scene, under the stand-in with these GPUs and faults or as the machine is.
fn fails(scene: &Scene, host: Option<(&str, &str)>) -> Option<String> {
    let what = match host {
        Some((gpus, "")) => format!("{} on \"{gpus}\"", scene.name),
        Some((gpus, faults)) => format!("{} on \"{gpus}\", {faults}", scene.name),
        None => format!("{} on this machine", scene.name),
    };
    if host.is_some() && !host_driver::SUPPORTED {
        println!("{what}: skipped, the stand-in needs Linux on x86-64");
        return None;
    }
    let program = std::env::current_exe().expect("the path of this program");
    let mut command = Command::new(program);
    command.args(["--scene", scene.name]);
    // No scene begins with what another one learned.
    command.env("BICO_CACHE", "off");
    if let Some((gpus, faults)) = host {
        command.envs(host_driver::environment(gpus, faults));
    }
    let status = command.status().expect("this program starts");
    println!("{what}: {}", if status.success() { "ok" } else { "FAILED" });
    (!status.success()).then_some(what)
}
