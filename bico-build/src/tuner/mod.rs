//! One run of the build script: from the package's sources to what cargo links.

#[cfg(feature = "tune")]
mod asked;
#[cfg(feature = "workers")]
mod beside;
pub mod cover;
pub mod devices;
mod emission;
mod error;
pub mod faults;
mod features;
mod hashes;
mod jobs;
pub mod plan;
mod policy;
pub mod range;
#[cfg(feature = "tune")]
mod reference;
mod run;
#[cfg(feature = "tune")]
mod session;
#[cfg(feature = "rust")]
mod shipped;
pub mod store;
pub mod stored;
#[cfg(feature = "tune")]
pub mod subject;
#[cfg(feature = "cuda")]
mod texture;
mod unit;
#[cfg(not(feature = "tune"))]
mod unmeasured;
mod watch;

#[cfg(feature = "tune")]
pub use asked::{Asked, Joined};
#[cfg(feature = "tune")]
use bico_core::Lists;
pub use error::TuneError;
#[cfg(feature = "tune")]
pub use session::KEPT_TRIALS;
#[cfg(feature = "tune")]
use session::predict;
#[cfg(not(feature = "tune"))]
use unmeasured::predict;

use crate::compile::{Options, Service, Teller};
use crate::env::Env;
use crate::os::terminal;
#[cfg(feature = "tune")]
use crate::report::Listener;
#[cfg(feature = "tune")]
use crate::scan::Found;
use crate::scan::compile_limit;
use run::{Run, WARNING};
use std::time::SystemTime;

/// Tunes the package whose build script calls it, and writes what `#[bico::tunable]` includes.
///
/// Call it first in `main`: the same executable is started again as the measuring worker. A mistake
/// is printed in rustc's manner, and the process ends with exit code 1.
pub fn tune() {
    let result = begin().and_then(|mut run| {
        let result = run.work(true);
        match result {
            Ok(()) => run.print(),
            // Cargo runs a script that failed again in any case, and shows all that it printed.
            Err(_) => run.warnings().for_each(|text| println!("{WARNING}{text}")),
        }
        result
    });
    if let Err(error) = result {
        eprintln!("{error}");
        std::process::exit(1);
    }
}

/// Does what [`tune`] does, for build scripts that go on after a mistake.
///
/// # Errors
///
/// What is wrong with the attribute's expressions, the kernels, the lock or the environment.
pub fn try_tune() -> Result<(), TuneError> {
    let mut run = begin()?;
    let result = run.work(true);
    // Also after an error: the next run depends on the same files.
    run.print();
    result
}

fn begin() -> Result<Run, TuneError> {
    #[cfg(feature = "tune")]
    crate::measure::run_if_worker();
    crate::compile::run_if_compiler();
    let now = SystemTime::now();
    let env = Env::read().map_err(TuneError::plain)?;
    let (start, directives) = (env.begun(now), env.directives());
    Ok(Run::new(env, start, directives))
}

/// What `cargo bico tune` does: the same without a build. Gives the warnings, too.
#[cfg(feature = "tune")]
#[inline]
pub fn command(
    env: Env,
    asked: Asked,
    listener: Box<dyn Listener>,
) -> (Vec<String>, Result<(), TuneError>) {
    let mut run = Run::new(env, SystemTime::now(), Vec::new());
    (run.asked, run.listener) = (asked, listener);
    let result = run.work(false);
    // What was not measured is said as the error.
    let said = |warning: &str| run.not_measured.is_some() && warning.contains("did not measure");
    let warnings = run.warnings().filter(|warning| !said(warning));
    let warnings = warnings.map(str::to_string).collect_vec();
    // A build goes on without; a command that was to measure has failed.
    let unmeasured = run.not_measured.map(TuneError::plain);
    (warnings, result.and(unmeasured.map_or(Ok(()), Err)))
}

/// What compiles the package's kernels, and says so where that takes long.
pub fn service(env: &Env) -> Service {
    let mut service = quiet_service(env);
    service.tell(Teller::new(terminal()));
    service
}

fn quiet_service(env: &Env) -> Service {
    Service::new(Options {
        cache: env.state_dir().join("objects"),
        root: env.manifest_dir.clone(),
        threads: env.jobs,
        target: env.target.clone(),
        host: env.host.clone(),
        timeout: compile_limit(&env.manifest_dir),
        nvrtc: env.nvrtc.clone(),
        program: None,
    })
}

/// Keeps the tunables of these keys, if there are any keys.
#[cfg(feature = "tune")]
pub fn retain(found: &mut Vec<Found>, only: &[String]) {
    found.retain(|found| only.is_empty() || only.contains(&found.spec.key.text));
}
