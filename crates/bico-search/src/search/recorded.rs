//! What a search that was cut had measured: read off its trail, and served to whoever goes on with it.
//!
//! The same seed and the same outcomes lead a strategy the same way, so the search asks for the same configs again. Each is
//! answered from the trail until it ends; what comes after that is measured.

use super::{Costs, Failure, Measure, Outcome, RowKind, Sample};
use bico_core::Lists;
use bico_core::device::Usage;
use bico_core::json::{self, Error, Fields, FromJson, Item};
use std::collections::HashMap;

/// The trials of a search that was cut.
#[derive(Debug, Default)]
pub struct Recorded(HashMap<u64, Trial>);

#[derive(Debug)]
struct Trial {
    kind: String,
    config: u64,
    spent: f64,
    outcome: Outcome,
    costs: Option<Costs>,
}

impl Recorded {
    /// Reads rows of a trail. The finals are held again, and so is what only a worker that could not be had has lost.
    /// Where nothing ran there is nothing to keep: what was wrong may have been mended outside of the kernel.
    pub fn read<T: AsRef<str>>(rows: &[T]) -> Recorded {
        let mut trials = HashMap::new();
        let others = [RowKind::Final.name(), RowKind::Judged.name()];
        for trial in rows.iter().filter_map(|row| json::read(row.as_ref()).ok()) {
            let Trial { kind, outcome, .. } = &trial;
            let is_lost = matches!(outcome, Outcome::Failed(Failure::Worker(_)));
            if !is_lost && !others.contains(&kind.as_str()) {
                trials.entry(trial.config).or_insert(trial);
            }
        }
        let ran = |trial: &Trial| trial.outcome.sample().is_some();
        if !trials.values().any(ran) {
            trials.clear();
        }
        Recorded(trials)
    }

    /// How many trials there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromJson for Trial {
    fn from_json(item: Item<'_>) -> Result<Trial, Error> {
        let mut row = item.fields("a row")?;
        Ok(Trial {
            kind: row.read("kind")?,
            config: row.read("config")?,
            spent: row.read("spent")?,
            costs: row.read_if_there("costs")?,
            outcome: match row.take_if_there("failure") {
                Some(kind) => {
                    let failure = Failure::named(kind.text()?, row.read("detail")?);
                    Outcome::Failed(failure.ok_or_else(|| kind.error("there is no such failure"))?)
                }
                None => timed(&mut row)?,
            },
        })
    }
}

/// The times of a row.
fn timed(row: &mut Fields<'_>) -> Result<Outcome, Error> {
    let (seconds, low, high) = (row.read("seconds")?, row.read("low")?, row.read("high")?);
    let mut sample = Sample::new(seconds, low, high, row.read("runs")?);
    sample.cut = row.read("cut")?;
    sample.confidence = row
        .read_if_there("confidence")?
        .unwrap_or(sample.confidence);
    sample.decile = row.read_if_there("decile")?.unwrap_or(seconds);
    sample.throttled = row.read_if_there("throttled")?.unwrap_or(false);
    sample.conditions = row.read_if_there("conditions")?;
    if let Some(caches) = row.read_if_there::<String>("caches")? {
        sample.caches = super::Caches::named(&caches);
    }
    Ok(match row.read_if_there("same_as")? {
        Some(first) => Outcome::Same(first, sample),
        None => Outcome::Timed(sample),
    })
}

/// A [`Measure`] that knows some outcomes.
pub struct Resumed<'a> {
    inner: &'a mut dyn Measure,
    recorded: Recorded,
    /// After a trial that was known: the seconds spent and what they went to, as its row says.
    known: Option<(f64, Option<Costs>)>,
    /// Seconds that were spent before, as seen by the measure's clock.
    before: f64,
}

impl<'a> Resumed<'a> {
    /// Asks `inner` for what is not recorded.
    pub fn new(inner: &'a mut dyn Measure, recorded: Recorded) -> Resumed<'a> {
        Resumed {
            inner,
            recorded,
            known: None,
            before: 0.0,
        }
    }

    /// From here on seconds pass again.
    fn go_on(&mut self) {
        if let Some((spent, _)) = self.known.take() {
            self.before = spent - self.inner.spent();
        }
    }
}

impl Measure for Resumed<'_> {
    fn spent(&self) -> f64 {
        let measured = self.before + self.inner.spent();
        self.known.map_or(measured, |(spent, _)| spent)
    }

    fn left(&self) -> f64 {
        self.inner.left()
    }

    fn announce(&mut self, upcoming: &[u64]) {
        let is_open = |config: &u64| !self.recorded.0.contains_key(config);
        let open = upcoming.iter().copied().filter(is_open);
        self.inner.announce(&open.collect_vec());
    }

    fn measure(&mut self, config: u64, best: Option<f64>) -> Outcome {
        if let Some(trial) = self.recorded.0.remove(&config)
            && let Some(outcome) = self.inner.recall(config, &trial.outcome, best)
        {
            // What it took to remember is no cost of the search.
            let own = self.inner.costs();
            self.known = Some((trial.spent, trial.costs.or(own)));
            return outcome;
        }
        self.go_on();
        self.inner.measure(config, best)
    }

    fn judged_anew(&mut self) -> Vec<(u64, Outcome)> {
        self.inner.judged_anew()
    }

    fn resources(&self, config: u64) -> Option<Usage> {
        self.inner.resources(config)
    }

    fn costs(&mut self) -> Option<Costs> {
        match &mut self.known {
            Some((_, costs)) => costs.take(),
            None => self.inner.costs(),
        }
    }

    fn finals(&mut self, configs: &[u64]) -> Vec<Outcome> {
        self.go_on();
        self.inner.finals(configs)
    }

    fn vouch(&mut self, config: u64) -> Result<(), Failure> {
        self.inner.vouch(config)
    }

    fn confirm(&mut self, config: u64) -> Result<bool, Failure> {
        self.go_on();
        self.inner.confirm(config)
    }
}
