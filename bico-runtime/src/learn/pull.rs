//! One call on its way, which may teach something.

use super::lane::Lane;
use std::time::Instant;

/// What serves one call. If it is timed, its time is awaited: dropped without, it is given up.
#[derive(Debug)]
#[must_use]
pub struct Pull {
    candidate: usize,
    turn: Option<Turn>,
    check: Option<usize>,
}

/// The part in learning that a call has.
#[derive(Debug, Clone, Copy)]
struct Turn {
    lane: &'static Lane,
    arm: usize,
    timed: bool,
    /// The natural logarithm of its work.
    work: f64,
}

impl Pull {
    /// Nothing to learn.
    pub(crate) fn plain(candidate: usize) -> Pull {
        Pull {
            candidate,
            turn: None,
            check: None,
        }
    }

    /// `check`: the candidate that its results are to be compared with.
    pub(super) fn new(
        lane: &'static Lane,
        served: super::shared::Served,
        check: Option<usize>,
    ) -> Pull {
        let turn = Some(Turn {
            lane,
            arm: served.arm,
            timed: served.timed,
            work: served.work,
        });
        Pull {
            candidate: served.candidate,
            turn,
            check,
        }
    }

    /// Which candidate serves.
    #[inline]
    pub fn candidate(&self) -> usize {
        self.candidate
    }

    /// Whether its time is wanted.
    #[inline]
    pub fn timed(&self) -> bool {
        self.turn.is_some_and(|turn| turn.timed)
    }

    /// Whether its call has a part in learning, timed or not.
    #[cfg(feature = "cuda")]
    pub(crate) fn learns(&self) -> bool {
        self.turn.is_some()
    }

    /// The candidate whose results its own are to be compared with, and that serves the call.
    #[inline]
    pub fn check(&self) -> Option<usize> {
        self.check
    }

    /// Its results were compared. It teaches nothing else.
    #[cold]
    pub fn checked(mut self, right: bool) {
        if let Some(turn) = self.turn.take() {
            turn.lane.checked(turn.arm, turn.timed, right);
        }
    }

    /// The time before the kernel, where it is wanted.
    #[inline]
    pub fn start(&self) -> Option<Instant> {
        self.timed().then(Instant::now)
    }

    /// The kernel has returned, and was started then.
    #[inline]
    pub fn stop(self, start: Option<Instant>) {
        if let Some(start) = start {
            self.took(start.elapsed().as_secs_f64());
        }
    }

    /// It took so many seconds.
    pub fn took(mut self, seconds: f64) {
        if let Some(turn) = self.turn.take().filter(|turn| turn.timed) {
            turn.lane.took(turn.arm, seconds, turn.work);
        }
    }

    /// Its candidate cannot be launched here, ever.
    #[cfg(any(test, feature = "cuda"))]
    pub(crate) fn failed(mut self) {
        if let Some(turn) = self.turn.take() {
            turn.lane.fail(turn.arm);
        }
    }
}

impl Drop for Pull {
    fn drop(&mut self) {
        if let Some(turn) = self.turn.take().filter(|turn| turn.timed) {
            turn.lane.lost(turn.arm);
        }
    }
}
