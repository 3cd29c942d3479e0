//! The model of what was measured, corrected with every trial: `adaptive` and `ucb`.
//!
//! It opens with what is known beforehand: the winners of other devices, the top of the ranking, or
//! else configs that lie far apart. That other devices are alike is a bet ([`bet`]); where it is lost, the search begins
//! anew without them. Then it asks a Gaussian process over log time
//! ([`learn`](crate::search::learn)) for the next config, measures it, and learns from it; while doubt
//! is large it explores, later it refines around the best. `adaptive` takes the config
//! with the largest expected gain, for the seconds that it takes ([`price`]), `ucb` the one that may turn out best.

mod bet;
mod encode;
mod judged;
mod memory;
mod opening;
mod pool;
mod price;
mod target;
#[cfg(test)]
mod tests;

use super::{Proposal, Strategy, View};
use crate::search::learn::{Process, expected_gain};
use bet::{Bet, Step};
use bico_core::Lists;
use judged::{Judged, worth};
use memory::Memory;
use opening::BLIND;
use pool::Pool;
use price::Prices;
use std::collections::{BinaryHeap, HashSet, VecDeque};
use target::Targets;

/// What is likely to come after the next config is named so far ahead, so that it can be compiled. In replay the config after
/// the next is the first of them in 44 % of all cases and among the first two in 52 %. Measuring them without asking the model
/// in between costs 0.01 of the optimum after 20 evaluations.
const GUESSES: usize = 2;
/// The scales of the kernel are fitted anew when this much more was measured, with fewer trials than that, else [`REFIT_LATE`]:
/// of many they change little, and it takes long.
const REFIT: [(usize, f64); 2] = [(128, 1.1), (320, 1.25)];
const REFIT_LATE: f64 = 3.0;
/// In place of the second row of [`REFIT`] where a [`CROWD`] is under way.
const REFIT_CROWD: f64 = 2.0;
/// With so many under way a guess is wanted before anybody could have compiled it.
const CROWD: usize = 16;
/// The model's standard deviations count so many times as much where nothing is known beforehand: the scales are fitted to few
/// trials that lie close together, and taken for certain. And where others are under way: their doubt is taken as if their
/// values were known, and so the bounds are too narrow (Desautels, Krause and Burdick, "Parallelizing Exploration-Exploitation
/// Tradeoffs in Gaussian Process Bandit Optimization", 2014). In a [`CROWD`] it gains no more than chance does, and costs time.
const DOUBT: f64 = 2.0;
/// A config promises nothing when it is expected to gain less than this part of the time: an improvement counts from twice as
/// much on.
const WORTH: f64 = 0.0015;
/// So many such configs in a row, and another evaluation no longer pays.
const HOPELESS: u32 = 12;
/// But with fewer trials than this, or fewer that ran, what is expected is only a guess.
const LEAST_TRIALS: usize = 24;
const LEAST_RAN: usize = 8;

/// What decides among candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    /// The largest expected gain.
    Gain,
    /// The lowest confidence bound, at two standard deviations: what a candidate may turn out to be (Srinivas et al.,
    /// "Gaussian Process Optimization in the Bandit Setting", 2010).
    Bound,
}

/// Learns a model of log time and measures what it promises most of.
#[derive(Debug)]
pub(super) struct Adaptive {
    choice: Choice,
    seed: u64,
    state: Option<State>,
    /// What comes next.
    queue: VecDeque<Proposal>,
    /// After how many trials the model filled the queue: with the next one it is filled anew. The opening stays.
    chosen_after: Option<usize>,
    /// Chosen configs in a row that promised nothing.
    hopeless: u32,
    /// Where the bet on other devices was lost: what the search knows that began anew.
    memory: Option<Memory>,
    /// What was asked for: the engine measures more (the baseline).
    asked: HashSet<u64>,
}

#[derive(Debug)]
struct State {
    pool: Pool,
    process: Process,
    /// What was learned of compilers' seconds: what counts for them may not count for the times.
    compilers: Process,
    /// Where there are trials of other devices.
    bet: Option<Bet>,
}

impl Adaptive {
    pub(super) fn new(choice: Choice, seed: u64) -> Adaptive {
        Adaptive {
            choice,
            seed,
            state: None,
            queue: VecDeque::new(),
            chosen_after: None,
            hopeless: 0,
            memory: None,
            asked: HashSet::new(),
        }
    }

    /// Fills the queue: the opening, then what the model chooses, and so many guesses at what it will choose after that.
    fn plan(&mut self, view: &View<'_>, guesses: usize) {
        let state = match &mut self.state {
            Some(state) => state,
            none => {
                let (state, opening) = State::begin(view, self.seed);
                self.queue.extend(opening);
                none.insert(state)
            }
        };
        if !self.queue.is_empty() {
            return;
        }
        if let Some(bet) = &mut state.bet {
            match bet.next(view, self.hopeless == 0) {
                Step::Follow(next) => return self.queue.push_back(next),
                Step::Probe => self.queue.extend(state.pool.probe(view)),
                Step::Learn => {}
                Step::Lost => {
                    self.memory = Some(Memory::new(view, &self.asked));
                    (self.state, self.chosen_after, self.hopeless) = (None, None, 0);
                    return;
                }
            }
            if !self.queue.is_empty() {
                return;
            }
        }
        let targets = state.learn(view);
        state.pool.refill(view);
        // The hands that are free before enough has arrived to learn from go on with the opening, one config at a time.
        if view.trials.len() < BLIND && !view.pending.is_empty() {
            self.queue.extend(state.pool.open(view, 1));
            if !self.queue.is_empty() {
                return;
            }
        }
        let Some(targets) = targets else {
            // Nothing ran so far: what lies farthest from all that failed.
            let far = state.pool.spread(view, 1 + GUESSES, "far from what failed");
            return self.queue.extend(far);
        };
        let (chosen, promise) = state.choose(view, &targets, self.choice, 1 + guesses);
        let sure = view.trials.len() >= LEAST_TRIALS && targets.ran >= LEAST_RAN;
        // What is chosen for several hands at once says no more than the first of them.
        if self.chosen_after != Some(view.trials.len()) {
            self.hopeless = match sure && promise < WORTH {
                true => self.hopeless + 1,
                false => 0,
            };
        }
        self.queue.extend(chosen);
        self.chosen_after = Some(view.trials.len());
    }

    /// Fills the queue, unless what it holds still stands.
    fn refill(&mut self, view: &View<'_>, guesses: usize) {
        self.queue.retain(|next| view.is_open(next.config));
        if self
            .chosen_after
            .is_some_and(|then| view.trials.len() > then)
        {
            self.queue.clear();
            self.chosen_after = None;
        }
        if self.queue.is_empty() {
            self.plan(view, guesses);
        }
    }

    /// Fills the queue as a search does that knows of no other device: its trail is the one that it would have been,
    /// so that a lost bet costs as many evaluations as were spent on it.
    fn resume(&mut self, view: &View<'_>, mut memory: Memory, guesses: usize) -> Memory {
        memory.follow(view);
        loop {
            self.refill(&memory.view(view), guesses);
            // What was measured before costs nothing.
            let next = self.queue.front();
            if !next.is_some_and(|next| memory.recall(view, next.config)) {
                return memory;
            }
        }
    }
}

impl Strategy for Adaptive {
    fn name(&self) -> &'static str {
        match self.choice {
            Choice::Gain => "adaptive",
            Choice::Bound => "ucb",
        }
    }

    fn next(&mut self, view: &View<'_>, ahead: usize) -> Vec<Proposal> {
        // Who asks for more has the time for more: a quarter may be guessed.
        let guesses = match view.pending.len() < CROWD {
            true => GUESSES.max(ahead / 4).min(ahead.saturating_sub(1)),
            false => 0,
        };
        // What is chosen for several hands in a row is the same as what is chosen at once.
        let guesses = guesses.max(view.free.saturating_sub(1));
        if self.memory.is_none() {
            self.refill(view, guesses);
        }
        if let Some(memory) = self.memory.take() {
            self.memory = Some(self.resume(view, memory, guesses));
        }
        self.asked
            .extend(self.queue.front().map(|next| next.config));
        self.queue.iter().take(ahead).cloned().collect_vec()
    }

    fn is_done(&self) -> Option<bool> {
        // The queue holds a config that promised nothing: it need not be measured.
        Some(self.hopeless >= HOPELESS)
    }
}

impl State {
    fn begin(view: &View<'_>, seed: u64) -> (State, Vec<Proposal>) {
        let mut pool = Pool::new(view, seed);
        let winners = bet::winners(view);
        let bet = (!winners.is_empty()).then(Bet::new);
        let opening = match bet {
            Some(_) => winners,
            None => pool.begin(view),
        };
        let state = State {
            process: Process::new(&pool.table),
            compilers: Process::new(&pool.table),
            pool,
            bet,
        };
        (state, opening)
    }

    /// Takes in what was measured since the last time. `None` while nothing ran.
    fn learn(&mut self, view: &View<'_>) -> Option<Targets> {
        self.pool.follow(view);
        let targets = Targets::new(view, &self.pool, self.bet.is_some())?;
        let count = targets.places.len();
        let more = REFIT.iter().find(|(up_to, _)| count < *up_to);
        let more = match more {
            Some((_, more)) if count < REFIT[0].0 || view.pending.len() < CROWD => *more,
            Some(_) => REFIT_CROWD,
            None => REFIT_LATE,
        };
        let (places, values) = (&targets.places, &targets.values);
        self.process
            .follow(&self.pool.table, places, values, targets.belief, more);
        Some(targets)
    }

    /// The next config and guesses at those after it, `count` in all, and how much of the time the first is expected to gain.
    fn choose(
        &mut self,
        view: &View<'_>,
        targets: &Targets,
        choice: Choice,
        count: usize,
    ) -> (Vec<Proposal>, f64) {
        self.process.extend(&self.pool.table);
        let expected = self.process.expect(&targets.values, targets.belief);
        let others = (view.pending.len() + view.free).saturating_sub(1);
        let is_blind = self.bet.is_none() && self.pool.prediction.is_none();
        let doubt = match others {
            0 if !is_blind => 1.0,
            0..CROWD => DOUBT,
            _ => 1.0,
        };
        // Only there it was tried.
        let is_priced = is_blind && choice == Choice::Gain;
        let prices = is_priced.then(|| Prices::new(view, &self.pool, targets, &mut self.compilers));
        let prices = prices.flatten();
        let prices = prices.as_ref();
        let discount = |place: usize| prices.map_or(0.0, |of| of.discount(place));
        let table = &self.pool.table;
        let judged = |spread: f64, place: usize, beside: usize| {
            let mean = f64::from(expected.mean[place]) + targets.offset(place);
            let worth = match choice {
                Choice::Gain => worth(mean, doubt * spread, targets.best),
                Choice::Bound => -(mean - 2.0 * doubt * spread),
            };
            Judged {
                worth: worth - discount(place),
                place,
                mean,
                spread,
                beside,
            }
        };
        // What is under way is taken to come out as expected: that moves no mean, but takes the doubt around it.
        let pending = view.pending.iter();
        let pending = pending.filter_map(|config| self.pool.place(*config));
        self.process.assume_under_way(table, &pending.collect_vec());
        let open = self.pool.open_places(view);
        let open = open.map(|place| judged(self.process.most_spread(place, &expected), place, 0));
        let open: Vec<Judged> = open.collect_vec();
        // A search ends by what another config may gain, whatever that takes.
        let hope = prices.and_then(|of| of.dearest(&open)).map(|of| {
            let spread = self.process.spread(table, of.place, &expected);
            expected_gain(of.mean, spread, targets.best) * targets.scale
        });
        let mut heap = BinaryHeap::from(open);
        let mut chosen = Vec::new();
        let mut promise = 0.0;
        while chosen.len() < count
            && let Some(mut top) = heap.pop()
        {
            let assumed = self.process.assumed();
            if top.beside < assumed {
                let spread = self.process.spread(table, top.place, &expected);
                top = judged(spread, top.place, assumed);
                // Beside more that is assumed nothing is worth more: who is on top all the same is the best.
                if heap.peek().is_some_and(|next| *next > top) {
                    heap.push(top);
                    continue;
                }
            }
            let gain = expected_gain(top.mean, top.spread, targets.best) * targets.scale;
            if chosen.is_empty() {
                promise = hope.unwrap_or(gain);
            }
            let seconds = prices.map(|of| of.seconds(top.place));
            let why = targets.why(top.mean, top.spread, gain, seconds);
            chosen.push(self.pool.proposal(top.place, why));
            if chosen.len() < count {
                self.process.assume(table, top.place);
            }
        }
        self.process.forget_assumed();
        (chosen, promise)
    }
}
