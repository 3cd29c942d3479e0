//! `cargo bico capture`.

use super::package::Package;
use crate::Error;
use crate::capture::Capture;
use crate::out::out;
use bico_build::env::Mode;
use std::path::PathBuf;

/// Shows with which sizes a program called its kernels, and proposes problems to tune.
///
/// Build the program with the feature `capture` of bico-runtime, and run it with BICO_CAPTURE=FILE. Runs, processes and
/// threads that name one file are added up. Of each size the table says how often it was called, its share of the time of all
/// captured calls, the tuned problem that serves it, and what it is expected to lose to a winner of its own, where searches
/// on this machine say so.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cargo bico capture calls           what was called, and which problems to add
  cargo bico capture calls --write   adds these problems to the attributes")]
pub(super) struct Arguments {
    /// The file that BICO_CAPTURE named
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Adds the proposed problems to the attributes
    #[arg(long)]
    write: bool,
    #[command(flatten)]
    package: Package,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Error> {
    let env = arguments.package.env(Mode::Off)?;
    let capture = Capture::read(env, &arguments.file, &arguments.package.only)?;
    for warning in &capture.warnings {
        eprintln!("warning: {warning}");
    }
    out(capture.table())?;
    let proposals = capture.proposals();
    if proposals.is_empty() {
        return out("\nnothing to propose: each size is served by a problem that is near\n");
    }
    if !arguments.write {
        out("\nproposed, with their share of the time:\n")?;
        for proposal in &proposals {
            out(format!("  {}: {}\n", proposal.key, proposal.line()))?;
        }
        return out("\nnothing was written: `--write` adds them to the attributes\n");
    }
    for file in capture.write(&proposals)? {
        out(format!("\nwrote {}", file.display()))?;
    }
    out("\nreview the new problems; the next `cargo bico tune` tunes them\n")
}
