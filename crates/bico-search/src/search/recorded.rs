//! What a search that was cut had measured: read off its trail, and served to whoever goes on with it.
//!
//! The same seed and the same outcomes lead a strategy the same way, so the search asks for the same configs again. Each is
//! answered from the trail until it ends; what comes after that is measured. Where several were under way at once, they
//! arrive in the order of the rows, and as many are under way as each row says: so the strategy sees what it saw.

use super::{Arrival, Costs, Failure, Measure, Outcome, RowKind, Sample};
use bico_core::Lists;
use bico_core::device::Usage;
use bico_core::json::{self, Error, Fields, FromJson, Item};
use std::collections::{HashMap, VecDeque};

/// Nobody has more hands: a trail that says so is damaged.
const MOST_UNDER_WAY: u64 = 1024;

/// The trials of a search that was cut.
#[derive(Debug, Default)]
pub struct Recorded {
    trials: HashMap<u64, Trial>,
    /// The configs in the order in which they arrived, lost ones too, and how many were under way then.
    order: VecDeque<(u64, usize)>,
}

#[derive(Debug)]
struct Trial {
    kind: String,
    config: u64,
    spent: f64,
    outcome: Outcome,
    costs: Option<Costs>,
    compiler: Option<f64>,
    worker: Option<String>,
    under_way: u64,
}

impl Recorded {
    /// Reads rows of a trail. The finals are held again, and so is what only a worker that could not be had has lost.
    /// Where nothing ran there is nothing to keep: what was wrong may have been mended outside of the kernel.
    pub fn read<T: AsRef<str>>(rows: &[T]) -> Recorded {
        let (mut trials, mut order) = (HashMap::new(), VecDeque::new());
        let others = [RowKind::Final.name(), RowKind::Judged.name()];
        for trial in rows.iter().filter_map(|row| json::read(row.as_ref()).ok()) {
            let Trial { kind, outcome, .. } = &trial;
            let is_lost = matches!(outcome, Outcome::Failed(Failure::Worker(_)));
            if others.contains(&kind.as_str()) || trials.contains_key(&trial.config) {
                continue;
            }
            let under_way = trial.under_way.clamp(1, MOST_UNDER_WAY) as usize;
            order.push_back((trial.config, under_way));
            if !is_lost {
                trials.insert(trial.config, trial);
            }
        }
        let ran = |trial: &Trial| trial.outcome.sample().is_some();
        if !trials.values().any(ran) {
            trials.clear();
            order.clear();
        }
        Recorded { trials, order }
    }

    /// How many trials there are.
    pub fn len(&self) -> usize {
        self.trials.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.trials.is_empty()
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
            compiler: row.read_if_there("compiler")?,
            worker: row.read_if_there("worker")?,
            under_way: row.read_if_there("under_way")?.unwrap_or(1),
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
    /// After a trial that was known: the seconds spent, what they went to, and what its compiler took, as its row says.
    known: Option<(f64, Option<Costs>, Option<f64>)>,
    /// Seconds that were spent before, as seen by the measure's clock.
    before: f64,
    /// What was begun and has not arrived.
    begun: Vec<Begun>,
    /// Whether the measure ever had more than one hand.
    has_many: bool,
}

/// A config that was begun.
struct Begun {
    config: u64,
    /// The best then.
    best: Option<f64>,
    /// Whether the measure is at it, or it waits: for what is recorded before it, or for a hand.
    is_measured: bool,
    /// Whether it had arrived when the trail was written, and has to be measured again.
    is_lost: bool,
}

impl<'a> Resumed<'a> {
    /// Asks `inner` for what is not recorded.
    pub fn new(inner: &'a mut dyn Measure, recorded: Recorded) -> Resumed<'a> {
        Resumed {
            inner,
            recorded,
            known: None,
            before: 0.0,
            begun: Vec::new(),
            has_many: false,
        }
    }

    /// From here on seconds pass again.
    fn go_on(&mut self) {
        if let Some((spent, ..)) = self.known.take() {
            self.before = spent - self.inner.spent();
        }
    }

    /// Which of those begun arrives next by the trail.
    fn known(&mut self) -> Option<usize> {
        let Resumed {
            recorded, begun, ..
        } = self;
        while let Some((next, _)) = recorded.order.front() {
            let Some(at) = begun.iter().position(|one| one.config == *next) else {
                // The search went another way.
                recorded.order.clear();
                break;
            };
            recorded.order.pop_front();
            if recorded.trials.contains_key(&begun[at].config) {
                return Some(at);
            }
            begun[at].is_lost = true;
        }
        let is_known = |one: &Begun| recorded.trials.contains_key(&one.config);
        begun.iter().position(is_known)
    }

    /// Sets the measure's free hands to work on what waits.
    fn occupy(&mut self) {
        let hands = self.inner.hands();
        self.has_many |= hands > 1;
        if !self.has_many || !self.recorded.order.is_empty() {
            return;
        }
        let busy = self.begun.iter().filter(|one| one.is_measured).count();
        let free = hands.max(1).saturating_sub(busy);
        let is_open =
            |one: &&mut Begun| !one.is_measured && !self.recorded.trials.contains_key(&one.config);
        let mut open: Vec<&mut Begun> = self.begun.iter_mut().filter(is_open).collect_vec();
        open.truncate(free);
        if let Some((spent, ..)) = self.known.take_if(|_| !open.is_empty()) {
            self.before = spent - self.inner.spent();
        }
        for one in open {
            self.inner.begin(one.config, one.best);
            one.is_measured = true;
        }
    }
}

impl Measure for Resumed<'_> {
    fn spent(&self) -> f64 {
        let measured = self.before + self.inner.spent();
        self.known.map_or(measured, |(spent, ..)| spent)
    }

    fn left(&self) -> f64 {
        self.inner.left()
    }

    fn announce(&mut self, upcoming: &[u64]) {
        let is_open = |config: &u64| !self.recorded.trials.contains_key(config);
        let open = upcoming.iter().copied().filter(is_open);
        self.inner.announce(&open.collect_vec());
    }

    fn measure(&mut self, config: u64, best: Option<f64>) -> Outcome {
        self.measure_alone(config, best).outcome
    }

    fn measure_alone(&mut self, config: u64, best: Option<f64>) -> Arrival {
        self.begin(config, best);
        self.arrival()
    }

    fn hands(&self) -> usize {
        match self.recorded.order.front() {
            Some((_, under_way)) => under_way + self.begun.iter().filter(|one| one.is_lost).count(),
            None => self.inner.hands(),
        }
    }

    fn has_arrival(&mut self) -> bool {
        self.recorded.order.is_empty() && self.inner.has_arrival()
    }

    fn begin(&mut self, config: u64, best: Option<f64>) {
        self.begun.push(Begun {
            config,
            best,
            is_measured: false,
            is_lost: false,
        });
        self.occupy();
    }

    fn arrival(&mut self) -> Arrival {
        while let Some(at) = self.known() {
            let (config, best) = (self.begun[at].config, self.begun[at].best);
            let Some(trial) = self.recorded.trials.remove(&config) else {
                break;
            };
            let Some(outcome) = self.inner.recall(config, &trial.outcome, best) else {
                self.begun[at].is_lost = true;
                continue;
            };
            self.begun.remove(at);
            // What it took to remember is no cost of the search.
            let own = self.inner.costs();
            self.known = Some((trial.spent, trial.costs.or(own), trial.compiler));
            return Arrival {
                config,
                outcome,
                worker: trial.worker,
            };
        }
        self.occupy();
        self.go_on();
        if !self.has_many {
            // As long as there is one hand, one after the other.
            let Begun { config, best, .. } = self.begun.remove(0);
            return self.inner.measure_alone(config, best);
        }
        let arrival = self.inner.arrival();
        self.begun.retain(|one| one.config != arrival.config);
        arrival
    }

    fn withdraw(&mut self) -> Vec<u64> {
        let back = self.inner.withdraw();
        self.begun.retain(|one| !back.contains(&one.config));
        back
    }

    fn judged_anew(&mut self) -> Vec<(u64, Outcome)> {
        self.inner.judged_anew()
    }

    fn resources(&self, config: u64) -> Option<Usage> {
        self.inner.resources(config)
    }

    fn costs(&mut self) -> Option<Costs> {
        match &mut self.known {
            Some((_, costs, _)) => costs.take(),
            None => self.inner.costs(),
        }
    }

    fn compiler(&self, config: u64) -> Option<f64> {
        match self.known {
            Some((.., compiler)) => compiler,
            None => self.inner.compiler(config),
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
