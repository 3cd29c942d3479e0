//! Several workers at once: what each of them is at, and what came of it.

use super::KernelMeasure;
use super::ahead::Ahead;
use super::alike::Yardstick;
use super::ready::Ready;
use crate::compile::Hash;
use crate::measure::client::Ended;
pub(super) use crate::measure::pool::Pool;
use crate::measure::pool::{Event, State, Task};
use crate::measure::protocol::{Check, Reply, Request, Timing, Tried};
use bico_search::search::{Arrival, Costs, Failure, Outcome};
use std::collections::VecDeque;
use std::time::Duration;

/// What workers are at.
#[derive(Default)]
pub(super) struct Hands {
    /// Which worker tries which config.
    pub(super) underway: Vec<(usize, Way)>,
    /// What workers are to try next, which have it already.
    pub(super) ahead: Vec<Ahead>,
    /// To be tried by another worker than this one.
    pub(super) again: Vec<(usize, Way)>,
    /// Configs whose code another one has that is under way.
    twins: Vec<(u64, Hash)>,
    /// Known, and not told yet.
    arrived: VecDeque<(Arrival, Option<Costs>)>,
    /// Whether the reference was asked at sizes of configs that come later.
    pub(super) brought: bool,
    /// The config that all measure, to see whether they are alike.
    pub(super) yardstick: Option<Yardstick>,
    /// What its seconds went to whose outcome was told last.
    pub(super) costs: Option<Costs>,
}

/// A config that is being tried.
pub(super) struct Way {
    config: u64,
    ready: Ready,
    checks: Vec<Check>,
    timing: Timing,
    /// How many opinions there were when it began.
    opinions: usize,
    /// The worker that failed with it, and how.
    failed: Option<(usize, String)>,
}

impl KernelMeasure<'_> {
    /// Starts the workers, where there are several, and waits for the first one.
    ///
    /// # Errors
    ///
    /// None of them could be had.
    pub fn gather(&mut self) -> Result<(), String> {
        if self.settings.workers.len() < 2 {
            return Ok(());
        }
        self.pool = Some(Pool::new(std::mem::take(&mut self.settings.workers)));
        let first = |measure: &Self| measure.pool.as_ref()?.free(|_, _| true);
        while first(self).is_none() {
            if !self.hear_event(Duration::MAX) {
                let lost = self.lost_workers().join("\n  = note: ");
                return Err(format!("no worker could be had\n  = note: {lost}"));
            }
        }
        self.seat(first(self));
        Ok(())
    }

    /// What is to be said of workers that were lost.
    pub fn lost_workers(&self) -> Vec<String> {
        self.pool.as_ref().map_or_else(Vec::new, Pool::lost)
    }

    /// Whether all workers of several are gone: none is on its way either.
    pub fn is_deserted(&self) -> bool {
        self.pool.as_ref().is_some_and(Pool::is_deserted)
    }

    /// Seconds in which all that were at something waited.
    pub(super) fn stood_still(&self) -> f64 {
        self.pool.as_ref().map_or(0.0, |of| of.standstill.seconds())
    }

    pub(super) fn hands_at_work(&self) -> usize {
        let Some(pool) = &self.pool else {
            return self.depth();
        };
        let equal = pool.hands.iter().filter(|hand| hand.state == State::Equal);
        equal.count().max(1) + self.most_ahead()
    }

    /// Begins to try a config.
    pub(super) fn set_to_work(&mut self, config: u64, best: Option<f64>) {
        if self.pool.is_none() {
            return self.begun.push(config, best);
        }
        self.begin_clock();
        while self.hear_event(Duration::ZERO) {}
        let ready = match self.make_ready(config) {
            Ok(ready) => ready,
            Err(failure) => return self.arrive(config, Err(failure), None),
        };
        let is_other = |of: &&(u64, _)| of.0 != config;
        if self.hands.holds(ready.identity) {
            return self.hands.twins.push((config, ready.identity));
        }
        if self.seen.get(&ready.identity).filter(is_other).is_some() {
            return self.arrive(config, Ok(()), None);
        }
        let Some(hand) = self.next_free() else {
            let why = format!("no worker is left: {}", self.lost_workers().join("; "));
            return self.arrive(config, Err(Failure::Worker(why)), None);
        };
        let mut checks = ready.checks.to_vec();
        let timing = self.usual(&mut checks, best);
        self.give(
            hand,
            Way {
                config,
                ready,
                checks,
                timing,
                opinions: 0,
                failed: None,
            },
        );
    }

    /// A worker that is free for the next config, waited for; `None` where all are gone.
    fn next_free(&mut self) -> Option<usize> {
        loop {
            self.seat(None);
            let pool = self.pool.as_ref()?;
            let equal = pool.free(|_, hand| hand.state == State::Equal);
            // Before there is something to compare them by, one after the other.
            let first = || pool.free(|_, _| self.hands.yardstick.is_none());
            let far = || self.next_far(pool);
            if let Some(hand) = equal.or_else(first).or_else(far) {
                return Some(hand);
            }
            if !self.hear_event(Duration::MAX) {
                return None;
            }
        }
    }

    pub(super) fn give(&mut self, hand: usize, mut way: Way) {
        self.seat(Some(hand));
        way.opinions = self.consensus.opinions();
        let kernel = way.ready.kernel.clone();
        let request = self.trial_of(way.config, kernel, &mut way.checks, Some(way.timing));
        if self
            .pool
            .as_ref()
            .is_some_and(|pool| pool.seated != Some(hand))
        {
            return self.send_ahead(hand, way, request);
        }
        self.hands.underway.push((hand, way));
        self.have_asked(hand, request);
    }

    pub(super) fn have_asked(&mut self, hand: usize, request: Request) {
        let pausing = self.is_asked().then(|| self.service.pausing());
        let hang = self.settings.hang_seconds;
        self.seat(None);
        if let Some(pool) = &mut self.pool {
            pool.ask(hand, Task::Ask(request), hang, pausing);
        }
    }

    /// Whether that is known already of one.
    pub(super) fn has_something_arrived(&mut self) -> bool {
        while self.hear_event(Duration::ZERO) {}
        !self.hands.arrived.is_empty()
    }

    /// Waits for what came of a config.
    pub(super) fn next_arrival(&mut self) -> Arrival {
        if self.pool.is_none() {
            return self.measure_begun();
        }
        loop {
            if let Some((arrival, costs)) = self.hands.arrived.pop_front() {
                self.hands.costs = costs;
                return arrival;
            }
            if !self.hear_event(Duration::MAX) {
                // Nobody is left who could say anything.
                let lost = self.hands.underway.pop().or_else(|| self.hands.again.pop());
                let config = match lost {
                    Some((_, way)) => way.config,
                    None => self.hands.ahead.pop().map_or(0, |of| of.way.config),
                };
                let failure = Failure::Worker("no worker is left".into());
                self.arrive(config, Err(failure), None);
            }
        }
    }

    /// Hears what a worker says within this time; false if nobody said anything.
    pub(super) fn hear_event(&mut self, most: Duration) -> bool {
        self.seat(None);
        let event = self.pool.as_mut().and_then(|pool| pool.event(most));
        let Some(event) = event else {
            return false;
        };
        // Others measured meanwhile: that is no cost of this thread's.
        self.clock.take();
        self.contention.measurements += event.locked[0] + event.locked[1];
        self.contention.unlocked += event.locked[1];
        let underway = self.hands.underway.iter();
        let who = event.hand;
        let at = underway.map(|(hand, _)| *hand).position(|hand| hand == who);
        let way = at.map(|at| self.hands.underway.swap_remove(at));
        // Whatever this was, it is at what it has next by now.
        self.go_on(who, &event);
        match way {
            Some((hand, way)) => self.hear_of(hand, way, event),
            None => self.hear_of_worker(event),
        }
        self.seat(None);
        if let Some(pool) = &mut self.pool {
            pool.revive(who);
        }
        self.compare();
        self.look_at_new();
        self.try_again();
        true
    }

    /// What a worker is, or what it says of the config that all measure.
    fn hear_of_worker(&mut self, event: Event) {
        let Some(pool) = &mut self.pool else {
            return;
        };
        let hand = &mut pool.hands[event.hand];
        match event.answer {
            Ok(Reply::Tried(Ok(Tried {
                times: Some(times), ..
            }))) => {
                hand.compared = Some(times.sample);
                hand.looks += 1;
            }
            Ok(Reply::Loud) if hand.state == State::Returning => hand.state = State::Equal,
            Ok(Reply::Loud) => hand.state = State::New,
            Ok(other) => {
                let why = format!("it fails with a config that others measured: {other:?}");
                pool.blame(event.hand, &why, true);
            }
            Err(ended) => {
                let is_first = hand.state == State::Starting;
                if hand.state == State::Returning {
                    hand.state = State::Equal;
                }
                pool.blame(event.hand, &ended.to_string(), is_first);
            }
        }
    }

    /// What came of a config that a worker tried.
    fn hear_of(&mut self, hand: usize, mut way: Way, event: Event) {
        let Some(pool) = &mut self.pool else {
            return;
        };
        let reply = match event.answer {
            Ok(reply @ Reply::Tried(_)) => {
                pool.hands[hand].faults = 0;
                // It was the other one's fault.
                if let Some((before, why)) = way.failed.take() {
                    pool.blame(before, &why, false);
                }
                reply
            }
            answer => {
                let ended = answer.err();
                let ended =
                    ended.unwrap_or_else(|| Ended::Broken("it answered something else".into()));
                let is_broken = matches!(ended, Ended::Broken(_)) && !ended.is_decided();
                if is_broken {
                    pool.blame(hand, &ended.to_string(), false);
                }
                // One that breaks down whatever it is asked tells nothing of the config.
                let is_same = |(before, _): &(usize, String)| is_broken && *before == hand;
                let again = way.failed.as_ref().is_none_or(is_same) && !pool.is_deserted();
                if again && !ended.is_decided() {
                    way.failed = Some((hand, ended.to_string()));
                    self.hands.again.push((hand, way));
                    return;
                }
                return self.conclude(hand, way, Err(ended.into()), event.costs);
            }
        };
        self.seat(Some(hand));
        let mut checks = std::mem::take(&mut way.checks);
        let is_new = matches!(&reply, Reply::Tried(Ok(tried)) if tried.opinion.is_none());
        // Another one may have been of the same opinion meanwhile.
        let result = match reply {
            Reply::Tried(Ok(tried)) if is_new && self.consensus.opinions() > way.opinions => {
                tried.times.iter().for_each(|times| self.note(times));
                let kernel = way.ready.kernel.clone();
                let agreed = self.trial(way.config, kernel, checks, None);
                agreed.map(|_| tried.times)
            }
            reply => self.tried(way.config, &mut checks, reply),
        };
        let result = self.keep(way.config, way.ready.identity, &way.timing, result);
        self.conclude(hand, way, result, event.costs);
    }

    fn conclude(&mut self, hand: usize, way: Way, result: Result<(), Failure>, costs: Costs) {
        let (config, identity) = (way.config, way.ready.identity);
        self.arrive(config, result, Some((hand, costs)));
        let twins = std::mem::take(&mut self.hands.twins);
        let (now, later) = twins.into_iter().partition(|(_, of)| *of == identity);
        self.hands.twins = later;
        let now: Vec<(u64, Hash)> = now;
        for (twin, _) in now {
            self.arrive(twin, Ok(()), None);
        }
        self.mark(config, hand);
    }

    fn arrive(&mut self, config: u64, result: Result<(), Failure>, by: Option<(usize, Costs)>) {
        let outcome = match result {
            Ok(()) => self.tell(config),
            Err(failure) => Outcome::Failed(failure),
        };
        let name = |hand: usize| Some(self.pool.as_ref()?.hands[hand].name.clone());
        let worker = by.as_ref().and_then(|(hand, _)| name(*hand));
        let arrival = Arrival {
            config,
            outcome,
            worker,
        };
        let costs = by.map(|(_, costs)| costs);
        self.hands.arrived.push_back((arrival, costs));
    }
}

impl Hands {
    /// Whether code is being tried.
    fn holds(&self, identity: Hash) -> bool {
        let ahead = self.ahead.iter().map(|of| &of.way);
        let all = self.underway.iter().chain(&self.again);
        let mut all = all.map(|(_, way)| way).chain(ahead);
        all.any(|way| way.ready.identity == identity)
    }
}
