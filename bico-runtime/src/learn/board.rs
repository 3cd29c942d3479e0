//! The buckets of one tunable on one device: a table that only grows, so that reading it takes no lock.

use super::bandit::Summary;
use super::bucket::{Bucket, hash};
use super::lane::{Known, Lane};
use super::slot::UNSETTLED;
use crate::cache::Memory;
use crate::target::Call;
use bico_core::Lists;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Buckets at most; sizes beyond share the nearest one. Some integer arguments are no sizes, but seeds or offsets.
const LANES: usize = 1 << BITS;
const BITS: u32 = 8;

/// What is learned of one tunable on one device.
pub struct Board {
    /// By [`hash`], and where that place is taken, the next.
    places: OnceLock<&'static [Place]>,
    adding: Mutex<()>,
    memory: OnceLock<Option<Memory>>,
    /// Whether there is no place for another lane.
    full: AtomicBool,
}

/// Where a bucket may stand.
#[derive(Default)]
struct Place {
    taken: OnceLock<Taken>,
    /// What the lane's own slot says, here to be read at once.
    slot: AtomicU32,
}

struct Taken {
    hash: u64,
    variant: u16,
    lane: &'static Lane,
}

impl Board {
    /// Without any lanes.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Board {
        Board {
            places: OnceLock::new(),
            adding: Mutex::new(()),
            memory: OnceLock::new(),
            full: AtomicBool::new(false),
        }
    }

    /// What the slot of such calls says, where there is a lane.
    #[inline(always)]
    pub(crate) fn slot(&self, variant: u16, sizes: &[i64]) -> u32 {
        match self.place(variant, sizes) {
            Some((place, _)) => place.slot.load(Ordering::Relaxed),
            None => UNSETTLED,
        }
    }

    /// The lane of a call, where there is one.
    pub(crate) fn find(&self, variant: u16, sizes: &[i64]) -> Option<&'static Lane> {
        self.place(variant, sizes).map(|(_, taken)| taken.lane)
    }

    #[inline(always)]
    fn place(&self, variant: u16, sizes: &[i64]) -> Option<(&'static Place, &'static Taken)> {
        let places = *self.places.get()?;
        let hash = hash(variant, sizes);
        for step in 0..LANES {
            let place = &places[(first(hash) + step) % LANES];
            let taken = place.taken.get()?;
            if taken.hash == hash && taken.variant == variant {
                return Some((place, taken));
            }
        }
        None
    }

    /// All lanes, in no particular order.
    pub(crate) fn lanes(&self) -> std::vec::IntoIter<&'static Lane> {
        let mut lanes = Vec::new();
        for place in self.places.get().copied().unwrap_or_default() {
            lanes.extend(place.taken.get().map(|taken| taken.lane));
        }
        lanes.into_iter()
    }

    /// The lane of a call, made where there is none. `None`: there is no place for one, and none to share.
    #[cold]
    #[inline(never)]
    pub(crate) fn lane(&'static self, call: &Call<'_>) -> Option<&'static Lane> {
        let variant = call.variant();
        let bucket = Bucket::new(variant, call.sizes);
        if self.full.load(Ordering::Relaxed) {
            return self.nearest(&bucket).map(|(_, lane)| lane);
        }
        // One at a time: two lanes of one bucket would learn apart.
        let adding = self.adding.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lane) = self.find(variant, call.sizes) {
            return Some(lane);
        }
        let neighbour = self.nearest(&bucket);
        let places: &'static [Place] = self.places.get_or_init(|| {
            let places = (0..LANES).map(|_| Place::default());
            Vec::leak(places.collect_vec())
        });
        let hash = hash(variant, call.sizes);
        let mut near = (0..LANES).map(|step| &places[(first(hash) + step) % LANES]);
        let Some(place) = near.find(|place| place.taken.get().is_none()) else {
            self.full.store(true, Ordering::Relaxed);
            return neighbour.map(|(_, lane)| lane);
        };
        let memory = self.memory.get_or_init(|| call.on.memory()).as_ref();
        let remembered = memory.and_then(|memory| call.remembered(memory, &bucket));
        // What this process learned is newer than what another one wrote.
        let newer = |(near, _): &(f64, _)| match &remembered {
            Some(known) => !known.is_own() && *near <= known.far,
            None => true,
        };
        let neighbour = neighbour.filter(newer);
        let known = match neighbour {
            Some((near, lane)) => Some(lane.known(near)),
            None => remembered,
        };
        let borrowed = known.as_ref().is_some_and(|known| !known.is_own());
        // Lanes stay for ever, and with them the sizes that they began with.
        let sizes: &'static [i64] = Box::leak(call.sizes.into());
        let call = Call { sizes, ..*call };
        let lane = Lane::new(call, known, &place.slot, memory);
        let taken = place.taken.get_or_init(|| Taken {
            hash,
            variant,
            lane: Box::leak(Box::new(lane)),
        });
        drop(adding);
        taken.lane.begins(neighbour.map(|(_, lane)| lane), borrowed);
        Some(taken.lane)
    }

    /// The nearest lane of the same constants, with its distance.
    fn nearest(&self, bucket: &Bucket) -> Option<(f64, &'static Lane)> {
        let mut nearest: Option<(f64, &'static Lane)> = None;
        for lane in self.lanes() {
            let Some(distance) = lane.bucket.distance(bucket.variant, &bucket.logs) else {
                continue;
            };
            // Ties by the sizes, not by the order of the table: any process decides alike.
            let logs = &lane.bucket.logs;
            if nearest.is_none_or(|(least, other)| {
                distance < least || (distance == least && *logs < other.bucket.logs)
            }) {
                nearest = Some((distance, lane));
            }
        }
        nearest
    }
}

/// Where to look for a bucket first.
#[inline(always)]
fn first(hash: u64) -> usize {
    (hash >> (64 - BITS)) as usize
}

impl Lane {
    /// What a neighbour at such a distance may borrow.
    fn known(&self, far: f64) -> Known {
        let candidates = self.shared.candidates.iter().copied();
        let summaries = self.shared.bandit().summaries();
        let mut arms: Vec<(usize, Summary)> = candidates.zip(summaries).collect_vec();
        arms.retain(|(_, summary)| summary.pulls > 0);
        let settled = None;
        Known { far, arms, settled }
    }
}
