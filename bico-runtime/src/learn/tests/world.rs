//! Worlds to learn in.

use crate::learn::bandit::{Bandit, Prior};
use std::collections::VecDeque;

/// A small generator of our own: this crate has none.
pub(super) struct Rng(u64);

impl Rng {
    pub(super) fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1))
    }

    fn next(&mut self) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In [0, 1).
    pub(super) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(super) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }
}

/// Arms with the seconds of a call, and what disturbs them.
pub(super) struct World {
    pub(super) rng: Rng,
    pub(super) seconds: Vec<f64>,
    pub(super) noise: f64,
    /// The share of calls that take 3 to 30 times as long.
    pub(super) tail: f64,
    /// Per arm, the share of calls that take three times as long.
    pub(super) slow: Vec<f64>,
    /// All times are multiplied by it.
    pub(super) factor: f64,
    /// Answers come so many calls later.
    pub(super) delay: usize,
    /// The share of answers that never come.
    pub(super) lost: f64,
    /// The seconds of the trials whose answers never came.
    pub(super) unanswered: f64,
    late: VecDeque<(usize, Option<f64>)>,
    /// The calls of each arm, and the time of all.
    pub(super) calls: Vec<u64>,
    pub(super) total: f64,
}

impl World {
    pub(super) fn new(seed: u64, seconds: &[f64], noise: f64) -> World {
        World {
            rng: Rng::new(seed),
            seconds: seconds.to_vec(),
            noise,
            tail: 0.0,
            slow: vec![0.0; seconds.len()],
            factor: 1.0,
            delay: 0,
            lost: 0.0,
            unanswered: 0.0,
            late: VecDeque::new(),
            calls: vec![0; seconds.len()],
            total: 0.0,
        }
    }

    pub(super) fn bandit(&self) -> Bandit {
        Bandit::new(&vec![Prior::default(); self.seconds.len()])
    }

    fn seconds(&mut self, arm: usize) -> f64 {
        let mut seconds = self.factor * self.seconds[arm];
        seconds *= (self.noise * self.rng.normal()).exp();
        if self.rng.unit() < self.tail {
            seconds *= 3.0 * 10f64.powf(self.rng.unit());
        }
        if self.rng.unit() < self.slow[arm] {
            seconds *= 3.0;
        }
        seconds
    }

    /// One call; gives its arm.
    pub(super) fn call(&mut self, bandit: &mut Bandit) -> usize {
        let incumbent = bandit.incumbent();
        let turn = bandit.next(|_| true).expect("an arm works");
        self.calls[turn.arm] += 1;
        let seconds = self.seconds(turn.arm);
        self.total += seconds;
        if turn.timed {
            let answer = (self.rng.unit() >= self.lost).then_some(seconds);
            if answer.is_none() && incumbent != Some(turn.arm) {
                self.unanswered += seconds;
            }
            self.late.push_back((turn.arm, answer));
        }
        // A slot per call, timed or not.
        let due = self.late.len() > self.delay || (!turn.timed && !self.late.is_empty());
        if due && let Some((arm, answer)) = self.late.pop_front() {
            match answer {
                Some(seconds) => bandit.observe(arm, seconds.ln()),
                None => bandit.lost(arm),
            }
        }
        turn.arm
    }

    /// Calls until it settles, but no more than `most`; gives the arm that it settled on.
    pub(super) fn until_settled(&mut self, bandit: &mut Bandit, most: usize) -> Option<usize> {
        for _ in 0..most {
            self.call(bandit);
            if bandit.settled().is_some() {
                break;
            }
        }
        bandit.settled()
    }
}
