//! What a lane has learned, as the user's cache keeps it, and back.

use super::bandit::{Standing, Summary};
use super::bucket::Bucket;
use super::lane::{Known, Lane};
use super::mode::{Mode, mode};
use crate::Value;
use crate::cache::{ArmRecord, Memory, Name, Record, same};
use crate::data::Data;
use crate::target::{Call, Target};
use bico_core::{Lists, StoredValue, own};
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::Mutex;
use std::time::{Duration, Instant};

impl Target {
    /// What earlier processes learned, and where this one's goes.
    pub(super) fn memory(&self) -> Option<Memory> {
        let name = Name {
            tunable: self.tunable.data.key.to_string(),
            device: self.key.clone(),
            driver: self.driver.to_string(),
            hash: self.tunable.data.hash.to_string(),
        };
        // Who learns anew wants to see how, and not to change what is known.
        let kept = mode() != Mode::Anew;
        kept.then(|| Memory::open(name, self.facts)).flatten()
    }
}

impl Call<'_> {
    /// What is known of a bucket: its own record, else the nearest one.
    pub(super) fn remembered(&self, memory: &Memory, bucket: &Bucket) -> Option<Known> {
        let consts = consts(self);
        let mut nearest: Option<(f64, &Record)> = None;
        for record in &memory.records {
            if let Some(far) = bucket.distance(bucket.variant, &record.bucket)
                && same(&record.consts, &consts)
                && nearest.is_none_or(|(least, _)| far < least)
            {
                nearest = Some((far, record));
            }
        }
        nearest.map(|(far, record)| self.known(record, far))
    }

    /// A record in terms of this program's candidates. Configs that it does not carry are left out.
    fn known(&self, record: &Record, far: f64) -> Known {
        let data = self.on.tunable.data;
        let candidate = |arm: &ArmRecord| {
            let config = |at: usize| config(data, at);
            let is = |&at: &usize| same(&arm.config, &config(at));
            self.order().find(is)
        };
        let settled = record.settled.and_then(|arm| record.arms.get(arm));
        let mut arms = Vec::new();
        for arm in &record.arms {
            let summary = Summary {
                pulls: arm.pulls,
                mean: arm.mean,
                variance: arm.variance,
            };
            arms.extend(candidate(arm).map(|candidate| (candidate, summary)));
        }
        let settled = settled.filter(|_| far == 0.0).and_then(candidate);
        Known { far, arms, settled }
    }
}

/// When a lane's record is written: when something is decided, and now and then before, so that programs of
/// a few calls learn too.
pub(super) struct Diary {
    calls: AtomicU32,
    /// When the last one was written, and how long that took.
    written: Mutex<(Instant, Duration)>,
    /// Whether it could not be written when it should.
    late: AtomicBool,
}

/// The share of the time between two entries that may go into writing.
const SHARE: u32 = 100;
/// How long a call waits for other processes where its record can as well be written later.
const SOON: Duration = Duration::from_millis(2);
/// What writing takes, until it is known.
const USUAL: Duration = Duration::from_micros(100);

impl Diary {
    pub(super) fn new() -> Diary {
        Diary {
            calls: AtomicU32::new(0),
            written: Mutex::new((Instant::now(), USUAL)),
            late: AtomicBool::new(false),
        }
    }

    /// After each timed call.
    pub(super) fn enter(&self, lane: &Lane, decided: bool) {
        let Some(memory) = lane.memory else {
            return;
        };
        let calls = self.calls.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
        let due = calls.is_power_of_two() || self.late.load(Ordering::Relaxed);
        if !decided && !due {
            return;
        }
        // Whoever finds another thread writing leaves it to that one.
        let Ok(mut written) = self.written.try_lock() else {
            self.late.store(true, Ordering::Relaxed);
            return;
        };
        let (last, took) = *written;
        let now = Instant::now();
        if !decided && now.duration_since(last) < took * SHARE {
            return;
        }
        self.late.store(false, Ordering::Relaxed);
        // What was decided is worth a wait, all else comes again.
        let done = match decided {
            true => memory.save(&record(lane)),
            false => memory.save_within(SOON, &record(lane)),
        };
        if !done {
            self.late.store(true, Ordering::Relaxed);
        }
        let end = Instant::now();
        *written = (end, end.duration_since(now));
    }
}

fn record(lane: &Lane) -> Record {
    let tunable = &lane.first.on.tunable;
    let bandit = lane.shared.bandit();
    let settled = bandit.settled();
    let work = lane.work();
    let mut record = Record {
        bucket: lane.bucket.logs.to_vec(),
        consts: consts(&lane.first),
        sizes: named(tunable.data.sizes, lane.call().sizes),
        settled: None,
        arms: Vec::new(),
    };
    let (states, summaries) = (bandit.arms(), bandit.summaries());
    for (at, candidate) in lane.shared.candidates.iter().enumerate() {
        // What fails here says nothing to a process where it may not.
        if states[at].standing == Standing::Failed {
            continue;
        }
        if settled == Some(at) {
            record.settled = Some(record.arms.len());
        }
        let known = summaries[at];
        record.arms.push(ArmRecord {
            config: config(tunable.data, *candidate),
            pulls: known.pulls,
            mean: known.mean,
            variance: known.variance,
            seconds: (known.mean + work).exp(),
        });
    }
    record
}

/// A candidate's config, as people know it.
fn config(data: &Data, candidate: usize) -> Vec<(String, StoredValue)> {
    let pairs = own(data.parameters, data.candidates[candidate].values);
    let pair = |(name, value): (&str, Value)| (name.to_string(), StoredValue::from(value));
    pairs.map(pair).collect_vec()
}

fn consts(call: &Call<'_>) -> Vec<(String, StoredValue)> {
    let data = call.on.tunable.data;
    named(data.consts, data.problems[call.problem].consts)
}

fn named<T: Copy, U: From<T>>(names: &[&str], values: &[T]) -> Vec<(String, U)> {
    let pair = |(name, value): (&&str, &T)| (name.to_string(), U::from(*value));
    names.iter().zip(values).map(pair).collect_vec()
}
