//! A closure as a [`Measure`].

use super::{Configs, Failure, Measure, Outcome, Sample};
use bico_core::{Lists, Value};
use std::time::Instant;

/// How often a config is run. The median of the times lies between the lowest and the highest of six with a probability
/// of 1 - 2 / 2^6, which is 97 %.
const RUNS: u32 = 6;

/// Measures a config by a closure that runs what is tuned with these values, one for each parameter, and returns the
/// seconds of that run: it knows best what belongs to them. It is called six times for a config.
///
/// See the [crate's page](crate) for an example.
pub fn from_fn<F>(configs: &dyn Configs, run: F) -> FromFn<'_, F>
where
    F: FnMut(&[Value]) -> Result<f64, Failure>,
{
    FromFn {
        configs,
        run,
        begin: Instant::now(),
    }
}

/// What [`from_fn`] makes of a closure.
pub struct FromFn<'a, F> {
    configs: &'a dyn Configs,
    run: F,
    begin: Instant,
}

impl<F: FnMut(&[Value]) -> Result<f64, Failure>> FromFn<'_, F> {
    /// Runs these configs in turns.
    fn rounds(&mut self, configs: &[u64]) -> Vec<Outcome> {
        let values: Vec<_> = configs
            .iter()
            .map(|c| self.configs.values(*c))
            .collect_vec();
        let mut times: Vec<Result<Vec<f64>, Failure>> = vec![Ok(Vec::new()); configs.len()];
        for _ in 0..RUNS {
            for (values, times) in values.iter().zip(&mut times) {
                if let Ok(known) = times {
                    match (self.run)(values) {
                        Ok(seconds) => known.push(seconds),
                        Err(failure) => *times = Err(failure),
                    }
                }
            }
        }
        let outcome = |times: Result<Vec<f64>, _>| times.map_or_else(Outcome::Failed, timed);
        times.into_iter().map(outcome).collect_vec()
    }
}

/// The median, between the lowest and the highest.
fn timed(mut times: Vec<f64>) -> Outcome {
    times.sort_unstable_by(f64::total_cmp);
    match (times.first(), times.get(times.len() / 2), times.last()) {
        (Some(&low), Some(&seconds), Some(&high)) if low >= 0.0 && high.is_finite() => {
            Outcome::Timed(Sample::new(seconds, low, high, RUNS))
        }
        _ => Outcome::Failed(Failure::Worker("a time is no number of seconds".into())),
    }
}

impl<F: FnMut(&[Value]) -> Result<f64, Failure>> Measure for FromFn<'_, F> {
    fn spent(&self) -> f64 {
        self.begin.elapsed().as_secs_f64()
    }

    fn announce(&mut self, _: &[u64]) {}

    fn measure(&mut self, config: u64, _: Option<f64>) -> Outcome {
        self.rounds(&[config]).remove(0)
    }

    fn finals(&mut self, configs: &[u64]) -> Vec<Outcome> {
        self.rounds(configs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::Space;

    #[test]
    fn configs_run_in_turns_and_failures_stay() {
        let space = Space::parse("space(A in [1, 2, 3])").unwrap();
        let mut asked = Vec::new();
        let mut measure = from_fn(&*space, |values| {
            asked.push(values[0]);
            match values[0] {
                Value::Int(2) => Err(Failure::Wrong("by 1".into())),
                Value::Int(3) => Ok(f64::NAN),
                _ => Ok(asked.len() as f64),
            }
        });
        let outcomes = measure.finals(&[0, 1, 2]);
        // A second config that fails at once, a third one that runs on: 1, 4, 6, 8, 10, 12.
        let sample = outcomes[0].sample().unwrap();
        assert_eq!((sample.low, sample.seconds, sample.high), (1.0, 8.0, 12.0));
        assert_eq!(outcomes[1], Outcome::Failed(Failure::Wrong("by 1".into())));
        assert!(matches!(outcomes[2], Outcome::Failed(Failure::Worker(_))));
        assert_eq!(asked.len(), 13);
    }
}
