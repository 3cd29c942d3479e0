//! What a lane has learned, as the user's cache keeps it, and back.

use super::bandit::{Standing, Summary};
use super::bucket::Bucket;
use super::lane::{Known, Lane};
use super::mode::{Mode, mode};
use crate::cache::{self, ArmRecord, Record, Subject};
use crate::dispatch::Tunable;
use crate::target::Target;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// What earlier processes learned of one tunable on one device, and where this one's goes.
#[derive(Debug)]
pub(super) struct Memory {
    file: cache::Memory,
    records: Vec<Record>,
}

impl Memory {
    pub(super) fn open(tunable: &Tunable, on: Target) -> Memory {
        let subject = Subject {
            tunable: tunable.data.key,
            hash: tunable.data.hash,
            device: on.key,
            driver: on.driver,
            facts: on.facts,
        };
        // Who learns anew wants to see how, and not to change what is known.
        let (file, records) = match mode() == Mode::Anew {
            true => cache::Memory::open_in(None, &subject),
            false => cache::Memory::open(&subject),
        };
        Memory { file, records }
    }

    /// What is known of a bucket: its own record, else the nearest one with its distance.
    pub(super) fn of(
        &self,
        tunable: &Tunable,
        problem: usize,
        bucket: &Bucket,
    ) -> Option<(f64, Known)> {
        let consts = consts(tunable, problem);
        let same = |record: &&Record| {
            let mut known = record.consts.iter();
            record.consts.len() == consts.len() && known.all(|known| consts.contains(known))
        };
        let apart = |record: &Record| bucket.distance(bucket.variant, &record.bucket);
        let records = self.records.iter().filter(same);
        let near = records.filter_map(|record| Some((apart(record)?, record)));
        let (distance, record) = near.min_by(|a, b| a.0.total_cmp(&b.0))?;
        Some((distance, known(tunable, problem, record, distance == 0.0)))
    }

    /// `false`: not now. What was decided is worth a wait, all else comes again.
    fn save(&self, lane: &Lane, decided: bool) -> bool {
        self.file.is_off()
            || match decided {
                true => self.file.save(&record(lane)),
                false => self.file.save_within(SOON, &record(lane)),
            }
    }
}

/// When a lane's record is written: when something is decided, and now and then before, so that programs of
/// a few calls learn too.
#[derive(Debug)]
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
        if !lane.memory.save(lane, decided) {
            self.late.store(true, Ordering::Relaxed);
        }
        let end = Instant::now();
        *written = (end, end.duration_since(now));
    }
}

/// A record in terms of this program's candidates. Configs that it does not carry are left out.
fn known(tunable: &Tunable, problem: usize, record: &Record, own: bool) -> Known {
    let data = tunable.data;
    let candidate = |arm: &ArmRecord| {
        let mut order = data.problems[problem].order.iter().copied();
        order.find(|candidate| {
            let values = data.candidates[usize::from(*candidate)].values;
            arm.is(data.parameters, values)
        })
    };
    let arms = record.arms.iter().filter_map(|arm| {
        let summary = Summary {
            pulls: arm.pulls,
            mean: arm.mean,
            variance: arm.variance,
        };
        Some((candidate(arm)?, summary))
    });
    let settled = record.settled.and_then(|arm| record.arms.get(arm));
    Known {
        arms: arms.collect(),
        settled: settled.filter(|_| own).and_then(candidate),
        own,
    }
}

fn record(lane: &Lane) -> Record {
    let data = lane.tunable.data;
    let (arms, summaries, settled) = lane
        .shared
        .with(|bandit| (bandit.arms(), bandit.summaries(), bandit.settled()));
    let work = lane.work(lane.sizes());
    let arm = |(candidate, summary): (&u16, &Summary)| ArmRecord {
        config: named(
            data.parameters,
            data.candidates[usize::from(*candidate)].values,
        ),
        pulls: summary.pulls,
        mean: summary.mean,
        variance: summary.variance,
        seconds: (summary.mean + work).exp(),
    };
    // What fails here says nothing to a process where it may not.
    let kept: Vec<usize> = (0..arms.len())
        .filter(|&at| arms[at].standing != Standing::Failed)
        .collect();
    let candidates = lane.shared.candidates();
    let arms = kept.iter().map(|&at| (&candidates[at], &summaries[at]));
    let settled = settled.and_then(|settled| kept.iter().position(|&at| at == settled));
    let sizes = lane.tunable.named(lane.sizes());
    Record {
        bucket: lane.bucket.logs.to_vec(),
        consts: consts(&lane.tunable, lane.problem),
        sizes: sizes
            .into_iter()
            .map(|(name, size)| (name.to_string(), size))
            .collect(),
        settled,
        arms: arms.map(arm).collect(),
    }
}

fn consts(tunable: &Tunable, problem: usize) -> Vec<(String, cache::Value)> {
    named(tunable.data.consts, tunable.data.problems[problem].consts)
}

fn named(names: &[&str], values: &[crate::Value]) -> Vec<(String, cache::Value)> {
    let names = names.iter().map(|name| name.to_string());
    names
        .zip(values.iter().map(|value| cache::Value::from(*value)))
        .collect()
}
