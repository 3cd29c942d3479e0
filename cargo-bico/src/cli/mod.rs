//! The command `cargo bico`.

mod adopt;
mod analyse;
mod capture;
mod check;
#[cfg(feature = "cuda")]
mod compile;
mod completions;
mod devices;
mod diff;
mod export;
mod import;
mod man;
mod merge;
mod new;
mod package;
mod ranking;
mod replay;
mod report;
mod show;
mod space;
mod status;
mod tune;

use crate::Error;
use crate::style::{self, When};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::process::ExitCode;

#[derive(Parser)]
#[command(
    name = "cargo bico",
    bin_name = "cargo bico",
    version,
    about = "Tunes GPU and CPU kernels: measures which of their configs is fastest, and keeps it in bico.lock",
    arg_required_else_help = true,
    styles = style::HELP,
    after_help = AFTER
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// Colours: `auto` looks for a terminal, and heeds NO_COLOR
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t = When::Auto, hide_possible_values = true, display_order = 1000)]
    color: When,
}

const AFTER: &str = "\
Examples:
  cargo bico tune                measure what bico.lock lacks, or holds stale results of
  cargo bico tune gemm --force   measure one kernel again
  cargo bico show                what bico.lock holds
  cargo bico status              whether that still fits the sources: for CI, without a device
  cargo bico report --open       how it was found, as charts

Exit codes:
  0    all is well
  1    the work could not be done, or what was looked at is wrong or stale
  2    the arguments make no sense
  130  interrupted by Ctrl-C";

#[derive(Subcommand)]
enum Command {
    // What is measured, and what came of it.
    Tune(tune::Arguments),
    Show(show::Arguments),
    Status(status::Arguments),
    Diff(diff::Arguments),
    Report(report::Arguments),
    Analyse(analyse::Arguments),
    Check(check::Arguments),
    // Before there is a lock.
    New(new::Arguments),
    Space(space::Arguments),
    Capture(capture::Arguments),
    Devices(devices::Arguments),
    #[cfg(feature = "cuda")]
    Compile(compile::Arguments),
    // From elsewhere, and to there.
    Adopt(adopt::Arguments),
    Merge(merge::Arguments),
    Import(import::Arguments),
    Export(export::Arguments),
    Replay(replay::Arguments),
    // For the shell.
    Completions(completions::Arguments),
    Man(man::Arguments),
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
    let coloured = Arguments::command().color(When::of(&arguments).set());
    // The arguments are read as declared, so nothing but their own mistakes can go wrong.
    let arguments = Arguments::from_arg_matches(&coloured.get_matches_from(arguments));
    let result = match arguments.unwrap_or_else(|error| error.exit()).command {
        Command::Tune(arguments) => tune::run(&arguments),
        Command::Show(arguments) => show::run(&arguments),
        Command::Status(arguments) => status::run(&arguments),
        Command::Diff(arguments) => diff::run(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Analyse(arguments) => analyse::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::New(arguments) => new::run(&arguments),
        Command::Space(arguments) => space::run(&arguments),
        Command::Capture(arguments) => capture::run(&arguments),
        Command::Devices(arguments) => devices::run(&arguments),
        #[cfg(feature = "cuda")]
        Command::Compile(arguments) => compile::run(&arguments),
        Command::Adopt(arguments) => adopt::run(&arguments),
        Command::Merge(arguments) => merge::run(&arguments),
        Command::Import(arguments) => import::run(&arguments),
        Command::Export(arguments) => export::run(&arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Man(arguments) => man::run(&arguments),
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
            style::complain(style::ERROR, &format!("{word}{text}"));
            match error {
                Error::Usage(_) => ExitCode::from(2),
                Error::Work(_) => ExitCode::FAILURE,
                Error::Undecided(_) => ExitCode::from(3),
            }
        }
    }
}

#[cfg(test)]
mod tests;
