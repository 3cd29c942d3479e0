//! `cargo bico tune`: what a build does under `BICO=tune`, without a build. It needs no Rust toolchain:
//! the command is one file that can be copied to the machine with the device.

use super::package::Kernels;
use crate::Error;
use crate::check::Sizes;
use crate::live::{Display, Format};
use crate::names::known;
use crate::package::make_target;
use bico_build::env::{Env, Mode, Workers, words};
use bico_build::scan::scan;
use bico_build::tuner::{self, Asked};
use bico_search::search::{Shard, names};
use clap::builder::PossibleValuesParser;

/// Measures a package's kernels on this machine's devices and writes bico.lock.
///
/// What bico.lock lacks is searched, and what it holds of another source, space, problem or flags, too. What is fresh
/// stays, unless --force, or another budget or strategy than that which found it, asks for it again. A run that was cut, by
/// Ctrl-C or otherwise, goes on where it was when it is started again: nothing is measured twice.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cargo bico tune                                what is missing or stale
  cargo bico tune gemm softmax --force           these two, also if they are fresh
  cargo bico tune gemm --problem n=4096 --budget 200 --seconds 600
  cargo bico tune --device H200                  only on this device
  cargo bico tune --worker 4 'srun -Q -n1 --exact' --worker 1 'ssh gpu7'   five workers: docs/workers.md
  cargo bico tune gemm --force --shard 3/8       one eighth of the space: a task of a job array
  cargo bico tune --message-format json          for scripts; docs/command.md lists the messages")]
pub(super) struct Arguments {
    #[command(flatten)]
    package: Kernels,
    /// All packages of the workspace whose build scripts tune
    #[arg(long)]
    workspace: bool,
    /// Only this device: a part of its name, `cpu` or `gpu`; may be repeated
    #[arg(long, value_name = "DEVICE")]
    device: Vec<String>,
    /// Only problems with these sizes, `m=64,n=64`; what is not named may be anything; may be repeated
    #[arg(long, value_name = "SIZES", value_parser = Sizes::read)]
    problem: Vec<Sizes>,
    /// Configs to measure, for each problem, in place of the attribute's `budget(evaluations = ..)`
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    budget: Option<u32>,
    /// Seconds of measuring, for each problem, in place of the attribute's and whatever the package's `cap` says
    #[arg(long, value_name = "S", value_parser = seconds)]
    seconds: Option<f64>,
    /// How to search, in place of the attribute's strategy
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(names()))]
    strategy: Option<String>,
    /// Measure again what is fresh
    #[arg(long)]
    force: bool,
    /// Only what `cargo build` would do: what is stale is looked at again, not searched anew
    #[arg(long, conflicts_with = "force")]
    missing: bool,
    /// So many workers, each started by this command, in place of this machine; may be repeated. docs/workers.md says what such a
    /// command must do
    #[arg(long, num_args = 2, value_names = ["N", "COMMAND"], action = clap::ArgAction::Append)]
    worker: Vec<String>,
    /// The devices of this machine, too: all GPUs of a kind; alone, they only
    #[arg(long)]
    local: bool,
    /// Workers see no file of this machine: what they need is sent through their command
    #[arg(long, requires = "worker")]
    send: bool,
    /// Only this part of each space, `3/8`: for job arrays, whose trails `cargo bico merge` joins. bico.lock stays as it is
    #[arg(long, value_name = "PART", value_parser = Shard::parse, conflicts_with = "missing")]
    shard: Option<Shard>,
    /// For people, or a JSON object in a line for each event
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Human)]
    message_format: Format,
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse::<f64>().ok();
    let seconds = seconds.filter(|seconds| seconds.is_finite() && *seconds > 0.0);
    seconds.ok_or_else(|| "write a number of seconds, like `60`".to_string())
}

/// The workers that are named.
fn workers(arguments: &Arguments) -> Result<Vec<Workers>, Error> {
    let wrong = |text: String| Error::Usage(format!("--worker: {text}"));
    let mut all = Vec::new();
    for pair in arguments.worker.chunks(2) {
        let [count, command] = pair else { continue };
        let number = count
            .parse::<u32>()
            .ok()
            .filter(|of| (1..=4096).contains(of));
        let number = number
            .ok_or_else(|| wrong(format!("`{count}` is no number of workers, from 1 to 4096")))?;
        let runner = words(command).map_err(|why| wrong(format!("`{command}`: {why}")))?;
        if runner.is_empty() {
            return Err(wrong(
                "the command is empty; --local stands for this machine".into(),
            ));
        }
        all.push(Workers {
            count: number as usize,
            runner,
            sends: arguments.send,
        });
    }
    all.extend(arguments.local.then_some(Workers::LOCAL));
    Ok(all)
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Error> {
    let workers = workers(arguments)?;
    let mode = match arguments.missing {
        true => Mode::Auto,
        false => Mode::Tune,
    };
    let only = arguments.package.only();
    let display = Display::new(arguments.message_format);
    let mut runs = match arguments.workspace {
        true => shared(arguments.package.envs(mode)?, &only)?,
        false => {
            let env = arguments.package.env(mode)?;
            let found = scan(&env);
            // What is wrong with the sources is told with its place.
            if found.errors.is_empty() && !found.tunables.is_empty() {
                let keys = found.tunables.iter().map(|of| of.spec.key.text.as_str());
                known("the package has", "tunable", &only, keys)?;
            }
            vec![(env, only)]
        }
    };
    let has_none = |(env, _): &(Env, _)| {
        let found = scan(env);
        found.tunables.is_empty() && found.errors.is_empty() && found.limits.is_ok()
    };
    if runs.iter().all(has_none) {
        let error = Error::work("there is nothing to tune in this package");
        return Err(error.help(crate::package::NO_TUNABLE));
    }
    for (env, _) in &mut runs {
        make_target(env)?;
        if !workers.is_empty() {
            env.workers.clone_from(&workers);
        }
        env.shard = arguments.shard.or(env.shard);
    }
    end_on_interrupt(&display)?;
    let (mut failed, count) = (Vec::new(), runs.len());
    for (env, only) in runs {
        let asked = asked(arguments, only);
        let (warnings, result) = tuner::command(env, asked, display.listener());
        warnings.iter().for_each(|warning| display.warn(warning));
        failed.extend(result.err());
    }
    // A device or a problem that is named need not be every package's.
    if failed.len() < count || failed.iter().any(|error| !error.is_of_names()) {
        failed.retain(|error| !error.is_of_names());
    }
    display.end(failed.is_empty());
    let mut texts: Vec<String> = failed.iter().map(ToString::to_string).collect();
    texts.dedup();
    match texts.is_empty() {
        true => Ok(()),
        false => Err(Error::Work(texts.join("\n"))),
    }
}

fn asked(arguments: &Arguments, only: Vec<String>) -> Asked {
    Asked {
        only,
        devices: arguments.device.clone(),
        problems: arguments
            .problem
            .iter()
            .map(|of| of.pairs().to_vec())
            .collect(),
        evaluations: arguments.budget,
        seconds: arguments.seconds,
        strategy: arguments.strategy.clone(),
        keeps_fresh: !arguments.force,
        joined: Vec::new(),
    }
}

/// The packages that have one of the kernels, each with those that it has.
///
/// # Errors
///
/// No package has one of them.
fn shared(envs: Vec<Env>, only: &[String]) -> Result<Vec<(Env, Vec<String>)>, Error> {
    if only.is_empty() {
        return Ok(envs.into_iter().map(|env| (env, Vec::new())).collect());
    }
    let keys = |env: &Env| -> Vec<String> {
        let found = scan(env).tunables.into_iter();
        found.map(|found| found.spec.key.text).collect()
    };
    let all: Vec<(Env, Vec<String>)> = envs
        .into_iter()
        .map(|env| (keys(&env), env))
        .map(|(keys, env)| (env, keys))
        .collect();
    let there = all.iter().flat_map(|(_, keys)| keys).map(String::as_str);
    known("the workspace has", "tunable", only, there)?;
    let own = all.into_iter().map(|(env, mut keys)| {
        keys.retain(|key| only.contains(key));
        (env, keys)
    });
    Ok(own.filter(|(_, keys)| !keys.is_empty()).collect())
}

/// Has Ctrl-C leave the terminal as it was. The workers end with this process, and what was measured stands in the trail.
fn end_on_interrupt(display: &Display) -> Result<(), Error> {
    let display = display.clone();
    let set = ctrlc::set_handler(move || {
        display.clear();
        crate::style::complain(
            crate::style::WARNING,
            "interrupted: what was measured is kept; the same command continues from there",
        );
        std::process::exit(130);
    });
    set.map_err(|error| Error::Work(format!("cannot listen for Ctrl-C: {error}")))
}
