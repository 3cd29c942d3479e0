//! What the device does while something is timed, and waiting until it does that steadily.

use super::clock::WARM_UP;
use super::harness::Harness;
use super::stats::{self, Run};
use super::timing::Sampler;
use bico_device::conditions::stolen_seconds;
use bico_search::search::{Conditions, Failure, Sample};
use std::time::Instant;

/// Seconds of one look at a kernel's times.
const WINDOW: f64 = 0.1;
/// Looks in a row that must agree, and how far they may lie apart.
const STEADY: (u32, f64) = (2, 0.01);
/// Seconds after which a clock that still moves is taken as it is.
const MOST: f64 = 3.0;

/// Watches the device from here on.
pub(super) struct Watch {
    since: Instant,
    stolen: Option<f64>,
    was_held_back: bool,
}

impl Watch {
    pub(super) fn new(harness: &mut Harness) -> Watch {
        Watch {
            since: Instant::now(),
            stolen: stolen_seconds(),
            // A CPU does not tell, and asking takes time.
            was_held_back: harness.is_gpu() && harness.device.conditions().held_back.is_some(),
        }
    }

    /// Notes down with the times what the device did meanwhile.
    pub(super) fn note(&self, harness: &mut Harness, sample: &mut Sample) {
        let now = harness.device.conditions();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let passed = self.since.elapsed().as_secs_f64() * cores as f64;
        let stolen = self.stolen.zip(stolen_seconds());
        sample.throttled = self.was_held_back || now.held_back.is_some();
        sample.conditions = Some(Box::new(Conditions {
            clock_hz: now.clock_hz,
            celsius: now.celsius,
            power_limit_watts: now.power_limit_watts,
            held_back: now.held_back,
            stolen: stolen.map(|(before, after)| ((after - before) / passed).clamp(0.0, 1.0)),
        }));
    }
}

/// Runs a kernel until its time and the device's clock no longer move: the clock of a device that was idle is higher than the
/// one that it can keep.
pub(super) fn sustain(harness: &mut Harness, sampler: &Sampler) -> Result<(), Failure> {
    harness.parent.step(WARM_UP, MOST + sampler.patience());
    let start = Instant::now();
    let (mut before, mut steady) = ([f64::INFINITY; 2], 0);
    while steady < STEADY.0 && start.elapsed().as_secs_f64() < MOST {
        let window = Instant::now();
        let mut runs: Vec<Run> = Vec::new();
        while window.elapsed().as_secs_f64() < WINDOW || runs.is_empty() {
            runs.push(sampler.sample(harness)?);
        }
        let clock = harness.device.conditions().clock_hz.unwrap_or(1.0);
        let now = [stats::median(&runs), clock];
        let is_near = |(a, b): (&f64, &f64)| (a - b).abs() <= STEADY.1 * b;
        steady = match before.iter().zip(&now).all(is_near) {
            true => steady + 1,
            false => 0,
        };
        before = now;
    }
    Ok(())
}
