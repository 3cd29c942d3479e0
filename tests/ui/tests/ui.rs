//! Every mistake as rustc shows it: the words, and the token under which they stand.
//!
//! `cases/options`, `arguments`, `expressions` and `names` follow the table of messages in
//! `crates/bico-syntax/src/messages`; `cases/built` need data from the build script, which `build.rs`
//! plays; `cases/package` are about the package as a whole. `cases/cuda` have no mistakes: they compile
//! and run.
//!
//! After a change of words, or of the version, which two of them tell, run
//! `TRYBUILD=overwrite cargo test -p bico-ui` and read the difference;
//! `cargo test -p bico-ui -- trybuild=launch` runs the cases whose path contains `launch`.

use std::process::{Command, ExitCode};

/// Cases that share an environment, which belongs to a process: each scene gets one of its own.
struct Scene {
    name: &'static str,
    cases: &'static [&'static str],
    /// The version of bico-build in the package's build script; `None` without a build script.
    built_by: Option<&'static str>,
}

const SCENES: &[Scene] = &[
    Scene {
        name: "tuned",
        cases: &[
            "cases/options/*.rs",
            "cases/arguments/*.rs",
            "cases/expressions/*.rs",
            "cases/names/*.rs",
            "cases/built/*.rs",
        ],
        built_by: Some(env!("CARGO_PKG_VERSION")),
    },
    Scene {
        name: "cuda",
        cases: &["cases/cuda/*.rs"],
        built_by: Some(env!("CARGO_PKG_VERSION")),
    },
    Scene {
        name: "no-build-script",
        cases: &["cases/package/no_build_script.rs"],
        built_by: None,
    },
    Scene {
        name: "other-version",
        cases: &["cases/package/other_version.rs"],
        built_by: Some("0.0.1"),
    },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(("--scene", name)) = pair(&arguments) {
        play(name);
        return ExitCode::SUCCESS;
    }
    // What test harnesses are asked by editors; there is nothing to list.
    if arguments.iter().any(|argument| argument == "--list") {
        return ExitCode::SUCCESS;
    }
    let failed: Vec<&str> = SCENES
        .iter()
        .filter(|scene| !passes(scene, &arguments))
        .map(|scene| scene.name)
        .collect();
    if failed.is_empty() {
        return ExitCode::SUCCESS;
    }
    eprintln!("failed: {}", failed.join(", "));
    ExitCode::FAILURE
}

fn pair(arguments: &[String]) -> Option<(&str, &str)> {
    Some((arguments.first()?, arguments.get(1)?))
}

/// Runs the scene in a process of its own. What cargo sets for the cases reaches them through it.
fn passes(scene: &Scene, arguments: &[String]) -> bool {
    let Ok(program) = std::env::current_exe() else {
        return false;
    };
    let mut command = Command::new(program);
    command.args(["--scene", scene.name]).args(arguments);
    match scene.built_by {
        Some(version) => command
            .env("BICO_BUILD", version)
            .env("OUT_DIR", env!("OUT_DIR")),
        None => command.env_remove("BICO_BUILD").env_remove("OUT_DIR"),
    };
    command.status().is_ok_and(|status| status.success())
}

fn play(name: &str) {
    let cases = trybuild::TestCases::new();
    for scene in SCENES.iter().filter(|scene| scene.name == name) {
        for path in scene.cases {
            if scene.name == "cuda" {
                cases.pass(path);
            } else {
                cases.compile_fail(path);
            }
        }
    }
}
