//! Whether workers are alike: all of them measure one config.

use super::KernelMeasure;
use crate::measure::plan;
use crate::measure::pool::State;
use crate::measure::protocol::{Entrant, Request, Trial};
use bico_search::search::Sample;

/// By what share two workers may differ whose times stand side by side: two processes on one device differ, too.
const ALIKE: f64 = 0.05;

/// How often a worker measures the config whose times differ: other programs come and go.
const LOOKS: usize = 3;

/// Seconds for which the config is timed that all measure.
const COMPARE_SECONDS: f64 = 0.5;

impl KernelMeasure<'_> {
    /// Has all that are new measure what one of them did.
    pub(super) fn look_at_new(&mut self) {
        let Some((config, _)) = self.hands.yardstick else {
            return;
        };
        let next = |measure: &Self| {
            let pool = measure.pool.as_ref()?;
            pool.free(|_, hand| !hand.compared)
        };
        while let Some(hand) = next(self) {
            self.seat(Some(hand));
            let Ok(Entrant { kernel, check }) = self.entrant(config) else {
                return;
            };
            let timing = self.timing(COMPARE_SECONDS, None);
            let memory = plan::memory_of(&check.timed);
            let request = Request::Trial(Trial {
                kernel,
                terms: self.terms(memory + plan::fences(&check.timed.call)),
                checks: vec![check],
                timing: Some(timing),
            });
            self.have_asked(hand, request);
        }
    }

    /// Whether workers differ by more than the noise. Other programs only ever make a kernel slower, so what counts is each one's best look.
    pub(super) fn compare(&mut self) {
        let (Some(pool), Some((_, first))) = (&mut self.pool, self.hands.yardstick) else {
            return;
        };
        let mut hands = pool.hands.iter();
        let Some(lead) = hands.position(|hand| hand.state == State::Equal) else {
            return;
        };
        let lead_hand = &pool.hands[lead];
        let Some(own) = best(&lead_hand.looks).filter(|_| lead_hand.compared) else {
            return;
        };
        let (name, there) = (lead_hand.name.clone(), lead_hand.about.clone());
        let noise = ALIKE.max(2.0 * spread(first, &lead_hand.looks));
        for at in 0..pool.hands.len() {
            let hand = &mut pool.hands[at];
            if hand.state != State::New || !hand.compared {
                continue;
            }
            let Some(sample) = best(&hand.looks) else {
                continue;
            };
            let ratio = sample.seconds / own.seconds;
            let is_within = |share: f64| (1.0 - share..=1.0 + share).contains(&ratio);
            let apart = sample.low > own.high || sample.high < own.low;
            if is_within(ALIKE) {
                hand.state = State::Equal;
            } else if hand.looks.len() < LOOKS {
                // What kept one of them busy may have come meanwhile: both look again.
                hand.compared = false;
                pool.hands[lead].compared = false;
            } else if apart && !is_within(noise) {
                let why = format!(
                    "it takes {ratio:.2} times as long as `{name}` for the same config, beside {:.0} % of noise; its times would not stand beside the others' (it runs on {}, `{name}` on {there})",
                    100.0 * noise,
                    hand.about
                );
                pool.blame(at, &why, true);
            } else {
                hand.state = State::Equal;
            }
        }
        self.look_at_new();
    }
}

/// The look that was disturbed least.
fn best(looks: &[Sample]) -> Option<Sample> {
    let by_time = |a: &&Sample, b: &&Sample| a.seconds.total_cmp(&b.seconds);
    looks.iter().min_by(by_time).cloned()
}

/// By what share one worker's two best times for the same config differ.
fn spread(first: f64, looks: &[Sample]) -> f64 {
    let mut seconds: Vec<f64> = looks.iter().map(|sample| sample.seconds).collect();
    seconds.push(first);
    seconds.sort_by(f64::total_cmp);
    seconds.get(1).map_or(0.0, |next| next / seconds[0] - 1.0)
}
