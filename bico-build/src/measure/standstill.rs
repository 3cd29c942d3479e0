//! The time in which all workers that are at something wait for a lock. Nothing goes on then, so it is no part of a search's
//! seconds; as long as one of them measures, it is.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

#[derive(Default)]
pub(super) struct Standstill(Mutex<State>);

#[derive(Default)]
struct State {
    at_work: u32,
    waiting: u32,
    /// From when on all of them wait.
    since: Option<Instant>,
    passed: Duration,
}

impl Standstill {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// So far.
    pub(super) fn seconds(&self) -> f64 {
        let state = self.state();
        let now = state.since.map_or(Duration::ZERO, |since| since.elapsed());
        (state.passed + now).as_secs_f64()
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.state();
        change(&mut state);
        let since = state.since.take();
        state.passed += since.map_or(Duration::ZERO, |since| since.elapsed());
        state.since = (state.at_work > 0 && state.waiting == state.at_work).then(Instant::now);
    }
}

/// A worker that is at something, as long as this lives.
pub(super) struct AtWork<'a> {
    all: &'a Standstill,
    waits: bool,
}

impl<'a> AtWork<'a> {
    pub(super) fn new(all: &'a Standstill) -> AtWork<'a> {
        all.change(|state| state.at_work += 1);
        AtWork { all, waits: false }
    }

    /// It waits from now on, or no longer.
    pub(super) fn waits(&mut self, waits: bool) {
        if std::mem::replace(&mut self.waits, waits) != waits {
            self.all.change(|state| match waits {
                true => state.waiting += 1,
                false => state.waiting -= 1,
            });
        }
    }
}

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        self.waits(false);
        self.all.change(|state| state.at_work -= 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_counts_while_all_of_them_wait() {
        let all = Standstill::default();
        let rest = || std::thread::sleep(Duration::from_millis(5));
        let (mut one, mut other) = (AtWork::new(&all), AtWork::new(&all));
        rest();
        one.waits(true);
        rest();
        assert_eq!(all.seconds(), 0.0);
        other.waits(true);
        rest();
        let both = all.seconds();
        assert!(both >= 0.005);
        drop(one);
        rest();
        let last = all.seconds();
        assert!(last >= both + 0.005);
        drop(other);
        let end = all.seconds();
        rest();
        assert_eq!(all.seconds(), end);
    }
}
