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
use std::sync::Mutex;

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
    let scenes = Mutex::new(SCENES.iter().filter(wanted));
    let failed = Mutex::new(Vec::new());
    let next = || scenes.lock().expect("no scene panics here").next();
    let plays = || {
        while let Some(scene) = next() {
            if !is_right(scene) {
                failed
                    .lock()
                    .expect("no scene panics here")
                    .push(scene.name);
            }
        }
    };
    // Each scene takes one core.
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(plays);
        }
    });
    let failed = failed.into_inner().expect("no scene panics here");
    if failed.is_empty() {
        return ExitCode::SUCCESS;
    }
    println!("failed: {}", failed.join(", "));
    ExitCode::FAILURE
}

/// Plays a scene in a process of its own, and shows what it said once it has ended.
fn is_right(scene: &Scene) -> bool {
    if scene.on_host && !host_driver::SUPPORTED {
        let name = scene.name;
        println!("{name}: skipped, the stand-in needs Linux on x86-64");
        return true;
    }
    let mut command = Command::new(std::env::current_exe().expect("the path of this program"));
    command.args(["--scene", scene.name]);
    if scene.on_host {
        command.envs(host_driver::environment("A100", ""));
    }
    let ended = command.output().expect("this program starts");
    let right = ended.status.success();
    let said = [ended.stdout, ended.stderr].concat();
    let verdict = if right { "ok" } else { "FAILED" };
    println!(
        "{}{}: {verdict}",
        String::from_utf8_lossy(&said),
        scene.name
    );
    right
}
