//! Whether workers are alike: all of them measure one config.

use super::KernelMeasure;
use crate::measure::plan;
use crate::measure::pool::State;
use crate::measure::protocol::{Entrant, Request, Trial};

/// By what share two workers may differ whose times stand side by side: two processes on one device differ, too.
const ALIKE: f64 = 0.05;

/// How often a worker measures the config before it is kept apart: other programs come and go.
const LOOKS: u32 = 3;

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
        let (Some(pool), Some((_, first))) = (&mut self.pool, self.hands.yardstick) else {
            return;
        };
        let mut hands = pool.hands.iter();
        let Some(lead) = hands.position(|hand| hand.state == State::Equal) else {
            return;
        };
        let Some(own) = pool.hands[lead].compared.clone() else {
            return;
        };
        let (name, there) = (
            pool.hands[lead].name.clone(),
            pool.hands[lead].about.clone(),
        );
        // What the first one measured twice shows the noise.
        let noise = ALIKE.max(2.0 * (own.seconds / first - 1.0).abs());
        for at in 0..pool.hands.len() {
            let hand = &mut pool.hands[at];
            let Some(sample) = hand.compared.clone().filter(|_| hand.state == State::New) else {
                continue;
            };
            let ratio = sample.seconds / own.seconds;
            let apart = sample.low > own.high || sample.high < own.low;
            if !apart || (1.0 - noise..=1.0 + noise).contains(&ratio) {
                hand.state = State::Equal;
            } else if hand.looks >= LOOKS {
                let why = format!(
                    "it takes {ratio:.2} times as long as `{name}` for the same config, beside {:.0} % of noise; its times would not stand beside the others' (it runs on {}, `{name}` on {there})",
                    100.0 * noise,
                    hand.about
                );
                pool.blame(at, &why, true);
            } else {
                // What kept one of them busy may have come meanwhile: both look again.
                hand.compared = None;
                pool.hands[lead].compared = None;
            }
        }
        self.look_at_new();
    }
}
