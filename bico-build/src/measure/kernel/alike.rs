//! Whether workers are alike: all of them measure one config.

use super::KernelMeasure;
use crate::measure::plan;
use crate::measure::pool::State;
use crate::measure::protocol::{Entrant, Request, Trial};
use bico_search::search::Sample;

/// By what share two workers may differ whose times stand side by side: two processes on one device differ, too.
const ALIKE: f64 = 0.05;

/// The most by which they may, however busy a machine is.
const MOST: f64 = 0.5;

/// Who differs by more than this looks again, before it is taken for the others' equal.
const CLEAR: f64 = 0.25;

/// How often a worker measures the config before that is decided: other programs come and go.
const LOOKS: u32 = 3;

/// Seconds for which the config is timed that all measure.
const COMPARE_SECONDS: f64 = 0.5;

/// What all are held against.
pub(super) struct Yardstick {
    config: u64,
    /// Who measured it first, and its time there.
    hand: usize,
    first: Sample,
}

impl KernelMeasure<'_> {
    /// The first config that somebody measured is what all are held against.
    pub(super) fn mark(&mut self, config: u64, hand: usize) {
        if self.hands.yardstick.is_none()
            && let Some(first) = self.outcome(config).sample().cloned()
            && let Some(pool) = &mut self.pool
        {
            self.hands.yardstick = Some(Yardstick {
                config,
                hand,
                first,
            });
            pool.hands[hand].state = State::Equal;
        }
    }

    /// Has all that are new measure what one of them did.
    pub(super) fn look_at_new(&mut self) {
        let Some(config) = self.hands.yardstick.as_ref().map(|of| of.config) else {
            return;
        };
        let next = |measure: &Self| {
            let pool = measure.pool.as_ref()?;
            pool.free(|_, hand| hand.compared.is_none())
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

    /// Whether workers differ by more than the noise.
    pub(super) fn compare(&mut self) {
        let (Some(pool), Some(yardstick)) = (&mut self.pool, &mut self.hands.yardstick) else {
            return;
        };
        let hands = &pool.hands;
        let lead = hands.iter().position(|hand| hand.state == State::Equal);
        let own = match lead {
            Some(lead) => hands[lead].compared.clone(),
            // What it measured before it went.
            None if hands.iter().all(|hand| hand.state != State::Returning) => {
                Some(yardstick.first.clone())
            }
            None => None,
        };
        let Some(own) = own else {
            return;
        };
        let named = &hands[lead.unwrap_or(yardstick.hand)];
        let (name, there) = (named.name.clone(), named.about.clone());
        // What the first one measured twice shows the noise; once it is gone, nothing does. What
        // disturbs a run makes it slower, so the fast runs say more of a board than the median does.
        let noise = 2.0 * (own.decile / yardstick.first.decile - 1.0).abs();
        let noise = lead.map_or(MOST, |_| noise.clamp(ALIKE, MOST));
        for at in 0..pool.hands.len() {
            let hand = &mut pool.hands[at];
            let Some(sample) = hand.compared.clone().filter(|_| hand.state == State::New) else {
                continue;
            };
            let ratio = sample.decile / own.decile;
            let apart = sample.low > own.high || sample.high < own.low;
            let differ = ratio.max(1.0 / ratio) - 1.0;
            let may = if apart { noise } else { MOST };
            let is_last_look = hand.looks >= LOOKS;
            let most = if is_last_look { may } else { may.min(CLEAR) };
            if differ <= most {
                hand.state = State::Equal;
            } else if is_last_look {
                let differs = format!(
                    "it takes {ratio:.2} times as long as `{name}` for the same config, beside {:.0} % of noise",
                    100.0 * noise
                );
                let on = format!("(it runs on {}, `{name}` on {there})", hand.about);
                if pool.is_last(at) {
                    // Without it the search ends here, and the same command goes on with it alone.
                    let why = format!("{differs}; it went on alone {on}");
                    pool.hands[at].state = State::Equal;
                    pool.hands[at].alone = why;
                    yardstick.hand = at;
                    yardstick.first = sample;
                    return;
                }
                let why = format!("{differs}; its times would not stand beside the others' {on}");
                pool.blame(at, &why, true);
            } else {
                // What kept one of them busy may have come meanwhile: both look again.
                hand.compared = None;
                if let Some(lead) = lead {
                    pool.hands[lead].compared = None;
                }
            }
        }
    }
}
