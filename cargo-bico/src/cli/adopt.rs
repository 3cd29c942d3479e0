//! `cargo bico adopt`.

use super::package::Kernels;
use crate::Error;
use crate::adopt::{Adopted, Asked, Offer};
use crate::out::out;
use bico_build::env::Mode;
use std::io::{self, IsTerminal};
use std::path::PathBuf;

/// Makes entries of bico.lock from what programs learned on this machine, after showing them.
///
/// A program on a device, or at sizes, that the lock does not know settles on a config and keeps that in the user's cache.
/// On a terminal the command asks before it writes; elsewhere it writes with --yes only. Entries that it
/// makes say `"source": "runtime"`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cargo bico adopt              shows what programs learned, and asks
  cargo bico adopt gemm --yes   writes without asking")]
pub(super) struct Arguments {
    #[command(flatten)]
    package: Kernels,
    /// The cache's folder [default: BICO_CACHE, else the user's]
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Replaces entries from tuning, too
    #[arg(long)]
    replace: bool,
    /// Writes without asking
    #[arg(long, short)]
    yes: bool,
    /// Only shows
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Error> {
    let env = arguments.package.env(Mode::Off)?;
    let asked = Asked {
        only: arguments.package.only(),
        cache: arguments.cache.clone(),
        replace: arguments.replace,
    };
    let offer = Offer::find(&env, &asked)?;
    let shown = offer.shown()?;
    if shown.rows.is_empty() {
        return out(
            "nothing to adopt: no program has learned anything of this package's kernels here\n",
        );
    }
    out(shown.to_string())?;
    let count = shown.rows.iter().filter(|row| row.outcome.is_new()).count();
    let entries = match count {
        0 => return out("\nnothing was written: bico.lock would stay as it is\n"),
        1 => "1 entry".to_string(),
        _ => format!("{count} entries"),
    };
    if arguments.dry_run || !arguments.yes && !agreed(&shown, &entries)? {
        return out(format!(
            "\nnothing was written: `cargo bico adopt --yes` writes {entries} to bico.lock\n"
        ));
    }
    let adopted = offer.write()?;
    out(format!(
        "\nwrote {}: review the entries with `\"source\": \"runtime\"`, and commit it\n",
        adopted.lock.display()
    ))
}

/// Asks on a terminal; nobody agrees elsewhere.
fn agreed(shown: &Adopted, entries: &str) -> Result<bool, Error> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Ok(false);
    }
    let lock = shown.lock.display();
    out(format!("\nwrite {entries} to {lock}? [y/N] "))?;
    let mut answer = String::new();
    io::stdin()
        .read_line(&mut answer)
        .map_err(|error| Error::Work(format!("cannot read the answer: {error}")))?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
