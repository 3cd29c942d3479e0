//! Strategies over recordings, budgets and seeds.

use super::{Recording, Replay};
use crate::Error;
use bico_search::rank::Ranked;
use bico_search::search::{
    Budget, Journal, Label, Observer, Prior, Row, Search, Trail, by_name, run,
};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// What is run on each recording.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Names of strategies.
    pub strategies: Vec<String>,
    /// Evaluations, ascending.
    pub budgets: Vec<u64>,
    /// Seeds from 0.
    pub seeds: u64,
    /// Threads that share the runs; the results do not depend on it.
    pub threads: usize,
    /// As [`Budget::patience`].
    pub patience: Option<u64>,
    /// Whether config 0 is measured as the second one, as a build does.
    pub baseline: bool,
    /// How many configs are under way at once.
    pub hands: usize,
    /// A folder for the trails as JSON lines: `SPACE/STRATEGY-SEED.jsonl`.
    pub trails: Option<PathBuf>,
}

/// One recording with what is known before the search.
pub struct Subject<'a> {
    /// The recording.
    pub recording: &'a Recording,
    /// The seconds that its author's hints predict of each config, where there are any.
    pub predicted: Option<Vec<f64>>,
    /// What other devices say.
    pub priors: Vec<Prior>,
}

/// What one search reached.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The strategy.
    pub strategy: String,
    /// The seed.
    pub seed: u64,
    /// For each budget of the plan, how far the search was then.
    pub curve: Vec<Curve>,
    /// The trail of the largest budget.
    pub trail: Trail,
}

/// How far a search was at a budget.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Curve {
    /// The optimum's time over that of the best config found; 0 while nothing ran.
    pub fraction: f64,
    /// Evaluations done: less than the budget where the search ended before.
    pub evaluations: u64,
    /// Seconds that the evaluations took when they were recorded.
    pub spent: f64,
    /// Seconds that the search itself took.
    pub searching: f64,
}

impl Plan {
    /// Runs every strategy with every seed on one recording, sorted by strategy and seed.
    ///
    /// # Errors
    ///
    /// A strategy that does not exist, or a trail that cannot be written.
    pub fn run(&self, subject: &Subject<'_>) -> Result<Vec<Run>, Error> {
        let ranked = subject.recording.ranked(subject.predicted.as_deref());
        let seeds = |name| (0..self.seeds).map(move |seed| (name, seed));
        let jobs: Vec<(&String, u64)> = self.strategies.iter().flat_map(seeds).collect();
        let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        let work = || {
            loop {
                let job = next.fetch_add(1, Ordering::Relaxed);
                let Some((name, seed)) = jobs.get(job) else {
                    return;
                };
                let run = self.one(subject, &ranked, name, *seed);
                let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                done.push((job, run));
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.threads.clamp(1, jobs.len().max(1)) {
                scope.spawn(work);
            }
            work();
        });
        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.sort_by_key(|(job, _)| *job);
        done.into_iter().map(|(_, run)| run).collect()
    }

    /// One strategy with one seed. The trail of the largest budget holds all smaller ones.
    fn one(
        &self,
        subject: &Subject<'_>,
        ranked: &Ranked,
        name: &str,
        seed: u64,
    ) -> Result<Run, Error> {
        let recording = subject.recording;
        let budget = Budget {
            evaluations: self.budgets.iter().copied().max().unwrap_or(0),
            seconds: f64::INFINITY,
            patience: self.patience,
        };
        let mut strategy = by_name(name, seed)?;
        let search = Search {
            baseline: self.baseline.then_some(0),
            priors: &subject.priors,
            ..Search::new(&recording.configs, ranked, budget)
        };
        let mut clock = Clock {
            start: Instant::now(),
            times: Vec::new(),
        };
        let mut measure = Replay::new(recording, self.hands);
        let trail = run(&search, &mut *strategy, &mut measure, &mut clock).trail;
        if let Some(folder) = &self.trails {
            let file = format!("{name}-{seed}.jsonl");
            let path = folder.join(&recording.name).join(file);
            write(&path, recording, &search, &trail)
                .map_err(|error| format!("{}: cannot be written: {error}", path.display()))?;
        }
        let curve = |budget: &u64| curve(recording, &trail, &clock.times, *budget);
        Ok(Run {
            strategy: name.into(),
            seed,
            curve: self.budgets.iter().map(curve).collect(),
            trail,
        })
    }
}

fn write(path: &Path, recording: &Recording, search: &Search<'_>, trail: &Trail) -> io::Result<()> {
    let mut journal = Journal::create(path)?;
    journal.label = Label {
        problem: recording.kernel.clone(),
        device: recording.device.clone(),
    };
    journal.started(search);
    trail.rows.iter().for_each(|row| journal.row(row));
    match journal.error() {
        Some(error) => Err(io::Error::new(error.kind(), error.to_string())),
        None => Ok(()),
    }
}

/// Notes when each row was there.
struct Clock {
    start: Instant,
    times: Vec<f64>,
}

impl Observer for Clock {
    fn row(&mut self, _: &Row) {
        self.times.push(self.start.elapsed().as_secs_f64());
    }
}

fn curve(recording: &Recording, trail: &Trail, times: &[f64], budget: u64) -> Curve {
    let trials = trail.trials();
    let Some(row) = trials.take_while(|row| row.evaluation <= budget).last() else {
        return Curve::default();
    };
    let optimum = recording.optimum().map(|(_, seconds)| seconds);
    let fraction = optimum
        .zip(row.best)
        .map(|(optimum, best)| optimum / best.seconds);
    Curve {
        fraction: fraction.unwrap_or(0.0),
        evaluations: row.evaluation,
        spent: row.spent,
        searching: times[row.evaluation as usize - 1],
    }
}
