//! What is told of a search that is over, and what the lock keeps of it.

use super::brief::Done;
use super::case::Case;
use super::files::Files;
use crate::compile::GpuTarget;
use crate::lock::{self, Entry, Place, RULES, Trial};
use crate::report::{GuaranteeLines, Listener, Summary, ratio as times, steps};
use crate::tuner::stored;
use bico_core::Lists;
use bico_search::guarantee::{Guarantee, Scaled, Settings, shipped};
use bico_search::rank::Ranked;
use bico_search::search::{Sample, Trail};

/// Trials that an entry keeps.
pub const KEPT_TRIALS: usize = 12;

/// What an entry keeps of a trail beside the winner.
pub(super) struct Kept {
    /// The best, fastest first.
    best: Vec<(u64, Sample)>,
    /// The default; else the first config of the space that was measured and right.
    pub(super) first: Option<u64>,
    /// The most promising one.
    ranked: Option<u64>,
}

impl Kept {
    pub(super) fn new(
        case: &Case<'_>,
        trail: &Trail,
        ranked: &Ranked,
        default: Option<u64>,
    ) -> Kept {
        let mut best = trail.top(usize::MAX);
        let default = default.filter(|default| trail.time(*default).is_some());
        let first = best.iter().map(|(config, _)| *config).min();
        let first = default.or(first);
        let place = |config: &u64| ranked.position(*config).unwrap_or(usize::MAX);
        let timed = trail.trials().map(|row| row.config);
        let timed = timed.filter(|config| trail.time(*config).is_some());
        let ranked = timed.min_by_key(place);
        // Of each variant one: a library may be missing elsewhere. And one for each kind of GPU: the best may run on few.
        let mut kernels: Vec<usize> = Vec::new();
        let mut kinds = case.other_kinds();
        let mut count = 0;
        best.retain(|(config, _)| {
            let values = case.space.config(*config);
            let kernel = case.bound.kernel(&values);
            let is_first = !kernels.contains(&kernel);
            kernels.extend(is_first.then_some(kernel));
            let open = kinds.len();
            kinds.retain(|rules| rules.why_not(&values).is_some());
            count += 1;
            is_first || kinds.len() < open || count <= KEPT_TRIALS
        });
        Kept {
            best,
            first,
            ranked,
        }
    }

    pub(super) fn configs(&self) -> Vec<u64> {
        let best = self.best.iter().map(|(config, _)| *config);
        best.chain(self.first).chain(self.ranked).collect_vec()
    }
}

impl Done {
    /// Says what was found and what each budget guarantees; gives the summary.
    pub(super) fn report(
        &self,
        case: &Case<'_>,
        seconds: f64,
        files: &mut Files,
        listener: &mut dyn Listener,
    ) -> String {
        let key = case.plan.key();
        let summary = Summary {
            key,
            problem: &case.problem.label,
            configs: &*case.space,
            amounts: &|values| case.amounts(values),
            ranked: &self.brief.ranked,
            default: self.brief.default,
            found: &self.found,
            seconds,
            contention: self.contention.as_deref(),
        }
        .to_string();
        listener.says(&summary);
        listener.says(&format!("{key}: {}", self.costs));
        if let Some(ratio) = self.ratio.filter(|of| of.to_reference) {
            let said = match ratio.value {
                value if value < 0.1 => {
                    format!("is {} as fast as the reference", times(1.0 / value))
                }
                value => format!("takes {value:.3} of the reference's time"),
            };
            listener.says(&format!("{key}: the winner {said}"));
        }
        if !self.brief.checks {
            let settings = Settings::default();
            let guarantee = Guarantee::new(&self.found.trail, case.space.len(), settings);
            let scale = self.brief.scale.as_ref();
            let scaled = scale.map(|scale| Scaled::new(scale, &self.found.trail, &settings));
            let winner = self.found.winner.as_ref();
            let lines = GuaranteeLines {
                shipped: winner.zip(shipped(&self.found, &settings)),
                guarantee: &guarantee,
                scaled: scaled.as_ref(),
            };
            for line in lines.lines() {
                listener.says(&format!("{key}: {line}"));
            }
            for line in steps(&self.found.trail, &*case.space) {
                listener.details(&line);
            }
            // A table for people: that it can't be written is no reason to stop.
            let _ = lines.write(&mut files.guarantees, &files.label);
        }
        summary
    }

    /// The lock's entry; `None` where nothing ran and was right.
    pub(super) fn entry(&self, case: &Case<'_>) -> Option<Entry> {
        let winner = self.found.winner.as_ref()?;
        let spec = case.bound.spec;
        let trail = &self.found.trail;
        let trial = |config: u64, seconds: f64| Trial {
            config: stored::config(spec, &case.space.config(config)),
            seconds,
            place: Place::default(),
        };
        let marked = |config: u64| Some(trial(config, trail.time(config)?.seconds));
        let kept = Kept::new(case, trail, &self.brief.ranked, self.brief.default);
        let best = kept.best.iter();
        Some(Entry {
            hashes: case.plan.hashes.clone(),
            winner: trial(winner.config, winner.sample.seconds),
            timed: Some(what_it_is(&winner.sample)),
            tested: self.tested.clone(),
            ratio: self.ratio,
            interval: [winner.sample.low, winner.sample.high],
            verified: self.verified,
            rules: RULES,
            strategy: self.brief.strategy.name().to_string(),
            budget: lock::Budget {
                evaluations: self.brief.budget.evaluations,
                seconds: case.plan.found.budget.seconds,
            },
            evaluations: trail.evaluated().count() as u64,
            space_size: case.space.len(),
            toolchain: self.compiled_by(case, winner.config),
            trials: best
                .map(|(config, s)| trial(*config, s.seconds))
                .collect_vec(),
            first: kept.first.and_then(marked),
            ranked: kept.ranked.and_then(marked),
            resources: self.usage,
            source: None,
        })
    }
}

impl Done {
    /// The compiler; behind it the architecture, where that is one of the winner's only, and whether it is another one's code
    /// that ships.
    fn compiled_by(&self, case: &Case<'_>, winner: u64) -> String {
        let bound = &case.bound;
        let kernel = bound.kernel(&case.space.config(winner));
        let exact = bound.spec.kernels[kernel].exact;
        let own = bound.facts.capability().filter(|_| exact);
        let mut text = self.toolchain.clone();
        if let Some(of) = own {
            text.push_str(", ");
            text.push_str(&GpuTarget::exact(of).architecture());
        }
        let rust = bound.spec.rust.as_ref();
        if rust.is_some_and(|own| !own.ships_measured) {
            text.push_str("; what ships is compiled anew");
        }
        text
    }
}

/// What the winner's time is, in the lock: `median, 95 %, flushed`.
fn what_it_is(sample: &Sample) -> String {
    // Never more than is true: 93.75 is 93.
    let share = (100.0 * sample.confidence).floor();
    let caches = sample.caches.name();
    let caches = caches.map_or(String::new(), |caches| format!(", {caches}"));
    format!("median, {share} %{caches}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use bico_search::search::Caches;

    #[test]
    fn a_time_says_what_it_is() {
        let mut sample = Sample::new(2.0, 1.0, 3.0, 20);
        assert_eq!(what_it_is(&sample), "median, 95 %");
        (sample.confidence, sample.caches) = (0.9375, Caches::Warm);
        assert_eq!(what_it_is(&sample), "median, 93 %, warm");
    }
}
