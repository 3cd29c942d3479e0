//! `cargo bico show`.

use super::package::Kernels;
use crate::Error;
use crate::out::{line, out};
use crate::show::{Asked, show, table, trails, trails_of};
use crate::status::Survey;
use bico_build::env::Mode;
use serde_json::json;

/// Shows what bico.lock holds: winners, their times, and whether they are still those of the sources.
///
/// `over first` and `over ranked` say how many times the winner's time the default takes, without one the space's first
/// config, and the most promising one of the ranking. Needs no device and no compiler.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cargo bico show                all that the lock holds
  cargo bico show gemm --trail   one kernel, and how its winner was found
  cargo bico show --json         for programs")]
pub(super) struct Arguments {
    #[command(flatten)]
    package: Kernels,
    #[command(flatten)]
    asked: Asked,
    /// The trails of the searches, too, which stay beside the build on the machine that tuned
    #[arg(long)]
    trail: bool,
    /// JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Error> {
    let survey = Survey::new(arguments.package.env(Mode::Off)?)?;
    let shown = show(&survey, &arguments.package.only(), &arguments.asked)?;
    let searches = match arguments.trail {
        true => Some(trails_of(&survey, &shown)?),
        false => None,
    };
    if arguments.json {
        let object = match searches {
            Some(searches) => json!({ "results": shown, "searches": searches }),
            None => json!({ "results": shown }),
        };
        return line(&format!("{object:#}"));
    }
    match shown.is_empty() {
        true => line("bico.lock holds nothing that was asked for")?,
        false => out(table(&shown))?,
    }
    for of in searches.iter().flatten() {
        out(trails(&of.tunable, &of.trails))?;
        line(&format!("\n{}", of.path.display()))?;
    }
    Ok(())
}
