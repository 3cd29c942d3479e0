//! Strategies over recordings, budgets and seeds.

use super::{Authored, Recording, Replay};
use crate::Error;
use bico_search::search::{
    Budget, Journal, Label, Observer, Prior, Row, Search, Trail, by_name, run,
};
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
    /// Whether trails are kept in the results.
    pub keep_trails: bool,
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
    /// The trail of the largest budget, where trails are kept.
    pub trail: Option<Trail>,
}

/// How far a search was at a budget.
#[derive(Debug, Clone, Copy, PartialEq)]
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
        for name in &self.strategies {
            by_name(name, 0)?;
        }
        let authored = Authored::new(subject.recording, subject.predicted.as_deref());
        let jobs: Vec<(&str, u64)> = self
            .strategies
            .iter()
            .flat_map(|name| (0..self.seeds).map(move |seed| (name.as_str(), seed)))
            .collect();
        let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        let work = || {
            while let Some(&(name, seed)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                let run = self.one(subject, &authored, name, seed);
                done.lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(run);
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.threads.clamp(1, jobs.len().max(1)) {
                scope.spawn(work);
            }
            work();
        });
        let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut runs = done.into_iter().collect::<Result<Vec<Run>, Error>>()?;
        let place = |run: &Run| {
            self.strategies
                .iter()
                .position(|name| *name == run.strategy)
        };
        runs.sort_by_key(|run: &Run| (place(run), run.seed));
        Ok(runs)
    }

    /// One strategy with one seed. The trail of the largest budget holds all smaller ones.
    fn one(
        &self,
        subject: &Subject<'_>,
        authored: &Authored<'_>,
        name: &str,
        seed: u64,
    ) -> Result<Run, Error> {
        let largest = self.budgets.iter().copied().max().unwrap_or(0);
        let mut curves = Vec::new();
        let mut found: Option<(Trail, Vec<f64>)> = None;
        for budget in &self.budgets {
            let (trail, times) = match found.take() {
                Some(known) => known,
                None => self.search(subject, authored, name, seed, largest)?,
            };
            curves.push(curve(subject.recording, &trail, &times, *budget));
            found = Some((trail, times));
        }
        let trail = found.map(|(trail, _)| trail).unwrap_or_default();
        Ok(Run {
            strategy: name.into(),
            seed,
            curve: curves,
            trail: self.keep_trails.then_some(trail),
        })
    }

    fn search(
        &self,
        subject: &Subject<'_>,
        authored: &Authored<'_>,
        name: &str,
        seed: u64,
        evaluations: u64,
    ) -> Result<(Trail, Vec<f64>), Error> {
        let budget = Budget {
            evaluations,
            seconds: f64::INFINITY,
            patience: self.patience,
        };
        let mut strategy = by_name(name, seed)?;
        let search = Search {
            baseline: self.baseline.then_some(0),
            priors: &subject.priors,
            ..Search::new(authored.configs, &authored.ranked, budget)
        };
        let mut clock = Clock {
            start: Instant::now(),
            times: Vec::new(),
        };
        let mut measure = Replay::new(subject.recording);
        let found = run(&search, &mut *strategy, &mut measure, &mut clock);
        if let Some(folder) = &self.trails {
            let file = format!("{name}-{seed}.jsonl");
            let path = folder.join(&subject.recording.name).join(file);
            write(&path, subject.recording, &search, &found.trail)
                .map_err(|error| format!("{}: cannot be written: {error}", path.display()))?;
        }
        Ok((found.trail, clock.times))
    }
}

fn write(
    path: &Path,
    recording: &Recording,
    search: &Search<'_>,
    trail: &Trail,
) -> std::io::Result<()> {
    let mut journal = Journal::create(path)?;
    journal.label = Label {
        problem: recording.kernel.clone(),
        device: recording.device.clone(),
    };
    journal.started(search);
    trail.rows.iter().for_each(|row| journal.row(row));
    match journal.error() {
        Some(error) => Err(std::io::Error::new(error.kind(), error.to_string())),
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
    let last = trail
        .trials()
        .take_while(|row| row.evaluation <= budget)
        .last();
    let Some(row) = last else {
        return Curve {
            fraction: 0.0,
            evaluations: 0,
            spent: 0.0,
            searching: 0.0,
        };
    };
    let optimum = recording.optimum().map(|(_, seconds)| seconds);
    let best = row.best.map(|best| best.seconds);
    Curve {
        fraction: optimum
            .zip(best)
            .map_or(0.0, |(optimum, best)| optimum / best),
        evaluations: row.evaluation,
        spent: row.spent,
        searching: times
            .get(row.evaluation as usize - 1)
            .copied()
            .unwrap_or(0.0),
    }
}
