//! Which of several workers is asked what one alone would be: finals, soaks, references.

use super::KernelMeasure;
use crate::measure::client::Ended;
use crate::measure::pool::{Pool, State};
use crate::measure::protocol::Processor;
use std::time::Duration;

impl KernelMeasure<'_> {
    /// Has a worker's client here: it is asked what is asked of one alone.
    pub(super) fn seat(&mut self, hand: Option<usize>) {
        let Some(pool) = self.pool.as_mut().filter(|pool| pool.seated != hand) else {
            return;
        };
        if let (Some(seated), Some(spare)) = (pool.seated.take(), pool.spare.take()) {
            let client = std::mem::replace(&mut self.client, spare);
            pool.hands[seated].client = Some(client);
        }
        if let Some(client) = hand.and_then(|hand| pool.hands[hand].client.take()) {
            pool.spare = Some(std::mem::replace(&mut self.client, client));
            pool.seated = hand;
        }
    }

    /// Before something is asked of one of several: somebody has a seat. False if nobody is left.
    pub(super) fn sits(&mut self) -> bool {
        let until = self.client.until;
        loop {
            let Some(pool) = self.pool.as_ref().filter(|pool| pool.seated.is_none()) else {
                return true;
            };
            let equal = pool.free(|_, hand| hand.state == State::Equal);
            let any = || pool.free(|_, hand| hand.state != State::Returning);
            if let Some(hand) = equal.or_else(any) {
                self.seat(Some(hand));
                self.client.until = until;
                return true;
            }
            if !self.hear_event(Duration::MAX) {
                return false;
            }
        }
    }

    /// After what one worker met that may be its own fault: another one takes its seat, if there is one.
    pub(super) fn sits_elsewhere(&mut self, ended: &Ended) -> bool {
        let Some(pool) = self.pool.as_mut().filter(|_| !ended.is_decided()) else {
            return false;
        };
        let (seated, until) = (pool.seated, self.client.until);
        if let (Some(seated), Ended::Broken(_)) = (seated, ended) {
            pool.blame(seated, &ended.to_string(), false);
        }
        loop {
            let pool = self.pool.as_ref();
            let next = pool.and_then(|pool| pool.free(|at, _| Some(at) != seated));
            if next.is_some() {
                self.seat(next);
                self.client.until = until;
                return true;
            }
            // Others may be on their way.
            if !self.hear_event(Duration::MAX) {
                self.seat(seated);
                return false;
            }
        }
    }

    /// Whether there is another worker beside the seated one and those that are doubted.
    pub(super) fn has_others(&self, doubted: &[(usize, String)]) -> bool {
        let others = |pool: &Pool| {
            let mut hands = pool.hands.iter().enumerate();
            hands.any(|(at, hand)| {
                hand.state != State::Gone && pool.seated != Some(at) && !holds(doubted, at)
            })
        };
        self.pool.as_ref().is_some_and(others)
    }

    /// After a worker ended, or was silent, with one of the author's functions: another one takes its seat, and it is kept
    /// who is to blame if that one can. False if it was not its end.
    pub(super) fn doubts(&mut self, why: &str, doubted: &mut Vec<(usize, String)>) -> bool {
        let seated = self.pool.as_ref().and_then(|pool| pool.seated);
        let until = self.client.until;
        doubted.extend(seated.map(|seated| (seated, why.to_string())));
        while self.client.has_none() {
            let pool = self.pool.as_ref();
            let next = pool.and_then(|pool| pool.free(|at, _| !holds(doubted, at)));
            if next.is_some() {
                self.seat(next);
                self.client.until = until;
                return true;
            }
            if !self.hear_event(Duration::MAX) {
                break;
            }
        }
        false
    }

    /// Another one could do what these did not.
    pub(super) fn blames(&mut self, doubted: Vec<(usize, String)>) {
        if let Some(pool) = &mut self.pool {
            for (hand, why) in doubted {
                pool.blame(hand, &why, false);
            }
        }
    }

    /// Whether what the seated worker times waits for a word of this process: where both run on one machine's processors.
    pub(super) fn is_asked(&self) -> bool {
        let on_cpu = self.settings.program.processor == Processor::Cpu;
        let machine = &self.client.here.machine;
        let is_here = on_cpu && !machine.is_empty() && machine == crate::os::machine();
        self.pool.is_none() || is_here
    }
}

fn holds(doubted: &[(usize, String)], hand: usize) -> bool {
    doubted.iter().any(|(of, _)| *of == hand)
}
