//! What one would write without a bandit of bounded regret.

use super::ours::Ours;
use super::play::Strategy;
use fastrand::Rng;

/// A name and what makes it, for a number of arms and a seed.
pub(super) struct Named {
    pub(super) name: &'static str,
    pub(super) new: fn(arms: usize, seed: u64) -> Box<dyn Strategy>,
}

pub(super) const STRATEGIES: [Named; 6] = [
    Named {
        name: "bico",
        new: |arms, _| Box::new(Ours::new(arms)),
    },
    Named {
        name: "ucb1",
        new: |arms, _| Box::new(Ucb1(Means::new(arms), Scale::Slowest)),
    },
    Named {
        name: "epsilon_greedy",
        new: |arms, seed| Box::new(EpsilonGreedy(Means::new(arms), Rng::with_seed(!seed))),
    },
    Named {
        name: "explore_then_commit",
        new: |arms, _| Box::new(ExploreThenCommit(Means::new(arms), 10)),
    },
    // The rivals in other forms, for those who would object.
    Named {
        name: "ucb1_by_speed",
        new: |arms, _| Box::new(Ucb1(Means::new(arms), Scale::Fastest)),
    },
    Named {
        name: "explore_3_then_commit",
        new: |arms, _| Box::new(ExploreThenCommit(Means::new(arms), 3)),
    },
];

/// Sums of raw seconds.
struct Means {
    calls: Vec<f64>,
    sums: Vec<f64>,
    squares: Vec<f64>,
    failed: Vec<bool>,
    slowest: f64,
    fastest: f64,
}

impl Means {
    fn new(arms: usize) -> Means {
        Means {
            calls: vec![0.0; arms],
            sums: vec![0.0; arms],
            squares: vec![0.0; arms],
            failed: vec![false; arms],
            slowest: 0.0,
            fastest: f64::INFINITY,
        }
    }

    fn took(&mut self, arm: usize, seconds: f64) {
        self.calls[arm] += 1.0;
        self.sums[arm] += seconds;
        self.squares[arm] += 1.0 / seconds;
        self.slowest = self.slowest.max(seconds);
        self.fastest = self.fastest.min(seconds);
    }

    fn working(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.calls.len()).filter(|arm| !self.failed[*arm])
    }

    fn mean(&self, arm: usize) -> f64 {
        self.sums[arm] / self.calls[arm]
    }

    /// The first arm of the fewest calls, where that is below `calls`.
    fn owing(&self, calls: f64) -> Option<usize> {
        self.working().find(|arm| self.calls[*arm] < calls)
    }

    fn fastest(&self) -> usize {
        let order = |a: &usize, b: &usize| self.mean(*a).total_cmp(&self.mean(*b));
        self.working().min_by(order).unwrap_or(0)
    }
}

/// How a time becomes a reward in [0, 1].
#[derive(Clone, Copy)]
enum Scale {
    /// 1 - time / slowest time so far.
    Slowest,
    /// Fastest time so far / time.
    Fastest,
}

/// Auer, Cesa-Bianchi and Fischer 2002: each arm once, then the highest mean reward +
/// sqrt(2 ln t / n).
struct Ucb1(Means, Scale);

impl Strategy for Ucb1 {
    fn next(&mut self) -> usize {
        let means = &self.0;
        if let Some(arm) = means.owing(1.0) {
            return arm;
        }
        let t: f64 = means.calls.iter().sum();
        let index = |arm: usize| {
            let reward = match self.1 {
                Scale::Slowest => 1.0 - means.mean(arm) / means.slowest,
                Scale::Fastest => means.fastest * means.squares[arm] / means.calls[arm],
            };
            reward + (2.0 * t.ln() / means.calls[arm]).sqrt()
        };
        let order = |a: &usize, b: &usize| index(*a).total_cmp(&index(*b));
        means.working().max_by(order).unwrap_or(0)
    }

    fn took(&mut self, arm: usize, seconds: f64) {
        self.0.took(arm, seconds);
    }

    fn failed(&mut self, arm: usize) {
        self.0.failed[arm] = true;
    }
}

/// Each arm once, then one call in ten any arm, else the fastest mean.
struct EpsilonGreedy(Means, Rng);

impl Strategy for EpsilonGreedy {
    fn next(&mut self) -> usize {
        if let Some(arm) = self.0.owing(1.0) {
            return arm;
        }
        if self.1.f64() < 0.1 {
            let working: Vec<usize> = self.0.working().collect();
            return working[self.1.usize(..working.len())];
        }
        self.0.fastest()
    }

    fn took(&mut self, arm: usize, seconds: f64) {
        self.0.took(arm, seconds);
    }

    fn failed(&mut self, arm: usize) {
        self.0.failed[arm] = true;
    }
}

/// Each arm so many times, then the fastest mean for ever.
struct ExploreThenCommit(Means, u32);

impl Strategy for ExploreThenCommit {
    fn next(&mut self) -> usize {
        let owing = self.0.owing(f64::from(self.1));
        owing.unwrap_or_else(|| self.0.fastest())
    }

    fn took(&mut self, arm: usize, seconds: f64) {
        // Once committed, it looks no more.
        if self.0.owing(f64::from(self.1)).is_some() {
            self.0.took(arm, seconds);
        }
    }

    fn failed(&mut self, arm: usize) {
        self.0.failed[arm] = true;
    }
}
