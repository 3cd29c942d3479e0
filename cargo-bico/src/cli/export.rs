//! `cargo bico export`.

use super::package::Kernels;
use crate::Error;
use crate::exchange::{Filter, Winner, cuh, header, searched, winners};
use crate::out::{line, out, tell};
use crate::replay::Table;
use crate::replay::format::{Written, sidecar, written};
use bico_build::env::{Env, Mode};
use bico_build::files::written as write;
use clap::ValueEnum;
use std::path::{Path, PathBuf};

/// Hands winners to builds without bico, and searches to other tools.
///
/// Winners come from bico.lock: as a C header, as compiler flags, or as a .cuh. Searches come from the trails that tuning left
/// in the target folder (where there is none, from the best trials in bico.lock): as CSV, Kernel Tuner cache files or T4 results.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cargo bico export -f header -o winners.h               macros per device, for C
  cargo bico export gemm -f flags --device H100          one winner as `-D`s, in one line
  cargo bico export -f kernel-tuner -o caches            searches, for Kernel Tuner to go on from")]
pub(super) struct Arguments {
    #[command(flatten)]
    package: Kernels,
    #[command(flatten)]
    filter: Filter,
    /// What to write
    #[arg(long, short, value_enum)]
    format: Format,
    /// The file to write, or for several searches the folder [default: stdout]
    #[arg(long, short, value_name = "PATH")]
    output: Option<PathBuf>,
    /// What Kernel Tuner calls the device [default: its name in bico.lock]
    #[arg(long, value_name = "NAME")]
    device_name: Option<String>,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Format {
    /// Winners as a C header, a macro per parameter
    Header,
    /// One winner as `-D` and compiler flags, in one line
    Flags,
    /// Winners of CUDA kernels as a header with constants of C++
    Cuh,
    /// Searches as CSV, with --output a JSON sidecar beside it
    Csv,
    /// Searches as Kernel Tuner cache files, from which it can go on
    KernelTuner,
    /// Searches as T4 results
    T4,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Error> {
    let env = arguments.package.env(Mode::Off)?;
    let format = match arguments.format {
        Format::Csv => Written::Csv,
        Format::KernelTuner => Written::KernelTuner,
        Format::T4 => Written::T4,
        _ => return export_winners(&env, arguments),
    };
    let (tables, notes) = searched::searches(&env, &arguments.package.only(), &arguments.filter)?;
    let ended = export_searches(&tables, format, arguments);
    tell(notes);
    ended
}

fn export_winners(env: &Env, arguments: &Arguments) -> Result<(), Error> {
    let (winners, notes) = winners(env, &arguments.package.only(), &arguments.filter)?;
    tell(notes);
    let text = match arguments.format {
        Format::Flags => flags(&winners)?,
        Format::Cuh => cuh::cuh(&env.package, &winners)?,
        _ => header::header(&env.package, &winners, "")?,
    };
    put(arguments.output.as_deref(), &text)
}

/// The flags of one winner. A flag that a shell would take apart is quoted.
fn flags(winners: &[Winner]) -> Result<String, Error> {
    let [winner] = winners else {
        let all = winners
            .iter()
            .map(|of| format!("{} ({}) on {}", of.key, of.problem, of.device));
        let all: Vec<String> = all.collect();
        return Err(Error::Work(format!(
            "flags are those of one winner, and these are {}: {}\n  = help: name one kernel, and choose by `--device` and `--problem`",
            winners.len(),
            all.join("; ")
        )));
    };
    let defines = winner
        .defines
        .iter()
        .map(|(name, value)| format!("-D{name}={value}"));
    let flags = defines.chain(winner.flags.iter().cloned());
    let flags: Vec<String> = flags.map(quoted).collect();
    Ok(flags.join(" ") + "\n")
}

fn quoted(flag: String) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=+.,/:@%".contains(c);
    match flag.chars().all(plain) {
        true => flag,
        false => format!("'{}'", flag.replace('\'', "'\\''")),
    }
}

fn export_searches(tables: &[Table], format: Written, arguments: &Arguments) -> Result<(), Error> {
    let output = arguments.output.as_deref();
    let text = |table: &Table| {
        let device = arguments.device_name.as_ref().unwrap_or(&table.device);
        written(table, format, device)
    };
    let is_folder =
        |path: &Path| path.is_dir() || path.as_os_str().to_string_lossy().ends_with('/');
    if let Some(folder) = output.filter(|path| is_folder(path)) {
        for (table, name) in tables.iter().zip(names(tables)) {
            let ending = match format {
                Written::Csv => ".csv",
                Written::KernelTuner => ".json",
                Written::T4 => "_T4.json",
            };
            let path = folder.join(name + ending);
            save(table, &path, &text(table)?, format)?;
        }
        return Ok(());
    }
    match (tables, output) {
        ([table], Some(path)) => save(table, path, &text(table)?, format),
        ([table], None) => put(None, &text(table)?),
        (several, _) => {
            let all = several
                .iter()
                .map(|of| format!("{} ({}) on {}", of.kernel, of.problem, of.device));
            let all: Vec<String> = all.collect();
            Err(Error::Work(format!(
                "these are {} searches, and a file holds one: {}\n  = help: name one kernel, and choose by `--device` and `--problem`, or name a folder by `--output FOLDER/`",
                several.len(),
                all.join("; ")
            )))
        }
    }
}

/// `KERNEL__DEVICE`, and the problem where a device has several.
fn names(tables: &[Table]) -> Vec<String> {
    let plain = |text: &str| {
        let one = |c: char| {
            if c.is_alphanumeric() || "-.".contains(c) {
                c
            } else {
                '_'
            }
        };
        text.chars().map(one).collect::<String>()
    };
    let name = |table: &Table| {
        let same = |of: &&Table| of.kernel == table.kernel && of.device == table.device;
        let mut device = plain(&table.device);
        if tables.iter().filter(same).count() > 1 {
            device += &format!("_{}", plain(&table.problem));
        }
        format!("{}__{device}", plain(&table.kernel))
    };
    tables.iter().map(name).collect()
}

fn save(table: &Table, path: &Path, text: &str, format: Written) -> Result<(), Error> {
    if format == Written::Csv {
        let beside = path.with_extension("json");
        save_as(&beside, &sidecar(table)?)?;
    }
    put(Some(path), text)
}

fn save_as(path: &Path, text: &str) -> Result<(), Error> {
    let written = write(path, text.as_bytes());
    written.map_err(|error| Error::work(error).help("name another place by `--output`"))?;
    Ok(())
}

/// Writes to the file, else to stdout.
fn put(output: Option<&Path>, text: &str) -> Result<(), Error> {
    match output {
        Some(path) => {
            save_as(path, text)?;
            line(&format!("wrote {}", path.display()))?;
        }
        None => out(text)?,
    }
    Ok(())
}
