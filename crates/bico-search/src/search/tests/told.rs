//! Configs and measures whose answers a test tells.

use crate::search::{Configs, Costs, Failure, Measure, Outcome, Sample};
use bico_core::Value;
use std::collections::{BTreeMap, HashSet};

/// Configs without meaning.
pub(super) struct Numbers {
    len: u64,
    names: Vec<String>,
}

pub(super) fn numbers(len: u64) -> Numbers {
    Numbers {
        len,
        names: vec!["N".into()],
    }
}

impl Configs for Numbers {
    fn len(&self) -> u64 {
        self.len
    }

    fn names(&self) -> &[String] {
        &self.names
    }

    fn values(&self, config: u64) -> Vec<Value> {
        vec![Value::Int(config as i64)]
    }

    fn neighbours(&self, _: u64) -> Vec<u64> {
        Vec::new()
    }
}

/// Times as told, one second for each measurement; what has no time fails.
pub(super) struct Told {
    pub(super) times: BTreeMap<u64, f64>,
    /// Half of each interval, relative.
    pub(super) noise: f64,
    pub(super) finals: BTreeMap<u64, Option<f64>>,
    pub(super) asked: Vec<u64>,
    pub(super) announced: Vec<Vec<u64>>,
    pub(super) unlaunchable: HashSet<u64>,
    /// Those that must not win.
    pub(super) unsound: HashSet<u64>,
    /// Those whose results are other bits in every call.
    pub(super) unequal: HashSet<u64>,
    /// Those that must not be kept, and whoever was asked about.
    pub(super) unkept: HashSet<u64>,
    pub(super) vouched: Vec<u64>,
    /// What is said to be wrong, or right after all, and after how many measurements.
    pub(super) anew: Vec<(usize, u64, Option<f64>)>,
    /// What is cut short, but for finals.
    pub(super) cut: HashSet<u64>,
    /// What it was told of the best.
    pub(super) bests: Vec<Option<f64>>,
    /// Seconds after which even finals are over.
    pub(super) limit: f64,
    /// Whether it says what configs took to compile.
    pub(super) compiles: bool,
}

impl Told {
    pub(super) fn new(times: impl IntoIterator<Item = (u64, f64)>) -> Told {
        Told {
            times: times.into_iter().collect(),
            noise: 0.001,
            finals: BTreeMap::new(),
            asked: Vec::new(),
            announced: Vec::new(),
            unlaunchable: HashSet::new(),
            unsound: HashSet::new(),
            unequal: HashSet::new(),
            unkept: HashSet::new(),
            vouched: Vec::new(),
            anew: Vec::new(),
            cut: HashSet::new(),
            bests: Vec::new(),
            limit: f64::INFINITY,
            compiles: false,
        }
    }

    fn outcome(&self, time: Option<f64>) -> Outcome {
        match time {
            Some(seconds) => Outcome::Timed(Sample::new(
                seconds,
                seconds * (1.0 - self.noise),
                seconds * (1.0 + self.noise),
                5,
            )),
            None => Outcome::Failed(Failure::Crash("SIGSEGV".into())),
        }
    }
}

impl Measure for Told {
    fn spent(&self) -> f64 {
        self.asked.len() as f64
    }

    fn left(&self) -> f64 {
        self.limit - self.spent()
    }

    fn compiler(&self, config: u64) -> Option<f64> {
        self.compiles.then(|| 0.1 / 3.0 * (1 + config % 9) as f64)
    }

    fn costs(&mut self) -> Option<Costs> {
        self.compiles.then(|| Costs {
            timing: 0.1 / 7.0,
            rest: 0.01 / 3.0,
            ..Costs::default()
        })
    }

    fn announce(&mut self, upcoming: &[u64]) {
        self.announced.push(upcoming.to_vec());
    }

    fn vouch(&mut self, config: u64) -> Result<(), Failure> {
        self.vouched.push(config);
        match self.unkept.contains(&config) {
            true => Err(Failure::Wrong("y[0] is 1, expected 2, at n = 7".into())),
            false => Ok(()),
        }
    }

    fn confirm(&mut self, config: u64) -> Result<bool, Failure> {
        match self.unsound.contains(&config) {
            true => Err(Failure::Wrong("y[0] is 1, expected 2, at call 50".into())),
            false => Ok(!self.unequal.contains(&config)),
        }
    }

    fn judged_anew(&mut self) -> Vec<(u64, Outcome)> {
        let now = self.anew.iter().filter(|of| of.0 == self.asked.len());
        let outcome = |of: &(usize, u64, Option<f64>)| (of.1, self.outcome(of.2));
        now.map(outcome).collect()
    }

    fn measure(&mut self, config: u64, best: Option<f64>) -> Outcome {
        self.asked.push(config);
        self.bests.push(best);
        if self.unlaunchable.contains(&config) {
            return Outcome::Failed(Failure::Unlaunchable("too many registers".into()));
        }
        let mut outcome = self.outcome(self.times.get(&config).copied());
        if let Outcome::Timed(sample) = &mut outcome {
            sample.cut = self.cut.contains(&config);
        }
        outcome
    }

    fn finals(&mut self, configs: &[u64]) -> Vec<Outcome> {
        let time = |config| match self.finals.get(config) {
            Some(time) => *time,
            None => self.times.get(config).copied(),
        };
        let held = configs.iter().filter(|_| self.left() > 0.0);
        held.map(|config| self.outcome(time(config))).collect()
    }
}
