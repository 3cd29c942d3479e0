//! `cargo bico compile`.

mod limits;
mod package;
mod table;

use super::fail::Fail;
use crate::compile::{CompileError, GpuKernel, Options, Service};
use crate::env::Env;
use crate::scan::Found;
use crate::tuner::{Chosen, Units, units};
use bico_core::device::{CudaFacts, Facts};
use bico_core::model;
use bico_syntax::Language;
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
pub(super) struct Arguments {
    /// Folders of packages
    #[arg(value_name = "PACKAGE", default_value = ".")]
    packages: Vec<PathBuf>,
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

pub(super) fn run(arguments: &Arguments) -> Result<(), Fail> {
    let folder = Folder::new()?;
    let mut faults = Vec::new();
    let mut kernels = 0;
    for package in &arguments.packages {
        let root = package
            .canonicalize()
            .map_err(|error| Fail::usage(format!("`{}`: {error}", package.display())))?;
        let env = package::env(&root).map_err(Fail::work)?;
        let service = service(&env, &folder.0, arguments.threads);
        let tunables = package::tunables(&env).map_err(Fail::work)?;
        for (index, found) in tunables.iter().enumerate() {
            let compiler = service.compiler(Language::Cuda).map_err(failed)?;
            let path = package.join(&found.spec.source.path.text);
            println!("{} ({}), {compiler}\n", found.spec.key.text, path.display());
            let limits = stated(&path)?;
            let mut lines = Vec::new();
            for capability in &arguments.arch {
                // An attribute may ask for the device anywhere, so each has its own reading of it.
                let found = package::tunables(&env)
                    .map_err(Fail::work)?
                    .swap_remove(index);
                let (line, broken) = compile(
                    found,
                    &root,
                    *capability,
                    arguments.configs,
                    &service,
                    &limits,
                )?;
                lines.push(line);
                faults.extend(broken);
            }
            println!("{}", table::table(&lines));
            if !limits.is_empty() {
                let texts: Vec<String> = limits.iter().map(Limit::to_string).collect();
                println!("limits: {}\n", texts.join(", "));
            }
            kernels += 1;
        }
    }
    if kernels == 0 {
        return Err(Fail::work("there is no CUDA kernel in these packages"));
    }
    if faults.is_empty() {
        return Ok(());
    }
    let count = faults.len();
    let shown: Vec<String> = faults.into_iter().take(20).collect();
    Err(Fail::work(format!(
        "{count} configs failed or break a limit\n  {}",
        shown.join("\n  ")
    )))
}

fn stated(path: &Path) -> Result<Vec<Limit>, Fail> {
    let source = std::fs::read_to_string(path)
        .map_err(|error| Fail::work(format!("could not read `{}`: {error}", path.display())))?;
    limits::read(&source).map_err(|error| Fail::work(format!("{}: {error}", path.display())))
}

/// Compiles one kernel for one GPU: a line of the table, and what is wrong.
fn compile(
    found: Found,
    root: &Path,
    capability: u16,
    count: u64,
    service: &Service,
    limits: &[Limit],
) -> Result<(Line, Vec<String>), Fail> {
    let gpu = CudaFacts::typical("a GPU", "", capability.into());
    let key = found.spec.key.text.clone();
    let problems = units(found, root, &Facts::Cuda(gpu.clone()), count).map_err(Fail::work)?;
    let start = Instant::now();
    let all = problems.iter().flat_map(|problem| &problem.configs);
    service.announce(all.map(|chosen| chosen.unit.clone()).collect());
    let mut line = Line::new(capability);
    let mut faults = Vec::new();
    let mut fault =
        |name: &str, what: &str| faults.push(format!("{key}, sm_{capability}, {name}: {what}"));
    for Units {
        valid,
        configs,
        reference,
    } in &problems
    {
        line.valid = line.valid.max(*valid);
        for chosen in configs {
            match service.kernel(&chosen.unit) {
                Err(error) => {
                    line.failed += 1;
                    fault(&chosen.name, &error.summary);
                }
                Ok(kernel) => {
                    let Some(needs) = needs(&kernel, chosen) else {
                        fault(&chosen.name, "the compiled code does not say what it needs");
                        continue;
                    };
                    line.needs.push(needs);
                    let fixed = (needs.shared_bytes as i64)
                        - chosen.dims.map_or(0, |dims| dims.shared.into());
                    let registers = Some(needs.registers as i64);
                    let obstacle = chosen
                        .dims
                        .and_then(|dims| model::obstacle(&gpu, &dims, registers, fixed));
                    line.unlaunchable += u64::from(obstacle.is_some());
                    for limit in limits {
                        if let Some(taken) = limit.broken(&needs) {
                            fault(&chosen.name, &format!("{taken}, where {limit}"));
                        }
                    }
                }
            }
        }
        if let Some((unit, name)) = reference
            && let Err(error) = service.kernel(unit)
        {
            fault(name, &error.summary);
        }
    }
    line.seconds = start.elapsed().as_secs_f64();
    Ok((line, faults))
}

fn needs(kernel: &GpuKernel, chosen: &Chosen) -> Option<Needs> {
    let resources = kernel.resources?;
    let dynamic = chosen.dims.map_or(0, |dims| u64::from(dims.shared));
    // Threads are started a warp at a time.
    let threads = chosen.dims.map_or(1, |dims| dims.threads());
    let started = threads.div_ceil(32).saturating_mul(32);
    Some(Needs {
        registers: resources.registers.into(),
        block_registers: u64::from(resources.registers).saturating_mul(started),
        spill_bytes: resources.spill_bytes.into(),
        local_bytes: resources.local_bytes.into(),
        shared_bytes: u64::from(resources.shared_bytes) + dynamic,
    })
}

fn service(env: &Env, folder: &Path, threads: Option<usize>) -> Service {
    Service::new(Options {
        cache: folder.to_path_buf(),
        root: env.manifest_dir.clone(),
        threads: threads.unwrap_or(env.jobs),
        target: env.target.clone(),
        host: env.host.clone(),
        timeout: Options::TIMEOUT,
        nvrtc: env.nvrtc.clone(),
        program: None,
    })
}

fn failed(error: CompileError) -> Fail {
    Fail::work(error.summary)
}

/// A folder for what is compiled, new each time so that the seconds are those of compiling.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Folder, Fail> {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let name = format!(
            "bico-compile-{}-{}",
            std::process::id(),
            since.unwrap_or(Duration::ZERO).as_nanos()
        );
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).map_err(|error| {
            Fail::work(format!("could not create `{}`: {error}", path.display()))
        })?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
