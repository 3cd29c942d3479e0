//! How to measure.

use super::client::Program;
use super::lockfile;
use std::path::PathBuf;

/// How to measure.
pub struct Settings {
    /// How workers are started.
    pub program: Program,
    /// Where shims, linked kernels and references' outputs are kept: `target/bico/measure`.
    pub folder: PathBuf,
    /// The machine-wide lock; [`Settings::new`] has the one all builds share.
    pub lock: PathBuf,
    /// The build's job tokens.
    pub jobserver: Option<jobserver::Client>,
    /// Jobs that cargo allows at once.
    pub jobs: usize,
    /// Seconds to time one config at most.
    pub trial_seconds: f64,
    /// Seconds to time all finalists together.
    pub finals_seconds: f64,
    /// A call that takes longer than this, and much longer than the best, hangs.
    pub hang_seconds: f64,
    /// A reference that takes longer is not waited for.
    pub reference_seconds: f64,
    /// The seed of the inputs; 0 for those that every build has.
    pub seed: u64,
}

impl Settings {
    /// The usual ones. `device` names what the machine-wide lock is for: one device of one machine.
    pub fn new(program: Program, device: &str, folder: PathBuf) -> Settings {
        Settings {
            program,
            folder,
            lock: lockfile::path(device),
            jobserver: None,
            jobs: 1,
            trial_seconds: 0.5,
            finals_seconds: 3.0,
            hang_seconds: 10.0,
            reference_seconds: 30.0,
            seed: 0,
        }
    }
}
