//! One run of the build script: from the package's sources to what cargo links.

pub mod architectures;
pub mod cover;
pub mod devices;
mod emission;
mod error;
pub mod faults;
mod features;
mod jobs;
pub mod plan;
mod policy;
mod run;
#[cfg(feature = "tune")]
mod session;
pub mod store;
pub mod stored;
#[cfg(feature = "tune")]
pub mod subject;
mod unit;
#[cfg(not(feature = "tune"))]
mod unmeasured;
mod watch;

pub use error::TuneError;
#[cfg(feature = "tune")]
pub use session::KEPT_TRIALS;

use crate::compile::{Options, Service};
use crate::env::Env;
use crate::scan::Found;
use run::{Run, WARNING};
use std::time::SystemTime;

/// Tunes the package whose build script calls it, and writes what `#[bico::tunable]` includes.
///
/// Call it first in `main`: the same executable is started again as the measuring worker. A mistake
/// is printed in rustc's manner, and the process ends with exit code 1.
pub fn tune() {
    let (run, result) = match run() {
        Ok(ran) => ran,
        Err(error) => stop(&error),
    };
    match result {
        Ok(()) => run.print(),
        Err(error) => {
            // Cargo runs a script that failed again in any case, and shows all that it printed.
            run.print_warnings();
            stop(&error);
        }
    }
}

fn stop(error: &TuneError) -> ! {
    eprintln!("{error}");
    std::process::exit(1);
}

/// Does what [`tune`] does, for build scripts that go on after a mistake.
///
/// # Errors
///
/// What is wrong with the attribute's expressions, the kernels, the lock or the environment.
pub fn try_tune() -> Result<(), TuneError> {
    let (run, result) = run()?;
    // Also after an error: the next run depends on the same files.
    run.print();
    result
}

fn run() -> Result<(Run, Result<(), TuneError>), TuneError> {
    #[cfg(feature = "tune")]
    crate::measure::run_if_worker();
    crate::compile::run_if_compiler();
    let start = SystemTime::now();
    let env = Env::read().map_err(TuneError::plain)?;
    let (start, directives) = (env.begun(start), env.directives());
    let mut run = Run::new(env, start, directives);
    let result = run.work(&[], true);
    Ok((run, result))
}

/// What `cargo bico tune` does: the same without a build. `only` these keys, if there are any.
pub fn command(env: Env, only: &[String]) -> Result<(), TuneError> {
    let mut run = Run::new(env, SystemTime::now(), Vec::new());
    let result = run.work(only, false);
    // What was not measured is said as the error.
    let said = |warning: &str| run.not_measured.is_some() && warning.contains("did not measure");
    for directive in &run.directives {
        if let Some(warning) = directive.strip_prefix(WARNING)
            && !said(warning)
        {
            eprintln!("warning: {warning}");
        }
    }
    result?;
    // A build goes on without; a command that was to measure has failed.
    match run.not_measured {
        Some(why) => Err(TuneError::plain(why)),
        None => Ok(()),
    }
}

/// What compiles the package's kernels.
pub fn service(env: &Env) -> Service {
    Service::new(Options {
        cache: env.state_dir().join("objects"),
        root: env.manifest_dir.clone(),
        threads: env.jobs,
        target: env.target.clone(),
        host: env.host.clone(),
        timeout: Options::TIMEOUT,
        nvrtc: env.nvrtc.clone(),
        program: None,
    })
}

/// Keeps the tunables of these keys, where there are any.
pub fn retain(found: &mut Vec<Found>, only: &[String]) -> Result<(), TuneError> {
    let key = |found: &Found| found.spec.key.text.clone();
    for wanted in only {
        if !found.iter().any(|found| key(found) == *wanted) {
            let known: Vec<String> = found.iter().map(key).collect();
            return Err(TuneError::plain(format!(
                "the package has no tunable `{wanted}`; it has: {}",
                known.join(", ")
            )));
        }
    }
    found.retain(|found| only.is_empty() || only.contains(&key(found)));
    Ok(())
}
