//! One command per question: `cargo run --release -p bico-bench -- NAME [--json]`.
//!
//! A table for people; with `--json`, one JSON object on the last line of stdout. `results/` keeps
//! what was measured where, when and with which command.

mod ahead;
mod analyse;
mod build;
mod dispatch;
mod functions;
mod gate;
mod gemm;
mod kernel_tuner;
mod l2;
mod launch;
mod noise;
mod package;
mod regret;
mod search;
mod seconds;
mod space;
mod spaces;
mod workers;

use std::process::ExitCode;

/// A bench: prints for people unless asked for JSON, and returns the object to print.
type Bench = fn(json: bool) -> Result<serde_json::Value, String>;

const BENCHES: [(&str, &str, Bench); 15] = [
    ("gemm", "is the tuned kernel worth it?", gemm::run),
    ("dispatch", "what does a call cost?", dispatch::run),
    (
        "launch",
        "what does a launch cost? (feature cuda, a GPU)",
        launch::run,
    ),
    ("build", "what does bico add to a build?", build::run),
    (
        "functions",
        "what do functions in Rust cost?",
        functions::run,
    ),
    ("noise", "is the pick right on a busy machine?", noise::run),
    ("gate", "what does `check --perf` find?", gate::run),
    ("search", "how good after n evaluations?", search::run),
    (
        "ahead",
        "how good after n seconds, where compilers are what takes long?",
        ahead::run,
    ),
    (
        "analyse",
        "what does a space lose without the values that searches found far?",
        analyse::run,
    ),
    ("seconds", "how long until a kernel is fast?", seconds::run),
    (
        "regret",
        "what does learning at run time cost?",
        regret::run,
    ),
    ("space", "how fast are spaces built?", space::run),
    (
        "workers",
        "what do many workers bring, and what does asking them take?",
        workers::run,
    ),
    (
        "l2",
        "what must come from a GPU's memory? (predicted)",
        l2::run,
    ),
];

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let json = arguments
        .iter()
        .position(|a| a == "--json")
        .map(|i| arguments.remove(i))
        .is_some();
    // The command that `build` and `gate` run, and its workers.
    let is_command = |first: &String| first == "bico" || first.starts_with("--bico-");
    if arguments.first().is_some_and(is_command) {
        return cargo_bico::main();
    }
    if arguments
        .first()
        .is_some_and(|first| first == workers::SLEEPER)
    {
        return finish(
            workers::sleep(&arguments[1..]).map(|()| serde_json::Value::Null),
            false,
        );
    }
    // These have options of their own.
    let name = match arguments.as_slice() {
        [name] => Some(name),
        [name, ..] if ["search", "regret", "seconds"].contains(&name.as_str()) => Some(name),
        _ => None,
    };
    let Some(name) = name else {
        eprintln!("usage: bico-bench NAME [--json]\n");
        for (name, question, _) in BENCHES {
            eprintln!("  {name:<10} {question}");
        }
        return ExitCode::from(2);
    };
    // The part of `dispatch` that needs a process of its own.
    #[cfg(feature = "capture")]
    if name == "dispatch-captured" {
        return finish(dispatch::run_captured(), true);
    }
    if name == "dispatch-new" {
        return finish(dispatch::run_new(), true);
    }
    let Some((_, _, bench)) = BENCHES.iter().find(|(n, _, _)| n == name) else {
        let names: Vec<&str> = BENCHES.iter().map(|(n, _, _)| *n).collect();
        eprintln!("error: no bench `{name}`; there are: {}", names.join(", "));
        return ExitCode::from(2);
    };
    finish(bench(json), json)
}

fn finish(outcome: Result<serde_json::Value, String>, json: bool) -> ExitCode {
    match outcome {
        Ok(object) => {
            if json {
                println!("{object}");
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The virtual environment with other tools and libraries, in the target folder (benches/README.md).
fn rivals() -> Option<std::path::PathBuf> {
    let own = std::env::current_exe().ok()?;
    Some(own.parent()?.parent()?.join("rivals"))
}
