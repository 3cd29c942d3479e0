//! The buckets of one tunable on one device: a table that only grows, so that reading it takes no lock.

use super::bandit::Summary;
use super::bucket::{Bucket, hash};
use super::lane::{Known, Lane};
use crate::dispatch::Tunable;
use crate::target::Target;
use std::sync::{Mutex, OnceLock, PoisonError};

const BITS: u32 = 8;
/// Buckets at most; sizes beyond share the nearest one. Some integer arguments are no sizes, but seeds or offsets.
const LANES: usize = 1 << BITS;

/// What is learned of one tunable on one device.
pub struct Board {
    /// By [`hash`], and where that place is taken, the next.
    lanes: OnceLock<Box<[OnceLock<&'static Lane>]>>,
    adding: Mutex<()>,
}

impl Board {
    /// Without any lanes.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Board {
        Board {
            lanes: OnceLock::new(),
            adding: Mutex::new(()),
        }
    }

    /// The lane of a call, where there is one.
    #[inline]
    pub(crate) fn find(&self, variant: u16, sizes: &[i64]) -> Option<&'static Lane> {
        let lanes = self.lanes.get()?;
        let start = hash(variant, sizes, BITS);
        for step in 0..LANES {
            let lane = lanes[(start + step) % LANES].get()?;
            if lane.bucket.holds(variant, sizes) {
                return Some(lane);
            }
        }
        None
    }

    /// All lanes, in no particular order.
    pub(crate) fn lanes(&self) -> impl Iterator<Item = &'static Lane> + use<'_> {
        let lanes = self.lanes.get().into_iter().flatten();
        lanes.filter_map(|lane| lane.get().copied())
    }

    /// The lane of a call, made where there is none. `None`: there is no place for one, and none to share.
    #[cold]
    #[inline(never)]
    pub(crate) fn lane(
        &self,
        tunable: &Tunable,
        on: Target,
        problem: usize,
        sizes: &[i64],
    ) -> Option<&'static Lane> {
        let variant = tunable.data.problems[problem].variant;
        // One at a time: two lanes of one bucket would learn apart.
        let _adding = self.adding.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lane) = self.find(variant, sizes) {
            return Some(lane);
        }
        let bucket = Bucket::new(variant, sizes);
        let neighbour = self.nearest(&bucket);
        let table = self
            .lanes
            .get_or_init(|| (0..LANES).map(|_| OnceLock::new()).collect());
        let start = hash(variant, sizes, BITS);
        let mut places = (0..LANES).map(|step| &table[(start + step) % LANES]);
        let Some(place) = places.find(|place| place.get().is_none()) else {
            return neighbour;
        };
        let known = neighbour.map(Lane::known);
        let lane: &'static Lane =
            Box::leak(Box::new(Lane::new(tunable, on, problem, sizes, known)));
        Some(place.get_or_init(|| lane))
    }

    /// The nearest lane of the same constants.
    fn nearest(&self, bucket: &Bucket) -> Option<&'static Lane> {
        let apart = |lane: &'static Lane| {
            let distance = lane.bucket.distance(bucket.variant, &bucket.logs)?;
            Some((distance, lane))
        };
        let near = self.lanes().filter_map(apart);
        // Ties by the sizes, not by the order of the table: any process decides alike.
        let order = |a: &(f64, &Lane), b: &(f64, &Lane)| {
            a.0.total_cmp(&b.0)
                .then_with(|| a.1.bucket.logs.cmp(&b.1.bucket.logs))
        };
        near.min_by(order).map(|(_, lane)| lane)
    }
}

impl Lane {
    /// What a neighbour may borrow.
    fn known(&self) -> Known {
        let summaries: Vec<Summary> = self.shared.with(|bandit| bandit.summaries());
        let arms = self.shared.candidates().iter().copied().zip(summaries);
        Known {
            arms: arms.filter(|(_, summary)| summary.pulls > 0).collect(),
            settled: None,
            own: false,
        }
    }
}

impl core::fmt::Debug for Board {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_list().entries(self.lanes()).finish()
    }
}
