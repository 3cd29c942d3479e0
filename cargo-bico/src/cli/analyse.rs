//! `cargo bico analyse`.

use super::package::Kernels;
use crate::analysis::{View, by_tunable};
use crate::exchange::Filter;
use crate::out::out;
use crate::{Error, package};
use bico_build::env::Mode;
use bico_build::lock;
use std::path::PathBuf;

/// Says what searches teach of a space: which parameters matter, which values never came near the best, and how much
/// budget was enough; and prints a narrower `space(..)`.
///
/// It reads the trails of this machine, those named with --trail, and what bico.lock keeps of other devices. A value
/// goes only where 14 of its configs, or all of them, were tried in each search, and none was within 10 % of the best on any
/// device. Needs no device and no compiler. docs/analyse.md says how far that can be trusted.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cargo bico analyse                               all kernels
  cargo bico analyse gemm --trail h100/gemm.jsonl  one, with a trail of another machine
  cargo bico analyse gemm --device H100 --json     what one device says, for programs")]
pub(super) struct Arguments {
    #[command(flatten)]
    package: Kernels,
    /// Trails of other machines or searches, `target/bico/PACKAGE/KERNEL.jsonl` there; may be repeated
    #[arg(long, value_name = "FILE")]
    trail: Vec<PathBuf>,
    #[command(flatten)]
    filter: Filter,
    /// JSON, one object for each kernel
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Error> {
    let env = arguments.package.env(Mode::Off)?;
    let found = package::tunables(&env, &arguments.package.only())?;
    if found.is_empty() {
        let error = Error::work("there is no tunable in this package");
        return Err(error.help(package::NO_TUNABLE));
    }
    let lock = lock::load(&env.manifest_dir.join("bico.lock")).map_err(Error::work)?;
    let lock = lock.unwrap_or_default();
    let named = by_tunable(&arguments.trail, &found)?;
    let (mut views, mut without, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for found in &found {
        let key = found.spec.key.text.as_str();
        let files = named.get(key).map_or(&[][..], Vec::as_slice);
        match View::new(&env, &lock, found, files, &arguments.filter, &mut others)? {
            Some(view) => views.push(view),
            None => without.push(key),
        }
    }
    if views.is_empty() {
        let (keys, folder) = (without.join("`, `"), env.trail_dir());
        let asked = arguments.filter.described();
        let error = Error::Work(format!(
            "there is no trail of `{keys}`{asked} in {}",
            folder.display()
        ));
        let none = format!(
            "`cargo bico tune {} --force` searches, and leaves one there; `--trail FILE` names that of another machine",
            without.join(" ")
        );
        return Err(error.help(Filter::help(&others, none)));
    }
    for key in without {
        eprintln!("note: there is no trail of `{key}` here");
    }
    if arguments.json {
        let text = serde_json::to_string_pretty(&views).map_err(Error::work)?;
        return out(text + "\n");
    }
    let texts: Vec<String> = views.iter().map(ToString::to_string).collect();
    out(texts.join("\n"))
}
