//! The command `cargo bico`.

mod check;
#[cfg(feature = "cuda")]
mod compile;
mod export;
mod import;
mod new;
mod package;
mod ranking;
mod replay;
mod tune;

use crate::Error;
use clap::{Parser, Subcommand};
use std::process::ExitCode;

#[derive(Parser)]
#[command(
    name = "cargo bico",
    bin_name = "cargo bico",
    version,
    about = "Tunes kernels, and shows how it does",
    arg_required_else_help = true
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Tune(tune::Arguments),
    Check(check::Arguments),
    #[cfg(feature = "cuda")]
    Compile(compile::Arguments),
    Export(export::Arguments),
    Import(import::Arguments),
    New(new::Arguments),
    Replay(replay::Arguments),
}

/// The command's `main`: reads the process's arguments, with or without the `bico` that cargo puts
/// before them.
pub fn main() -> ExitCode {
    bico_build::measure::run_if_worker();
    bico_build::compile::run_if_compiler();
    let mut arguments: Vec<_> = std::env::args_os().collect();
    if arguments.get(1).is_some_and(|first| first == "bico") {
        arguments.remove(1);
    }
    let result = match Arguments::parse_from(arguments).command {
        Command::Tune(arguments) => tune::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        #[cfg(feature = "cuda")]
        Command::Compile(arguments) => compile::run(&arguments),
        Command::Export(arguments) => export::run(&arguments),
        Command::Import(arguments) => import::run(&arguments),
        Command::New(arguments) => new::run(&arguments),
        Command::Replay(arguments) => replay::run(&arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let text = error.to_string();
            // What the tuner says is ready to be shown.
            let word = match text.starts_with("error") {
                true => "",
                false => "error: ",
            };
            eprintln!("{word}{text}");
            match error {
                Error::Usage(_) => ExitCode::from(2),
                Error::Work(_) => ExitCode::FAILURE,
            }
        }
    }
}
