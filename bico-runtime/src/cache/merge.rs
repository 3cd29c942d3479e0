//! What this process learned, and what others wrote meanwhile.

use super::json;
use super::pool::Moments;
use super::record::{ArmRecord, Record};

/// What a process knows of one bucket of its file.
pub(super) struct Seen {
    /// As it stood in the file when this process read or wrote it last.
    pub(super) record: Record,
    /// What others added since this process began: it does not know of it.
    pub(super) others: Vec<ArmRecord>,
}

/// What is to be written of a bucket. `own` is all that this process knows, with what it read when it
/// began; `file` is what stands there now. Only what others added since `seen` is put to `own`:
/// what this process read or wrote itself would count twice.
pub(super) fn merge(own: &Record, seen: Option<&Seen>, file: Option<&Record>) -> Seen {
    let mut others: Vec<ArmRecord> = seen.map(|seen| seen.others.clone()).unwrap_or_default();
    for arm in file.into_iter().flat_map(|file| &file.arms) {
        let all = Moments::of(arm);
        let known = seen.and_then(|seen| find(&seen.record.arms, arm));
        let Some(added) = known.map_or(Some(all), |known| all.less(Moments::of(known))) else {
            continue;
        };
        match others.iter_mut().find(|other| other.same_config(arm)) {
            Some(other) => *other = with(other, Moments::of(other).plus(added)),
            None => others.push(with(arm, added)),
        }
    }

    let mut record = own.clone();
    let theirs = file.filter(|file| file.calls() > own.calls() && file.bucket == own.bucket);
    let work = theirs.map_or_else(|| work(own), work);
    if let Some(theirs) = theirs {
        record.sizes = theirs.sizes.clone();
    }
    let as_given = theirs.is_none_or(|theirs| theirs.sizes == own.sizes);
    for arm in &mut record.arms {
        match others.iter().find(|other| other.same_config(arm)) {
            Some(other) => *arm = with(arm, Moments::of(arm).plus(Moments::of(other))),
            None if as_given => continue,
            None => {}
        }
        arm.seconds = seconds(arm, work);
    }
    // Arms that this process does not carry stay.
    for arm in file.into_iter().flat_map(|file| &file.arms) {
        if find(&own.arms, arm).is_none() {
            let mut arm = arm.clone();
            if theirs.is_none() {
                arm.seconds = seconds(&arm, work);
            }
            record.arms.push(arm);
        }
    }
    record.settled = settled(own, file, &others, &record.arms);
    record.sort();
    Seen { record, others }
}

/// The winner of two claims: the one that was made with more calls of its arm, else the one for the faster arm.
fn settled(
    own: &Record,
    file: Option<&Record>,
    others: &[ArmRecord],
    merged: &[ArmRecord],
) -> Option<usize> {
    let claim = |record: &Record| record.settled.and_then(|arm| record.arms.get(arm).cloned());
    let ours = claim(own);
    // Theirs if they called it: else the claim is our own of before.
    let theirs = file.and_then(claim);
    let theirs = theirs.and_then(|arm| find(others, &arm).cloned());
    let winner = match (ours, theirs) {
        (Some(a), Some(b)) if !a.same_config(&b) => {
            let mean = |arm: &ArmRecord| find(merged, arm).map_or(f64::INFINITY, |arm| arm.mean);
            let by_calls = a.pulls.cmp(&b.pulls);
            let order = by_calls.then_with(|| mean(&b).total_cmp(&mean(&a)));
            if order.is_lt() { b } else { a }
        }
        (a, b) => a.or(b)?,
    };
    merged.iter().position(|arm| arm.same_config(&winner))
}

fn find<'a>(arms: &'a [ArmRecord], like: &ArmRecord) -> Option<&'a ArmRecord> {
    arms.iter().find(|arm| arm.same_config(like))
}

fn with(arm: &ArmRecord, moments: Moments) -> ArmRecord {
    ArmRecord {
        // Not beyond what can be read back.
        pulls: moments.count.min(json::MOST_PULLS),
        mean: moments.mean,
        variance: moments.variance().min(json::WIDEST),
        ..arm.clone()
    }
}

/// The work of a call at the record's sizes: what its arms' seconds were computed with.
fn work(record: &Record) -> f64 {
    let arm = record.arms.first();
    arm.map_or(1.0, |arm| arm.seconds / arm.mean.exp())
}

fn seconds(arm: &ArmRecord, work: f64) -> f64 {
    (arm.mean.exp() * work).clamp(f64::MIN_POSITIVE, f64::MAX)
}
