//! How to measure.

use super::client::Program;
use super::lockfile;
use crate::os::jobserver::Jobserver;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// When measuring must be over.
#[derive(Debug, Clone, Copy)]
pub struct Limit {
    end: Instant,
    /// Seconds from the beginning to the end.
    seconds: f64,
}

impl Limit {
    /// So many seconds from now on; without a limit where no clock counts so far.
    pub fn new(seconds: f64) -> Option<Limit> {
        let whole = Duration::try_from_secs_f64(seconds).ok()?;
        let end = Instant::now().checked_add(whole)?;
        Some(Limit { end, seconds })
    }

    /// Seconds until the end; negative behind it.
    pub fn left(&self) -> f64 {
        let late = Instant::now().saturating_duration_since(self.end);
        let early = self.end.saturating_duration_since(Instant::now());
        early.as_secs_f64() - late.as_secs_f64()
    }

    /// Seconds that finals of `usual` seconds are kept, before the end.
    pub(super) fn kept(&self, usual: f64) -> f64 {
        usual.min(self.seconds / 10.0)
    }

    /// What finals of `usual` seconds may take now; something even a little behind the end, after which they end
    /// at [`Limit::last`].
    pub(super) fn finals(&self, usual: f64) -> Option<f64> {
        let (left, least) = (self.left(), self.seconds / 40.0);
        (left > -least).then(|| usual.min(left.max(least)))
    }

    /// When what is tried is stopped.
    pub(super) fn end(&self) -> Instant {
        self.end
    }

    /// When even finals are stopped.
    pub(super) fn last(&self) -> Instant {
        self.end + Duration::from_secs_f64(self.seconds / 20.0)
    }
}

/// How to measure.
pub struct Settings {
    /// How workers are started.
    pub program: Program,
    /// All workers, where there are several.
    pub workers: Vec<Program>,
    /// Where shims, linked kernels and references' outputs are kept: `target/bico/measure`.
    pub folder: PathBuf,
    /// The machine-wide lock; [`Settings::new`] has the one all builds share.
    pub lock: PathBuf,
    /// The build's job tokens.
    pub(crate) jobserver: Option<Jobserver>,
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
    /// Seconds to wait for the machine-wide lock, all in all; then it is measured without.
    pub wait_seconds: f64,
    /// When all must be over, if ever.
    pub limit: Option<Limit>,
    /// The seed of the inputs; 0 for those that every build has.
    pub seed: u64,
}

impl Settings {
    /// The usual ones. `device` names what the machine-wide lock is for: one device of one machine.
    pub fn new(program: Program, device: &str, folder: PathBuf) -> Settings {
        Settings {
            program,
            workers: Vec::new(),
            folder,
            lock: lockfile::path(device),
            jobserver: None,
            jobs: 1,
            trial_seconds: 0.25,
            finals_seconds: 2.0,
            hang_seconds: 10.0,
            reference_seconds: 30.0,
            wait_seconds: 60.0,
            limit: None,
            seed: 0,
        }
    }
}
