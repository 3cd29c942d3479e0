//! Generated CUDA kernels of contractions: on the tests' host driver against f64, and through the real NVRTC.
//!
//! Each scene runs in a process of its own. Names, or parts of them, choose scenes; `--ignored` the long ones. Where
//! there is no NVRTC, its scenes say so and test nothing.

mod case;
mod gpu;
mod host;
mod nvrtc;
mod space;

use std::process::{Command, ExitCode};

struct Scene {
    name: &'static str,
    play: fn(),
    /// Whether the host driver stands in for a GPU.
    on_host: bool,
    /// Whether it takes too long for every day: `.ci/run` and `scripts/full` name what they run of these.
    long: bool,
}

const SCENES: &[Scene] = &[
    Scene {
        name: "host: random schedules",
        play: || host::random_schedules(30),
        on_host: true,
        long: false,
    },
    Scene {
        name: "host: kernels of all sizes",
        play: || host::tunables(false),
        on_host: true,
        long: true,
    },
    Scene {
        name: "host: configs of the space",
        play: || host::spaces(5),
        on_host: true,
        long: true,
    },
    Scene {
        name: "host: order of blocks",
        play: host::order,
        on_host: true,
        long: false,
    },
    Scene {
        name: "host: padded loops",
        play: host::padded_loops,
        on_host: true,
        long: false,
    },
    Scene {
        name: "host: the form for L2",
        play: host::l2_form,
        on_host: true,
        long: false,
    },
    Scene {
        name: "space: conditions",
        play: space::conditions,
        on_host: false,
        long: false,
    },
    Scene {
        name: "space: ranking",
        play: space::ranking,
        on_host: false,
        long: false,
    },
    Scene {
        name: "nvrtc: random schedules",
        play: || nvrtc::random_schedules(0..12, true),
        on_host: false,
        long: false,
    },
    Scene {
        name: "nvrtc: layouts",
        play: nvrtc::layouts,
        on_host: false,
        long: false,
    },
    Scene {
        name: "nvrtc: large tiles",
        play: || nvrtc::large_tiles(false),
        on_host: false,
        long: false,
    },
    Scene {
        name: "nvrtc: spaces",
        play: || nvrtc::spaces(2),
        on_host: false,
        long: false,
    },
    Scene {
        name: "nvrtc: more large tiles",
        play: || nvrtc::large_tiles(true),
        on_host: false,
        long: true,
    },
    Scene {
        name: "nvrtc: more of the spaces",
        play: || nvrtc::spaces(60),
        on_host: false,
        long: true,
    },
    Scene {
        name: "nvrtc: many random schedules",
        play: || nvrtc::random_schedules(0..1000, false),
        on_host: false,
        long: true,
    },
    Scene {
        name: "host: more kernels of all sizes",
        play: || host::tunables(true),
        on_host: true,
        long: true,
    },
    Scene {
        name: "host: many random schedules",
        play: || host::random_schedules(1000),
        on_host: true,
        long: true,
    },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, name] = arguments.as_slice()
        && flag == "--scene"
    {
        SCENES
            .iter()
            .filter(|scene| scene.name == name)
            .for_each(|scene| (scene.play)());
        return ExitCode::SUCCESS;
    }
    if arguments.iter().any(|argument| argument == "--list") {
        return ExitCode::SUCCESS;
    }
    let long = arguments.iter().any(|argument| argument == "--ignored");
    let named: Vec<&String> = arguments.iter().filter(|a| !a.starts_with('-')).collect();
    let wanted = |scene: &&Scene| {
        let is_named = named.is_empty() || named.iter().any(|name| scene.name.contains(*name));
        scene.long == long && is_named
    };
    let mut failed = Vec::new();
    for scene in SCENES.iter().filter(wanted) {
        if scene.on_host && !host_driver::SUPPORTED {
            println!(
                "{}: skipped, the stand-in needs Linux on x86-64",
                scene.name
            );
            continue;
        }
        let mut command = Command::new(std::env::current_exe().expect("the path of this program"));
        command.args(["--scene", scene.name]);
        if scene.on_host {
            command.envs(host_driver::environment("A100", ""));
        }
        let status = command.status().expect("this program starts");
        println!(
            "{}: {}",
            scene.name,
            if status.success() { "ok" } else { "FAILED" }
        );
        if !status.success() {
            failed.push(scene.name);
        }
    }
    if failed.is_empty() {
        return ExitCode::SUCCESS;
    }
    println!("failed: {}", failed.join(", "));
    ExitCode::FAILURE
}
