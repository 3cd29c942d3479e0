//! `cargo bico replay`.

use super::ranking;
use crate::Error;
use crate::out::{line, out};
use crate::replay::{Hints, Knowledge, Plan, Recording, compare, display, locate};
use bico_search::search::{DEFAULT, by_name};
use std::path::PathBuf;

/// Runs search strategies on recorded spaces and prints how close they come to the optimum.
///
/// A config that failed counts as an evaluation; while nothing valid was found the fraction of the
/// optimum is 0. Unlike in a build, config 0 is not measured as a baseline and a plateau does not
/// end the search, so that budgets can be compared: see --baseline and --patience.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cargo bico replay gemm.csv.gz --strategy adaptive random --budget 20 50 --seeds 50
  cargo bico replay spaces/ --ranking --hints hints/*")]
pub(super) struct Arguments {
    /// Recorded spaces: CSV with a JSON sidecar, Kernel Tuner cache files or T4 results, plain or
    /// gzipped; a folder stands for all in it
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Strategies
    #[arg(short, long, num_args = 1.., value_delimiter = ',', value_name = "NAME", default_value = DEFAULT)]
    strategy: Vec<String>,
    /// Budgets, in evaluations
    #[arg(short, long, num_args = 1.., value_delimiter = ',', value_name = "N", default_value = "20")]
    budget: Vec<u64>,
    /// Repeat with this many seeds
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,
    /// Print one JSON list as the last line
    #[arg(long)]
    json: bool,
    /// Recordings of other devices: the best trials of those of the same kernel are what the lock holds
    #[arg(long, num_args = 1.., value_name = "FILE", conflicts_with = "leave_one_out")]
    prior: Vec<PathBuf>,
    /// For each space, all others named with it are priors
    #[arg(long)]
    leave_one_out: bool,
    /// How many trials of each prior are known, best first
    #[arg(long, value_name = "N", default_value_t = 12)]
    prior_trials: usize,
    /// What kernels' authors say (launch, shared memory, work), a file for each kernel
    #[arg(long, num_args = 1.., value_name = "FILE")]
    hints: Vec<PathBuf>,
    /// Threads [default: all cores]; the results do not depend on it
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Instead of searching, show how well predictions order each space
    #[arg(long)]
    ranking: bool,
    /// Write every trail to this folder, as SPACE/STRATEGY-SEED.jsonl
    #[arg(long, value_name = "FOLDER")]
    trail: Option<PathBuf>,
    /// Stop at a plateau: after this many evaluations, and half of all, without an improvement
    #[arg(long, value_name = "N")]
    patience: Option<u64>,
    /// Measure config 0 as the second one, as a build does
    #[arg(long)]
    baseline: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Error> {
    let plan = plan(arguments)?;
    if arguments.ranking {
        return ranking::run(&read(&arguments.files)?, &arguments.hints, arguments.json);
    }
    let hints = Hints::read(&arguments.hints)?;
    let recordings = read(&arguments.files)?;
    let others = read(&arguments.prior)?;
    let knowledge = Knowledge {
        others: match arguments.leave_one_out {
            true => &recordings,
            false => &others,
        },
        trials: arguments.prior_trials,
        hints: Some(&hints),
    };
    let searched: Vec<&Recording> = recordings.iter().collect();
    let rows = compare(&plan, &searched, &knowledge)?;
    line(&format!(
        "mean fraction of the optimum after N evaluations, {} seeds\n",
        plan.seeds
    ))?;
    out(display(&plan, &rows))?;
    if arguments.json {
        line(&serde_json::to_string(&rows).map_err(Error::work)?)?;
    }
    Ok(())
}

fn plan(arguments: &Arguments) -> Result<Plan, Error> {
    let mut strategies: Vec<String> = Vec::new();
    for name in &arguments.strategy {
        by_name(name, 0).map_err(Error::usage)?;
        if !strategies.contains(name) {
            strategies.push(name.clone());
        }
    }
    let mut budgets = arguments.budget.clone();
    budgets.sort_unstable();
    budgets.dedup();
    if budgets.contains(&0) {
        return Err(Error::usage("a budget of 0 evaluations: use 1 or more"));
    }
    let cores = || std::thread::available_parallelism().map_or(1, |cores| cores.get());
    Ok(Plan {
        strategies,
        budgets,
        seeds: arguments.seeds,
        threads: arguments.threads.unwrap_or_else(cores),
        patience: arguments.patience,
        baseline: arguments.baseline,
        hands: 1,
        trails: arguments.trail.clone(),
    })
}

/// Reads recordings, and says what people should know of each.
fn read(paths: &[PathBuf]) -> Result<Vec<Recording>, Error> {
    let mut recordings = Vec::new();
    for path in paths {
        for file in locate(path)? {
            let recording = Recording::read(&file)?;
            eprintln!("{}", recording.describe());
            for note in &recording.notes {
                eprintln!("note: {}: {note}", recording.name);
            }
            recordings.push(recording);
        }
    }
    Ok(recordings)
}
