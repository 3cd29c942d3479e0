//! Searches of small made-up spaces, for tests.

#![allow(missing_docs)] // for tests

use super::Scale;
use crate::rank::{Kind, Ranked};
use crate::search::{
    Budget, Configs, Failure, Found, Measure, Outcome, Sample, Search, by_name, run,
};
use crate::space::{Space, fixture};
use bico_core::Value;
use bico_syntax::bind::SpaceError;
#[cfg(test)]
use proptest::prelude::Strategy;

/// Configs whose one parameter is their number.
pub struct Numbers {
    len: u64,
    names: Vec<String>,
}

impl Numbers {
    pub fn new(len: u64) -> Numbers {
        Numbers {
            len,
            names: vec!["N".into()],
        }
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

/// Times as told, with an interval of this share to each side; what has no time fails.
pub struct Device {
    times: Vec<Option<f64>>,
    noise: f64,
    spent: f64,
}

impl Device {
    pub fn new(times: &[Option<f64>], noise: f64) -> Device {
        Device {
            times: times.to_vec(),
            noise,
            spent: 0.0,
        }
    }
}

impl Measure for Device {
    fn spent(&self) -> f64 {
        self.spent
    }

    fn announce(&mut self, _: &[u64]) {}

    fn measure(&mut self, config: u64, _: Option<f64>) -> Outcome {
        self.spent += 1.0;
        match self.times[config as usize] {
            Some(seconds) => Outcome::Timed(Sample::new(
                seconds,
                seconds * (1.0 - self.noise),
                seconds * (1.0 + self.noise),
                9,
            )),
            None => Outcome::Failed(Failure::Crash("SIGSEGV".into())),
        }
    }

    fn finals(&mut self, configs: &[u64]) -> Vec<Outcome> {
        configs
            .iter()
            .map(|config| self.measure(*config, None))
            .collect()
    }
}

/// A ranking that prefers small numbers.
pub fn ranked(len: u64) -> Ranked {
    let predicted = (0..len).map(|config| config as f64).collect();
    Ranked::new((0..len).collect(), predicted, Kind::Seconds)
}

pub fn strategy(name: &str) -> Box<dyn crate::search::Strategy> {
    by_name(name, 3).expect("a strategy's name")
}

/// Searches the whole space of a device within so many evaluations.
pub fn search(name: &str, evaluations: u64, device: &mut Device) -> Found {
    let len = device.times.len() as u64;
    let (configs, ranked) = (Numbers::new(len), ranked(len));
    let budget = Budget {
        evaluations,
        seconds: f64::INFINITY,
        patience: None,
    };
    run(
        &Search::new(&configs, &ranked, budget),
        &mut *strategy(name),
        device,
        &mut (),
    )
}

/// Times of a small space; some configs fail.
#[cfg(test)]
pub(crate) fn any_space() -> impl Strategy<Value = Vec<Option<f64>>> {
    proptest::collection::vec(proptest::option::weighted(0.8, 0.1f64..10.0), 1..24)
}

/// The scale of a tunable with these options.
pub fn scale_of(options: &str) -> Result<Option<Scale>, SpaceError> {
    let bound = fixture::bound(fixture::spec(options))?;
    let space = Space::new(&bound)?;
    Scale::new(&bound, &*space)
}
