//! What the measuring side is at: at each instant one thing, so that what all of them cost adds up to the time that passes.

use bico_search::search::Costs;
use std::time::Instant;

/// What is being done: where its seconds go.
pub(super) type Doing = fn(&mut Costs) -> &mut f64;

pub(super) const COMPILING: Doing = |costs| &mut costs.compiling;
pub(super) const REFERENCES: Doing = |costs| &mut costs.references;
pub(super) const WAITING: Doing = |costs| &mut costs.waiting;
pub(super) const REST: Doing = |costs| &mut costs.rest;

/// The steps that a worker announces; it verifies in all others, which are named by their sizes.
pub(super) const LOAD: &str = "loading";
pub(super) const WARM_UP: &str = "warming up";
pub(super) const TIME: &str = "timing";
pub(super) const WAIT: &str = "waiting for the machine-wide lock";

/// What a worker is at that announced a step.
pub(super) fn at(step: &str) -> Doing {
    match step {
        LOAD => |costs| &mut costs.loading,
        WARM_UP => |costs| &mut costs.warming,
        TIME => |costs| &mut costs.timing,
        WAIT => WAITING,
        _ => |costs| &mut costs.verifying,
    }
}

/// Adds up.
pub(super) struct Clock {
    since: Instant,
    doing: Doing,
    costs: Costs,
}

impl Clock {
    pub(super) fn new() -> Clock {
        Clock {
            since: Instant::now(),
            doing: REST,
            costs: Costs::default(),
        }
    }

    /// From now on something else is done; gives what was done before.
    pub(super) fn turn(&mut self, doing: Doing) -> Doing {
        let now = Instant::now();
        *(self.doing)(&mut self.costs) += (now - self.since).as_secs_f64();
        self.since = now;
        std::mem::replace(&mut self.doing, doing)
    }

    /// What all cost since this was asked before.
    pub(super) fn take(&mut self) -> Costs {
        self.turn(self.doing);
        std::mem::take(&mut self.costs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn it_adds_up_to_what_passed() {
        let start = Instant::now();
        let mut clock = Clock::new();
        let pause = || std::thread::sleep(Duration::from_millis(2));
        pause();
        let before = clock.turn(COMPILING);
        pause();
        clock.turn(at(TIME));
        pause();
        clock.turn(at("n = 1"));
        clock.turn(before);
        let costs = clock.take();
        assert!(costs.rest >= 0.002 && costs.compiling >= 0.002 && costs.timing >= 0.002);
        assert!(costs.verifying < costs.timing && costs.total() <= start.elapsed().as_secs_f64());
        assert!(clock.take().total() < costs.total());
    }
}
