//! What this process learned, and what others wrote meanwhile: numbers, means and variances of calls, put together and
//! taken apart.

use super::json;
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

/// A number of observations, their mean and the sum of their squared distances from it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Moments {
    pub(super) count: u64,
    pub(super) mean: f64,
    pub(super) squares: f64,
}

impl Moments {
    pub(super) fn of(arm: &ArmRecord) -> Moments {
        Moments {
            count: arm.pulls,
            mean: arm.mean,
            squares: arm.variance * arm.pulls as f64,
        }
    }

    pub(super) fn variance(&self) -> f64 {
        self.squares / self.count as f64
    }

    /// Those of both sets of observations (Chan, Golub and LeVeque 1983).
    pub(super) fn plus(self, other: Moments) -> Moments {
        let count = self.count.saturating_add(other.count);
        let (a, b, n) = (self.count as f64, other.count as f64, count as f64);
        let distance = other.mean - self.mean;
        Moments {
            count,
            mean: self.mean + distance * b / n,
            squares: self.squares + other.squares + distance * distance * a * b / n,
        }
    }

    /// Those of the observations that are not in `part`; `None` if there are none.
    pub(super) fn less(self, part: Moments) -> Option<Moments> {
        let count = self.count.saturating_sub(part.count);
        if count == 0 {
            return None;
        }
        let (a, b, n) = (part.count as f64, count as f64, self.count as f64);
        let mean = self.mean + (self.mean - part.mean) * a / b;
        let distance = mean - part.mean;
        let squares = self.squares - part.squares - distance * distance * a * b / n;
        // Up to rounding, no squares are negative: else the part is none of the whole. A learner that saw all
        // its arms become slower has moved what it knew of them, say. Then the rest is like the whole.
        let is_part = squares >= -1e-6 * (self.squares + part.squares) - 1e-12 * n;
        Some(match is_part {
            true => Moments {
                count,
                mean,
                squares: squares.max(0.0),
            },
            false => Moments {
                count,
                squares: self.variance() * b,
                ..self
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(times: &[f64]) -> Moments {
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        Moments {
            count: times.len() as u64,
            mean,
            squares: times.iter().map(|time| (time - mean).powi(2)).sum(),
        }
    }

    fn close(a: Moments, b: Moments) -> bool {
        a.count == b.count
            && (a.mean - b.mean).abs() < 1e-7
            && (a.squares - b.squares).abs() < 1e-7 * (1.0 + a.squares)
    }

    proptest! {
        #[test]
        fn plus_is_as_if_all_were_seen_at_once(
            a in prop::collection::vec(-30.0..5.0, 1..50),
            b in prop::collection::vec(-30.0..5.0, 1..50),
        ) {
            let both = of(&[a.clone(), b.clone()].concat());
            prop_assert!(close(of(&a).plus(of(&b)), both));
            prop_assert!(close(of(&b).plus(of(&a)), both));
        }

        #[test]
        fn less_gives_back_what_was_added(
            a in prop::collection::vec(-30.0..5.0, 1..50),
            b in prop::collection::vec(-30.0..5.0, 1..50),
        ) {
            let rest = of(&a).plus(of(&b)).less(of(&a)).unwrap();
            prop_assert!(close(rest, of(&b)), "{rest:?} {:?}", of(&b));
        }
    }

    #[test]
    fn nothing_is_less_than_nothing() {
        let some = of(&[-9.0, -9.1]);
        assert_eq!(some.less(some), None);
        assert_eq!(some.less(some.plus(some)), None);
    }

    #[test]
    fn what_was_moved_is_no_part() {
        // A thousand calls, all moved by ln 2 when everything became slower, and one more.
        let before = Moments {
            count: 1000,
            mean: -9.0,
            squares: 10.0,
        };
        let after = Moments {
            count: 1001,
            mean: -9.0 + core::f64::consts::LN_2,
            squares: 10.0,
        };
        let rest = after.less(before).unwrap();
        assert_eq!((rest.count, rest.mean), (1, after.mean));
        assert!(rest.squares >= 0.0 && rest.squares < 0.02, "{rest:?}");
    }
}
