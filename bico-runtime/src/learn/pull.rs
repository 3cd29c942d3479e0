//! One call on its way, which may teach something.

use super::lane::Lane;
use super::shared::Served;
use std::time::Instant;

/// What serves one call. If it is timed, its time is awaited: dropped without, it is given up.
#[must_use]
pub struct Pull {
    served: Served,
    /// Where it may teach something, until it has.
    lane: Option<&'static Lane>,
    check: Option<usize>,
}

impl Pull {
    /// Nothing to learn.
    pub(crate) fn plain(candidate: usize) -> Pull {
        let served = Served {
            candidate,
            ..Served::default()
        };
        Pull {
            served,
            lane: None,
            check: None,
        }
    }

    /// `check`: the candidate that its results are to be compared with.
    pub(super) fn new(lane: &'static Lane, served: Served, check: Option<usize>) -> Pull {
        let lane = Some(lane);
        Pull {
            served,
            lane,
            check,
        }
    }

    /// Which candidate serves.
    #[inline]
    pub fn candidate(&self) -> usize {
        self.served.candidate
    }

    /// Whether its time is wanted.
    #[inline]
    pub fn timed(&self) -> bool {
        self.served.timed
    }

    /// Whether its call has a part in learning, timed or not.
    #[cfg(feature = "cuda")]
    pub(crate) fn learns(&self) -> bool {
        self.lane.is_some()
    }

    /// The candidate whose results its own are to be compared with, and that serves the call.
    #[inline]
    pub fn check(&self) -> Option<usize> {
        self.check
    }

    /// Its results were compared. It teaches nothing else.
    #[cold]
    pub fn checked(mut self, right: bool) {
        if let Some(lane) = self.lane.take() {
            lane.checked(&self.served, right);
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
        if let Some(lane) = self.lane.take()
            && self.timed()
        {
            lane.took(&self.served, seconds);
        }
    }

    /// Its candidate cannot be launched here, ever.
    #[cfg(any(test, feature = "cuda"))]
    pub(crate) fn failed(mut self) {
        if let Some(lane) = self.lane.take() {
            lane.fail(self.served.arm);
        }
    }
}

impl Drop for Pull {
    fn drop(&mut self) {
        if let Some(lane) = self.lane.take() {
            lane.give_up(&self.served);
        }
    }
}
