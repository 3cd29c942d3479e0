//! `cargo bico import`.

use super::package::Package;
use crate::exchange::Filter;
use crate::exchange::import::{Asked, Report, keep, look, tunable};
use crate::out::line;
use crate::replay::{format, locate};
use crate::{Error, package};
use bico_build::env::Mode;
use bico_build::lock;
use bico_build::scan::Found;
use std::path::{Path, PathBuf};

/// Takes other tools' results as what a search begins with.
///
/// Kernel Tuner cache files, T4 results and CSV are read. The best configs of each go to bico.imported, beside bico.lock, and
/// the next search measures them first. Nobody has verified them here: no build takes a winner from that file.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cargo bico import cache.json --dry-run   what would be taken
  cargo bico import results/ --only gemm   of all files in a folder, for one kernel")]
pub(super) struct Arguments {
    /// Files, plain or gzipped; a folder stands for all in it
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    package: Package,
    /// The device that was measured on, as bico names it: `NVIDIA A100-PCIE-40GB (sm_80)` [default: the file's]
    #[arg(long, value_name = "DEVICE")]
    device: Option<String>,
    /// The problem that was measured, as bico.lock names it: `m=1024, n=1024` [default: the file's, else the only one]
    #[arg(long, value_name = "PROBLEM")]
    problem: Option<String>,
    /// A parameter that the file calls otherwise; may be repeated
    #[arg(long, value_name = "THEIRS=OURS", value_parser = rename)]
    rename: Vec<(String, String)>,
    /// Only say what would be imported
    #[arg(long)]
    dry_run: bool,
    /// JSON, one object for each file
    #[arg(long)]
    json: bool,
}

fn rename(text: &str) -> Result<(String, String), String> {
    let (theirs, ours) = text.split_once('=').ok_or("write it as THEIRS=OURS")?;
    Ok((theirs.trim().to_string(), ours.trim().to_string()))
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Error> {
    let env = arguments.package.env(Mode::Off)?;
    let found = package::tunables(&env, &arguments.package.only)?;
    let known = lock::load(&env.manifest_dir.join("bico.lock")).map_err(Error::work)?;
    let known = known.unwrap_or_default();
    let asked = Asked {
        filter: Filter {
            device: arguments.device.clone(),
            problem: arguments.problem.clone(),
        },
        renamed: arguments.rename.clone(),
    };
    let mut reports = Vec::new();
    for path in &arguments.files {
        let is = |of: &Found| Path::new(&of.spec.key.text) == path;
        if let Some(of) = found.iter().find(|of| is(of) && !path.exists()) {
            let key = &of.spec.key.text;
            let error = Error::Usage(format!("there is no file `{key}`"));
            return Err(error.help(format!("`--only {key}` imports for that kernel alone")));
        }
        for file in locate(path)? {
            let table = format::read(&file)?;
            for note in &table.notes {
                eprintln!("note: {}: {note}", file.display());
            }
            let at = |error: Error| Error::Work(format!("{}: {error}", file.display()));
            let found = tunable(&table, &found).map_err(at)?;
            let looked = look(&env, &known, found, &table, &asked);
            reports.push(looked.map_err(|error| match error {
                Error::Usage(_) => error,
                error => at(error),
            })?);
        }
    }
    match arguments.json {
        true => {
            let text = serde_json::to_string_pretty(&reports).map_err(Error::work)?;
            line(&text)?;
        }
        false => reports.iter().try_for_each(show)?,
    }
    if arguments.dry_run {
        return Ok(());
    }
    keep(&env, &mut reports)?;
    let path = env.manifest_dir.join(lock::IMPORTED);
    eprintln!(
        "wrote {}: the next search begins there; nothing in it counts as verified",
        path.display()
    );
    Ok(())
}

fn show(report: &Report) -> Result<(), Error> {
    let Report {
        tunable,
        device,
        problem,
        configs,
        timed,
        failed,
        outside,
        kept,
        ..
    } = report;
    let device = device.escape_debug();
    line(&format!(
        "{tunable} ({problem}) on {device}: {configs} configs, {timed} timed, {failed} failed, {outside} timed ones not in the space; the best {kept} are kept"
    ))
}
