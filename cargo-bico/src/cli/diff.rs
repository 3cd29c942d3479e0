//! `cargo bico diff`.

use super::package::Package;
use crate::Error;
use crate::diff::{diff, earlier, for_people, markdown};
use crate::names::{LOCKED, known};
use crate::out::{line, out};
use bico_build::lock;
use clap::ValueEnum;
use serde_json::json;

/// Shows what a re-tune changed in bico.lock: winners, times, and whether those differ by more than noise.
///
/// A change is within noise where the intervals of both times overlap. Needs git, unless an older file is named.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cargo bico diff                          the lock beside that of the last commit
  cargo bico diff main --format markdown   for a pull request
  cargo bico diff old.lock                 beside an older file")]
pub(super) struct Arguments {
    #[command(flatten)]
    package: Package,
    /// A revision, as git takes it, or an older bico.lock
    #[arg(value_name = "REV", default_value = "HEAD")]
    revision: String,
    /// How to print it
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// Columns
    Text,
    /// Tables for a pull request
    Markdown,
    /// For programs
    Json,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Error> {
    let root = arguments.package.folder()?;
    let mut old = earlier(&root, &arguments.revision)?;
    let new = lock::load(&root.join("bico.lock")).map_err(Error::work)?;
    let mut new = new.unwrap_or_default();
    let only = &arguments.package.only;
    let kernels = old.kernels.keys().chain(new.kernels.keys());
    known(LOCKED, "tunable", only, kernels.map(String::as_str))?;
    for lock in [&mut old, &mut new] {
        lock.kernels
            .retain(|key, _| only.is_empty() || only.contains(key));
    }
    let (changes, same) = diff(&old, &new);
    match arguments.format {
        Format::Text => out(for_people(&changes, same)),
        Format::Markdown => out(markdown(&changes, same)),
        Format::Json => line(&format!(
            "{:#}",
            json!({ "changes": changes, "unchanged": same })
        )),
    }
}
