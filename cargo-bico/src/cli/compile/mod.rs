//! `cargo bico compile`.

mod limits;
mod table;

use crate::opened::{Configs, Package, Tunable};
use crate::out::line;
use crate::spread::spread;
use crate::{Error, Features, names, package};
use bico_build::compile::{GpuKernel, GpuTarget, Options, Service, Unit};
use bico_build::env::{Env, Mode};
use bico_build::measure::Candidates;
use bico_build::report::assignment;
use bico_core::device::{CudaFacts, Dims, Facts, Resources};
use bico_core::model;
use limits::{Limit, Needs};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use table::Line;

/// Compiles configs of CUDA kernels and shows what they take of a GPU; needs none.
///
/// The kernels are those of the packages' tunables, their features all on. A source may state limits in a
/// comment, `// limits: registers <= 64, spill_bytes <= 0`; the names are registers (of a thread),
/// block_registers, spill_bytes, local_bytes and shared_bytes (static and dynamic). A config that breaks
/// one, or does not compile, fails the command.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cargo bico compile                       ten configs of each kernel of this package
  cargo bico compile kernels --arch 90,120 --configs 50")]
pub(super) struct Arguments {
    /// Folders of packages
    #[arg(value_name = "PACKAGE", default_value = ".")]
    packages: Vec<PathBuf>,
    /// Only these kernels, by their keys
    #[arg(long, value_name = "KEY", value_delimiter = ',')]
    only: Vec<String>,
    /// Configs of each kernel, spread evenly over its space
    #[arg(short, long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    configs: u64,
    /// Compute capabilities, 89 for 8.9
    #[arg(short, long, num_args = 1.., value_delimiter = ',', value_name = "CC", default_value = "75,80,86,89,90,100,120",
        value_parser = clap::value_parser!(u16).range(50..))]
    arch: Vec<u16>,
    /// Compiles at once [default: all cores]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Error> {
    let folder = Folder::new()?;
    let mut faults = Vec::new();
    let mut keys = Vec::new();
    for path in &arguments.packages {
        let root = path.canonicalize().map_err(|error| {
            let error = Error::usage(format!("`{}`: {error}", path.display()));
            error.help("name folders of packages: `cargo bico compile kernels`")
        })?;
        let env = package::env(&root, &Features::All, Mode::Off)?;
        package::make_target(&env)?;
        let package = |capability: &u16| Package {
            env: env.clone(),
            facts: Facts::Cuda(gpu(*capability)),
            service: service(&env, &folder.0, arguments.threads),
            // PTX would not tell what code takes of a GPU.
            target: Some(GpuTarget::Cubin(*capability)),
        };
        let packages: Vec<Package> = arguments.arch.iter().map(package).collect();
        // An attribute may ask for the device anywhere, so each GPU has its own reading of it.
        let readings = packages.iter().map(Package::tunables);
        let readings: Vec<Vec<Tunable<'_>>> = readings.collect::<Result<_, _>>()?;
        for index in 0..readings.first().map_or(0, Vec::len) {
            let spec = &readings[0][index].plan.found.spec;
            keys.push(spec.key.text.clone());
            if !arguments.only.is_empty() && !arguments.only.contains(&spec.key.text) {
                continue;
            }
            let own = &readings[0][index].plan.found.sources;
            let sources = own
                .iter()
                .map(|source| path.join(source).display().to_string());
            let sources: Vec<String> = sources.collect();
            let compiler = packages[0].service.cuda(spec.nvcc);
            let compiler = compiler.map_err(|error| Error::Work(error.summary))?;
            line(&format!(
                "{} ({}), {compiler}\n",
                spec.key.text,
                sources.join(", ")
            ))?;
            let limits: Limits<'_> = own.iter().zip(stated(&sources)?).collect();
            let mut lines = Vec::new();
            for ((capability, package), tunables) in
                arguments.arch.iter().zip(&packages).zip(&readings)
            {
                let mut compiled = Compiled {
                    gpu: gpu(*capability),
                    limits: &limits,
                    key: &spec.key.text,
                    line: Line {
                        capability: *capability,
                        ..Line::default()
                    },
                    faults: Vec::new(),
                };
                compiled.all(&tunables[index], &package.service, arguments.configs)?;
                lines.push(compiled.line);
                faults.extend(compiled.faults);
            }
            line(&table::table(&lines))?;
            let stated = sources.iter().zip(limits.iter().map(|(_, limits)| limits));
            for (source, limits) in stated.filter(|(_, limits)| !limits.is_empty()) {
                let texts: Vec<String> = limits.iter().map(Limit::to_string).collect();
                let of = match sources.len() {
                    1 => String::new(),
                    _ => format!(" of {source}"),
                };
                line(&format!("limits{of}: {}\n", texts.join(", ")))?;
            }
        }
    }
    if keys.is_empty() {
        let error = Error::work("there is no CUDA kernel in these packages");
        return Err(error.help("name their folders: `cargo bico compile PACKAGE..`"));
    }
    let keys = keys.iter().map(String::as_str);
    names::known("there is", "CUDA kernel", &arguments.only, keys)?;
    ended(&faults)
}

fn ended(faults: &[String]) -> Result<(), Error> {
    if faults.is_empty() {
        return Ok(());
    }
    let shown = faults[..faults.len().min(20)].join("\n  ");
    let count = faults.len();
    let error = Error::Work(format!(
        "{count} configs failed or break a limit\n  {shown}"
    ));
    Err(error.help(
        "keep them out by `require(..)`, or change the comment `// limits: ..` of the source",
    ))
}

/// A GPU that need not be here.
fn gpu(capability: u16) -> CudaFacts {
    CudaFacts::typical("a GPU", "", capability.into())
}

/// What each source states of the kernels in it.
type Limits<'a> = Vec<(&'a PathBuf, Vec<Limit>)>;

/// What each file states.
fn stated(paths: &[String]) -> Result<Vec<Vec<Limit>>, Error> {
    let mut all = Vec::new();
    for path in paths {
        let source = std::fs::read_to_string(path)
            .map_err(|error| format!("could not read `{path}`: {error}"))?;
        let own = limits::read(&source);
        all.push(own.map_err(|error| Error::Work(format!("{path}: {error}")))?);
    }
    Ok(all)
}

/// One kernel on one GPU: a line of the table, and what is wrong.
struct Compiled<'a> {
    gpu: CudaFacts,
    limits: &'a Limits<'a>,
    key: &'a str,
    line: Line,
    faults: Vec<String>,
}

/// One config.
struct Chosen {
    /// Its values, for people.
    name: String,
    /// How it is compiled.
    unit: Unit,
    /// How its passes are launched.
    dims: Vec<Dims>,
}

impl Compiled<'_> {
    /// Compiles `count` configs of each problem, and the references.
    fn all(&mut self, tunable: &Tunable<'_>, service: &Service, count: u64) -> Result<(), Error> {
        let start = Instant::now();
        let mut chosen = Vec::new();
        let mut references = Vec::new();
        for scope in tunable.problems() {
            let configs = tunable.configs(scope)?;
            self.line.valid = self.line.valid.max(configs.space().len());
            chosen.extend(some(&configs, count)?);
            if !configs.space().is_empty() {
                references.extend(configs.subject().reference(0)?);
            }
        }
        service.announce(chosen.iter().map(|chosen| chosen.unit.clone()).collect());
        for chosen in &chosen {
            let compiled = match chosen.unit.gpu {
                Some(_) => service.kernel(&chosen.unit).map(Some),
                // A function of the host takes nothing of a GPU that it could tell.
                None => service.object(&chosen.unit).map(|_| None),
            };
            match compiled {
                Err(error) => {
                    self.line.failed += 1;
                    self.fault(&chosen.name, &error.summary);
                }
                Ok(kernel) => kernel.iter().for_each(|kernel| self.add(chosen, kernel)),
            }
        }
        for (unit, name) in references.iter().filter(|(unit, _)| unit.gpu.is_some()) {
            if let Err(error) = service.kernel(unit) {
                self.fault(name, &error.summary);
            }
        }
        self.line.seconds = start.elapsed().as_secs_f64();
        Ok(())
    }

    fn add(&mut self, chosen: &Chosen, kernel: &GpuKernel) {
        let (mut worst, mut unlaunchable) = (Needs::default(), false);
        for (at, entry) in kernel.entries.iter().enumerate() {
            let Some(resources) = entry.resources else {
                return self.fault(&chosen.name, "the compiled code does not say what it needs");
            };
            let (needs, launchable) = self.needs(chosen.dims.get(at), resources);
            worst = worst.max(&needs);
            unlaunchable |= !launchable;
        }
        self.line.unlaunchable += u64::from(unlaunchable);
        let own = |(source, _): &&(&PathBuf, _)| chosen.unit.source.ends_with(source);
        for limit in self
            .limits
            .iter()
            .filter(own)
            .flat_map(|(_, limits)| limits)
        {
            if let Some(taken) = limit.broken(&worst) {
                self.fault(&chosen.name, &format!("{taken}, where {limit}"));
            }
        }
        self.line.needs.push(worst);
    }

    /// What one pass takes, and whether it can be launched.
    fn needs(&self, dims: Option<&Dims>, resources: Resources) -> (Needs, bool) {
        let dynamic = dims.map_or(0, |dims| u64::from(dims.shared));
        // Threads are started a warp at a time.
        let threads = dims.map_or(1, Dims::threads);
        let started = threads.div_ceil(32).saturating_mul(32);
        let needs = Needs {
            registers: resources.registers.into(),
            block_registers: u64::from(resources.registers).saturating_mul(started),
            spill_bytes: resources.spill_bytes.into(),
            local_bytes: resources.local_bytes.into(),
            shared_bytes: u64::from(resources.shared_bytes) + dynamic,
        };
        let fixed = resources.shared_bytes.into();
        let registers = Some(resources.registers.into());
        let obstacle = dims.and_then(|dims| model::obstacle(&self.gpu, dims, registers, fixed));
        (needs, obstacle.is_none())
    }

    fn fault(&mut self, name: &str, what: &str) {
        let (key, capability) = (self.key, self.line.capability);
        let fault = format!("{key}, sm_{capability}, {name}: {what}");
        // Several problems may have tried this config.
        if !self.faults.contains(&fault) {
            self.faults.push(fault);
        }
    }
}

/// At most `count` configs, spread evenly over their numbers, the first and the last among them.
fn some(configs: &Configs<'_>, count: u64) -> Result<Vec<Chosen>, Error> {
    let (space, subject) = (configs.space(), configs.subject());
    let scalars = subject.scalars();
    let numbers = spread(space.len(), count).into_iter();
    numbers
        .map(|config| {
            let call = subject.call(config, &scalars)?;
            Ok(Chosen {
                name: assignment(space.names(), &space.config(config)),
                unit: subject.unit(config)?,
                dims: call.map_or_else(Vec::new, |call| call.launches().copied().collect()),
            })
        })
        .collect()
}

fn service(env: &Env, folder: &Path, threads: Option<usize>) -> Service {
    let usual = bico_build::tuner::service(env).options().clone();
    Service::new(Options {
        cache: folder.to_path_buf(),
        threads: threads.unwrap_or(env.jobs),
        ..usual
    })
}

/// A folder for what is compiled, new each time so that the seconds are those of compiling.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Folder, Error> {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let now = since.unwrap_or(Duration::ZERO).as_nanos();
        let name = format!("bico-compile-{}-{now}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path)
            .map_err(|error| format!("could not create `{}`: {error}", path.display()))?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
