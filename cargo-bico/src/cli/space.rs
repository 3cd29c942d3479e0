//! `cargo bico space`.

use super::package::Kernels;
use crate::check::Sizes;
use crate::gpus::chosen;
use crate::opened::{Configs, Tunable};
use crate::out::out;
use crate::space::{View, Wanted, problems, ranked_by, ranking};
use crate::{Error, package};
use bico_build::env::{Env, Mode};
use bico_build::lock;
use bico_build::measure::{Program, gpus};
use bico_build::scan::Found;
use bico_build::tuner::service;
use bico_core::device::Facts;
use bico_syntax::bind::{bare, scalars};

/// Shows kernels' spaces before anything is measured: parameters, how many configs there are, the most promising.
///
/// Without --device the spaces are those of this machine: its CPU for kernels in C and C++, its GPUs for CUDA.
/// Nothing is compiled or measured. Counts are those of decision diagrams: spaces of 2^40 configs are counted, too.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cargo bico space gemm --why      what each condition removes
  cargo bico space --device H100   on a GPU that is not here
  cargo bico space gemm --csv      all configs, as ranked")]
pub(super) struct Arguments {
    #[command(flatten)]
    package: Kernels,
    /// For a device that need not be here: a GPU's name, a device of bico.lock or a file of facts
    /// (`cargo bico devices` lists the GPUs, and prints such a file)
    #[arg(long, value_name = "NAME|FACTS.json")]
    device: Option<String>,
    /// Other sizes, `m=64,n=64`: what is not named is as in the attribute; may be repeated
    #[arg(long, value_name = "SIZES", value_parser = Sizes::read)]
    problem: Vec<Sizes>,
    /// How many of the most promising configs are shown
    #[arg(long, value_name = "N", default_value_t = 5)]
    top: usize,
    /// How many configs each condition removes
    #[arg(long)]
    why: bool,
    /// Nothing but the number of valid configs, a line for each problem and device
    #[arg(long, conflicts_with_all = ["why", "top"])]
    count: bool,
    /// All configs as CSV, most promising first, with rank and prediction
    #[arg(long, conflicts_with_all = ["why", "top", "count"])]
    csv: bool,
    /// JSON, one object for each tunable, problem and device
    #[arg(long, conflicts_with_all = ["count", "csv"])]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Error> {
    // A search for GPUs is what measuring begins with.
    let env = arguments.package.env(Mode::Tune)?;
    let found = package::tunables(&env, &arguments.package.only())?;
    if found.is_empty() {
        let error = Error::work("there is no tunable in this package");
        return Err(error.help(crate::package::NO_TUNABLE));
    }
    if arguments.csv && found.len() > 1 {
        let keys: Vec<&str> = found.iter().map(|found| &*found.spec.key.text).collect();
        let keys = keys.join(", ");
        return Err(Error::Usage(format!(
            "a CSV holds one kernel's configs: name one of {keys}"
        )));
    }
    for sizes in &arguments.problem {
        if !found.iter().any(|found| sizes.fit(&scalars(&found.spec))) {
            return Err(crate::check::no_such_problem(&found));
        }
    }
    let devices = Devices::of(arguments, &env, &found)?;
    let service = service(&env);
    let mut views = Vec::new();
    let mut head = arguments.csv;
    for found in found {
        for facts in devices.of_kernel(&found) {
            let tunable = Tunable::new(&env, &service, facts, None, found.clone())?;
            for scope in problems(&tunable, &arguments.problem)? {
                let configs = tunable.configs(&scope)?;
                if arguments.count {
                    out(counted(&tunable, &configs))?;
                } else if arguments.csv {
                    csv(&tunable, &configs, std::mem::take(&mut head))?;
                } else {
                    let (why, top) = (arguments.why, arguments.top);
                    let view = View::new(&tunable, &configs, Wanted { why, top })?;
                    if !arguments.json {
                        let gap = if views.is_empty() { "" } else { "\n" };
                        out(format!("{gap}{view}"))?;
                    }
                    views.push(view);
                }
            }
        }
    }
    if arguments.json {
        let text = serde_json::to_string_pretty(&views).map_err(Error::work)?;
        out(&(text + "\n"))?;
    }
    Ok(())
}

fn counted(tunable: &Tunable<'_>, configs: &Configs<'_>) -> String {
    let (count, key) = (configs.space().len(), tunable.key());
    let (problem, device) = (configs.label(), configs.bound.facts.key());
    format!("{count} {key} ({problem}) on {device}\n")
}

/// All configs, or of very many a sample, most promising first.
fn csv(tunable: &Tunable<'_>, configs: &Configs<'_>, head: bool) -> Result<(), Error> {
    let (space, ranked) = (configs.space(), ranking(tunable, configs)?);
    if (ranked.len() as u64) < space.len() {
        let (some, all) = (ranked.len(), space.len());
        eprintln!("note: {some} of the {all} configs are ranked and written, drawn at random");
    }
    let mut writer = csv::Writer::from_writer(Vec::new());
    if head {
        let first = ["problem", "device", "rank", "config", ranked_by(&ranked)];
        let names = space.names().iter().map(String::as_str);
        writer
            .write_record(first.into_iter().chain(names))
            .map_err(Error::work)?;
    }
    let (problem, device) = (configs.label(), configs.bound.facts.key().to_string());
    let places = ranked.order.iter().zip(&ranked.predicted).zip(1..);
    for ((config, predicted), rank) in places {
        let rank: usize = rank;
        let first = [
            problem.clone(),
            device.clone(),
            rank.to_string(),
            config.to_string(),
            predicted.to_string(),
        ];
        let values = space.config(*config).into_iter().map(bare);
        writer
            .write_record(first.into_iter().chain(values))
            .map_err(Error::work)?;
    }
    let bytes = writer
        .into_inner()
        .map_err(|error| Error::work(error.error()))?;
    out(bytes)
}

/// What the spaces are shown for.
struct Devices {
    cpu: Vec<Facts>,
    gpus: Vec<Facts>,
}

impl Devices {
    fn of(arguments: &Arguments, env: &Env, found: &[Found]) -> Result<Devices, Error> {
        let is_cuda = |found: &Found| found.spec.is_cuda();
        let mut devices = Devices {
            cpu: Vec::new(),
            gpus: Vec::new(),
        };
        let Some(name) = &arguments.device else {
            devices.cpu.push(bico_device::this_cpu().clone());
            if let Some(first) = found.iter().find(|found| is_cuda(found)) {
                match here(env, &first.spec.key.text) {
                    // The others can be shown.
                    Err(error) if !found.iter().all(is_cuda) => eprintln!("note: {error}"),
                    other => devices.gpus = other?,
                }
            }
            return Ok(devices);
        };
        // Facts that the lock has of a device are worth more than a table; a faulty lock is for others to tell.
        let lock = lock::load(&env.manifest_dir.join("bico.lock"));
        let lock = lock.ok().flatten().unwrap_or_default();
        let (facts, note) = chosen(name, &lock)?;
        if let Some(note) = note {
            eprintln!("note: {note}");
        }
        let (of_cuda, wanted) = match facts {
            Facts::Cuda(_) => (true, "a GPU, but none of these kernels is a CUDA kernel"),
            Facts::Cpu(_) => (false, "a CPU, but none of these kernels is in C or C++"),
        };
        if !found.iter().any(|found| is_cuda(found) == of_cuda) {
            let key = facts.key();
            let error = Error::Usage(format!("{key} is {wanted}"));
            return Err(error.help("name another kernel, or another device by `--device`"));
        }
        match of_cuda {
            true => devices.gpus.push(facts),
            false => devices.cpu.push(facts),
        }
        Ok(devices)
    }

    fn of_kernel(&self, found: &Found) -> &[Facts] {
        match found.spec.is_cuda() {
            true => &self.gpus,
            false => &self.cpu,
        }
    }
}

/// The GPUs of this machine, one of each kind.
fn here(env: &Env, kernel: &str) -> Result<Vec<Facts>, Error> {
    let program = Program::this(env.runner.clone())?;
    let found = gpus(&program);
    let why = found.as_ref().err().map(|why| format!(": {why}"));
    let mut kinds: Vec<Facts> = Vec::new();
    for gpu in found.unwrap_or_default() {
        let facts = Facts::Cuda(gpu.facts);
        if kinds.iter().all(|known| known.key() != facts.key()) {
            kinds.push(facts);
        }
    }
    if kinds.is_empty() {
        let why = why.unwrap_or_default();
        return Err(Error::Work(format!(
            "`{kernel}` is a CUDA kernel, and there is no GPU here{why}\n  = help: name one: `--device \"NVIDIA H100\"`; \
             `cargo bico devices` lists those that are known"
        )));
    }
    Ok(kinds)
}
