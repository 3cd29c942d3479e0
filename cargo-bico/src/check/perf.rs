//! Whether winners still are as much faster than what they were measured beside as bico.lock says: ratios, never times.

use super::{Case, each};
use crate::{Error, package};
use bico_build::env::Env;
use bico_build::lock::{self, Entry};
use bico_build::measure::{Beside, KernelMeasure};
use bico_build::report::assignment;
use bico_build::tuner::stored;
use bico_search::search::{Failure, Ratio, Sample};
use serde::Serialize;
use std::time::{Duration, Instant};

/// Seconds for one tunable at one problem, with all that comes before measuring.
const SECONDS: f64 = 7.0;

/// Seconds of one round of looking; the first is shorter.
const LOOK: f64 = 1.5;

/// So many workers in a row must find a winner slower: where its buffers happen to lie makes one of ten processes 5 % slower from
/// its beginning to its end, which no number of rounds shows.
const WORKERS: u32 = 4;

/// Between two workers: what another program does to memory and caches hits the two of a ratio differently, and looks like no
/// noise while it lasts.
const PAUSE: Duration = Duration::from_secs(1);

/// So many times the noise beyond the limit nobody asks how large that is.
const BEYOND: f64 = 10.0;

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    /// As fast as it was, or faster.
    Fine,
    /// Slower by more than noise and what is allowed.
    Slower,
    /// The machine is too noisy to tell, or there is nothing to compare with.
    Undecided,
}

/// One tunable at one problem on one device.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Perf {
    pub(crate) tunable: String,
    pub(crate) device: String,
    pub(crate) problem: String,
    /// The winner, for people.
    pub(crate) config: String,
    /// What it is measured beside: `reference` or `first`, which is the default where there is one.
    pub(crate) to: Option<&'static str>,
    /// The winner's time over that of the other one, as bico.lock says.
    pub(crate) kept: Option<f64>,
    /// Now, with its interval.
    pub(crate) now: Option<f64>,
    pub(crate) interval: Option<[f64; 2]>,
    /// How far the winner seems to be from itself.
    pub(crate) noise: Option<f64>,
    pub(crate) verdict: Verdict,
    /// Why it is undecided, where that is not noise.
    pub(crate) note: Option<String>,
    pub(crate) seconds: f64,
}

/// Measures the winners of this machine's devices, and shows `told` each result when it is there. `budget` is the share by
/// which they may have become slower.
///
/// # Errors
///
/// The package or the lock cannot be read, or a device is missing.
pub(crate) fn perf(
    env: &Env,
    only: &[String],
    budget: f64,
    told: &mut dyn FnMut(Perf),
) -> Result<(), Error> {
    let found = package::tunables(env, only)?;
    each(env, found, &mut |case| {
        let (tunable, device) = (case.tunable, case.target.facts.key());
        let Some(entry) = case.store.entry(tunable.key(), &device, &case.problem.key) else {
            return Ok(());
        };
        let start = Instant::now();
        let mut perf = Perf {
            tunable: tunable.key().to_string(),
            device: device.to_string(),
            problem: case.problem.key.clone(),
            config: String::new(),
            to: None,
            kept: None,
            now: None,
            interval: None,
            noise: None,
            verdict: Verdict::Undecided,
            note: None,
            seconds: 0.0,
        };
        if let Err(why) = compare(case, entry, budget, &mut perf, start) {
            perf.note = Some(why.to_string());
        }
        perf.seconds = start.elapsed().as_secs_f64();
        told(perf);
        Ok(())
    })
}

/// Fills in what came of it; a text, where nothing could be compared.
fn compare(
    case: &Case<'_>,
    entry: &Entry,
    budget: f64,
    perf: &mut Perf,
    mut start: Instant,
) -> Result<(), Error> {
    let plan = &case.tunable.plan;
    let spec = &plan.found.spec;
    let changed = entry.hashes.changed(&plan.hashes);
    if !changed.is_empty() {
        let changed = changed.join(", ");
        return Err(Error::work(format!(
            "its entry is stale (changed: {changed}): tune it"
        )));
    }
    let kept = entry
        .ratio
        .ok_or("bico.lock keeps no ratio of it: tune it")?;
    perf.to = Some(if kept.to_reference {
        "reference"
    } else {
        "first"
    });
    perf.kept = Some(kept.value);
    let configs = case.tunable.configs(&case.problem.scope)?;
    let space = configs.space();
    let number = |trial: &lock::Trial| space.index_of(&stored::values(spec, &trial.config)?);
    let gone = || Error::work("its config is not in the space of this device: tune it");
    let winner = number(&entry.winner).ok_or_else(gone)?;
    perf.config = assignment(space.names(), &space.config(winner));
    let other = match kept.to_reference {
        true => Beside::Reference,
        false => Beside::Config(entry.first.as_ref().and_then(number).ok_or_else(gone)?),
    };
    let subject = configs.subject();
    let (settings, service) = (case.settings(&configs)?, case.tunable.service);
    let mut measure = KernelMeasure::new(spec, subject.scalars(), service, &subject, settings);
    // The reference is compiled as it was when the lock's ratio was measured: with the first config of the space.
    if let Err(message) = measure.prepare(&[0, winner]) {
        return Err(case.unprepared(&measure, &message));
    }
    let (mut all, mut slower): (Option<[Sample; 3]>, u32) = (None, 0);
    loop {
        let left = SECONDS - start.elapsed().as_secs_f64();
        let seconds = if all.is_none() { LOOK / 3.0 } else { LOOK };
        let looked = measure.beside(winner, other, seconds.min(left.max(LOOK / 3.0)));
        let looked = looked.map_err(|failure| ill(&failure))?;
        let [own, beside, again] = &*add(&mut all, looked);
        let (now, same) = (Ratio::new(own, beside), Ratio::new(again, own));
        (perf.now, perf.interval) = (Some(now.middle), Some([now.low, now.high]));
        perf.noise = Some(noise(&same));
        let is_over = SECONDS - start.elapsed().as_secs_f64() < LOOK;
        let Some(verdict) = judge(&kept, &now, &same, budget, is_over) else {
            continue;
        };
        slower += u32::from(verdict == Verdict::Slower);
        if verdict != Verdict::Slower || slower == WORKERS {
            perf.verdict = verdict;
            return Ok(());
        }
        std::thread::sleep(PAUSE);
        // Which is none of its seconds.
        start += PAUSE;
        measure.anew();
        all = None;
    }
}

/// The rounds of all looks.
fn add(all: &mut Option<[Sample; 3]>, looked: [Sample; 3]) -> &mut [Sample; 3] {
    match all {
        None => all.insert(looked),
        Some(all) => {
            for (sample, more) in all.iter_mut().zip(looked) {
                sample.rounds.extend(more.rounds);
            }
            all
        }
    }
}

fn ill(failure: &Failure) -> Error {
    let (kind, detail) = failure.parts();
    Error::work(format!("it could not be measured: {kind}: {detail}"))
}

/// How far a config seems to be from itself.
fn noise(same: &Ratio) -> f64 {
    (same.high - 1.0).max(1.0 - same.low).max(0.0)
}

/// The largest ratio that is fine.
fn limit(kept: &lock::Ratio, budget: f64) -> f64 {
    kept.interval[1].max(kept.value) * (1.0 + budget)
}

/// What the rounds so far say; `None` while more of them may say more.
fn judge(
    kept: &lock::Ratio,
    now: &Ratio,
    same: &Ratio,
    budget: f64,
    is_over: bool,
) -> Option<Verdict> {
    let limit = limit(kept, budget);
    // Where a config differs from itself, others do too.
    let bias = 1.0 + (same.middle - 1.0).abs();
    let noise = noise(same);
    // What is many times further away than noise is no noise, on whatever machine.
    let is_beyond = now.low > limit * (1.0 + BEYOND * noise);
    match noise <= budget || is_beyond {
        true if now.low > limit * bias => Some(Verdict::Slower),
        true if now.high <= limit => Some(Verdict::Fine),
        true if is_over && now.middle <= limit => Some(Verdict::Fine),
        _ => is_over.then_some(Verdict::Undecided),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(middle: f64, half: f64) -> Ratio {
        Ratio {
            middle,
            low: middle - half,
            high: middle + half,
        }
    }

    #[test]
    fn ratios_decide_and_noise_is_no_alarm() {
        let kept = lock::Ratio {
            to_reference: true,
            value: 0.5,
            interval: [0.495, 0.505],
        };
        let judge = |now, same, is_over| judge(&kept, &now, &same, 0.05, is_over);
        let quiet = || ratio(1.0, 0.01);
        assert_eq!(
            judge(ratio(0.5, 0.005), quiet(), false),
            Some(Verdict::Fine)
        );
        assert_eq!(
            judge(ratio(0.3, 0.005), quiet(), false),
            Some(Verdict::Fine)
        );
        assert_eq!(
            judge(ratio(0.55, 0.005), quiet(), false),
            Some(Verdict::Slower)
        );
        // Not sure yet, and then not shown.
        assert_eq!(judge(ratio(0.52, 0.03), quiet(), false), None);
        assert_eq!(judge(ratio(0.52, 0.03), quiet(), true), Some(Verdict::Fine));
        assert_eq!(
            judge(ratio(0.54, 0.03), quiet(), true),
            Some(Verdict::Undecided)
        );
        // The winner differs from itself.
        assert_eq!(judge(ratio(0.9, 0.005), ratio(1.0, 0.1), false), None);
        assert_eq!(
            judge(ratio(0.9, 0.005), ratio(1.0, 0.1), true),
            Some(Verdict::Undecided)
        );
        assert_eq!(
            judge(ratio(5.0, 0.5), ratio(1.0, 0.2), false),
            Some(Verdict::Slower)
        );
        assert_eq!(
            judge(ratio(0.545, 0.005), ratio(1.04, 0.005), true),
            Some(Verdict::Undecided)
        );
    }
}
