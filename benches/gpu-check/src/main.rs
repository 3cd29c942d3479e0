//! `scripts/gpu-check` on the GPU machine: runs the programs of a bundle step by step, and writes what came of it.
//!
//! Every step is a process of its own, so that one that fails costs nothing else; a clock ends the run in time.

mod child;
mod clock;
mod compare;
mod goals;
mod library;
mod look;
mod markdown;
mod report;
mod shrink;
mod steps;
mod trail;
mod work;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "gpu-check", about = "Proves the kernels on this machine's GPU")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// All steps
    Run(steps::Arguments),
    /// Checks one kernel's winners and times them against others
    Compare(compare::Arguments),
    /// What there is: the GPU, the compiler, a package's tunables
    Look(look::Arguments),
}

fn main() -> ExitCode {
    cargo_bico::opened::run_if_compiler();
    let done = match Arguments::parse().command {
        Command::Run(arguments) => steps::run(&arguments),
        Command::Compare(arguments) => compare::run(&arguments).map(|()| 0),
        Command::Look(arguments) => look::run(&arguments).map(|()| 0),
    };
    match done {
        Ok(failed) => ExitCode::from(failed),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
