//! A closure as a [`Measure`], on one thread or on several.

use super::{Arrival, Configs, Failure, Measure, Outcome, Sample};
use bico_core::{Lists, Value};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, channel};
use std::thread::Scope;
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

/// Runs configs with these values in turns.
fn rounds(
    configs: &[Vec<Value>],
    run: &mut dyn FnMut(&[Value]) -> Result<f64, Failure>,
) -> Vec<Outcome> {
    let mut times: Vec<Result<Vec<f64>, Failure>> = vec![Ok(Vec::new()); configs.len()];
    for _ in 0..RUNS {
        for (values, times) in configs.iter().zip(&mut times) {
            if let Ok(known) = times {
                match run(values) {
                    Ok(seconds) => known.push(seconds),
                    Err(failure) => *times = Err(failure),
                }
            }
        }
    }
    let outcome = |times: Result<Vec<f64>, _>| times.map_or_else(Outcome::Failed, timed);
    times.into_iter().map(outcome).collect_vec()
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
        self.finals(&[config]).remove(0)
    }

    fn finals(&mut self, configs: &[u64]) -> Vec<Outcome> {
        let values = configs.iter().map(|config| self.configs.values(*config));
        rounds(&values.collect_vec(), &mut self.run)
    }
}

/// Measures up to `hands` configs at once, each on a thread of its own, by a closure as [`from_fn`]'s: for what runs
/// elsewhere, or is not disturbed by what runs beside it. The finals run alone, in turns.
///
/// ```
/// use bico_search::{Budget, Ranked, Search, Space, Value, by_name, on_threads, run};
///
/// let space = Space::parse("space(TILE in [8, 16, 32], UNROLL in 1..=8)")?;
/// // Asks whoever runs it elsewhere; here the seconds are made up.
/// let time = |config: &[Value]| match config {
///     [Value::Int(tile), Value::Int(unroll)] => Ok((tile - 16).abs() as f64 + 1.0 / *unroll as f64),
///     _ => unreachable!("two integers"),
/// };
/// let ranked = Ranked::blind(space.len());
/// let budget = Budget { evaluations: 20, ..Budget::default() };
/// let search = Search::new(&*space, &ranked, budget);
/// let mut strategy = by_name("adaptive", 0)?;
/// let found = std::thread::scope(|scope| {
///     let mut measure = on_threads(scope, 4, &*space, &time);
///     run(&search, &mut *strategy, &mut measure, &mut ())
/// });
/// assert_eq!(found.trail.rows[0].under_way, Some(4));
/// let winner = found.winner.expect("all configs have a time");
/// assert_eq!(space.config(winner.config)[0], Value::Int(16));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
///
/// The search panics where the closure does.
pub fn on_threads<'s, F>(
    scope: &'s Scope<'s, '_>,
    hands: usize,
    configs: &'s dyn Configs,
    run: &'s F,
) -> impl Measure + 's
where
    F: Fn(&[Value]) -> Result<f64, Failure> + Sync,
{
    let (done, arrivals) = channel();
    let begin = move |config, values: Vec<Value>| {
        let done = done.clone();
        scope.spawn(move || {
            let outcome = || rounds(&[values], &mut |values| run(values)).remove(0);
            // Whoever waits no more has no use for it.
            let _ = done.send((config, catch_unwind(AssertUnwindSafe(outcome))));
        });
    };
    OnThreads {
        hands,
        alone: from_fn(configs, run),
        begin,
        arrivals,
    }
}

struct OnThreads<'a, F, B> {
    hands: usize,
    alone: FromFn<'a, F>,
    begin: B,
    /// What the threads did, or why they panicked.
    arrivals: Receiver<(u64, std::thread::Result<Outcome>)>,
}

impl<F, B> Measure for OnThreads<'_, F, B>
where
    F: FnMut(&[Value]) -> Result<f64, Failure>,
    B: Fn(u64, Vec<Value>),
{
    fn spent(&self) -> f64 {
        self.alone.spent()
    }

    fn announce(&mut self, _: &[u64]) {}

    fn measure(&mut self, config: u64, best: Option<f64>) -> Outcome {
        self.alone.measure(config, best)
    }

    fn hands(&self) -> usize {
        self.hands
    }

    fn begin(&mut self, config: u64, _: Option<f64>) {
        (self.begin)(config, self.alone.configs.values(config));
    }

    fn arrival(&mut self) -> Arrival {
        let (config, outcome) = self.arrivals.recv().expect("the sender is in `begin`");
        Arrival {
            config,
            outcome: outcome.unwrap_or_else(|panic| resume_unwind(panic)),
            worker: None,
        }
    }

    fn finals(&mut self, configs: &[u64]) -> Vec<Outcome> {
        self.alone.finals(configs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ranked;
    use crate::search::{Budget, Search, by_name, run};
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

    #[test]
    fn a_panic_on_a_thread_ends_the_search() {
        let space = Space::parse("space(A in 1..=9)").unwrap();
        let (ranked, budget) = (Ranked::blind(9), Budget::default());
        let search = Search::new(&*space, &ranked, budget);
        let search = |run_one: &(dyn Fn(&[Value]) -> Result<f64, Failure> + Sync)| {
            std::thread::scope(|scope| {
                let mut measure = on_threads(scope, 3, &*space, &run_one);
                let mut strategy = by_name("random", 0).unwrap();
                run(&search, &mut *strategy, &mut measure, &mut ())
            })
        };
        let found = search(&|values| match values {
            [Value::Int(3)] => Err(Failure::Wrong("by 1".into())),
            [Value::Int(value)] => Ok(*value as f64),
            _ => unreachable!(),
        });
        assert_eq!(
            (found.trail.trials().count(), found.winner.unwrap().config),
            (9, 0)
        );
        let panic = std::panic::AssertUnwindSafe(|| search(&|_| panic!("of the closure")));
        assert!(std::panic::catch_unwind(panic).is_err());
    }
}
