//! Several learners and one file.

use super::*;
use crate::cache::merge::Moments;
use proptest::prelude::*;

fn only(folder: &Path) -> Record {
    let (_, mut records) = open(folder, &on(cpu()));
    assert_eq!(records.len(), 1);
    records.remove(0)
}

fn pulls(record: &Record) -> Vec<u64> {
    record.arms.iter().map(|arm| arm.pulls).collect()
}

#[test]
fn a_process_does_not_count_its_own_calls_twice() {
    let folder = tempfile::tempdir().unwrap();
    let (memory, _) = open(folder.path(), &on(cpu()));
    for calls in [1, 5, 5, 9] {
        let given = record(4, None, &[arm(1, calls, -9.0, 0.01)]);
        assert!(memory.save(&given));
        assert_eq!(only(folder.path()), given);
    }
    // Nor those of the processes before it, which it has read.
    let (memory, records) = open(folder.path(), &on(cpu()));
    assert_eq!(pulls(&records[0]), [9]);
    let given = record(4, None, &[arm(1, 12, -9.5, 0.01)]);
    assert!(memory.save(&given));
    assert_eq!(only(folder.path()), given);
}

#[test]
fn two_that_learn_at_once_add_up() {
    let folder = tempfile::tempdir().unwrap();
    let (a, _) = open(folder.path(), &on(cpu()));
    assert!(a.save(&record(
        4,
        None,
        &[arm(1, 10, -9.0, 0.04), arm(2, 1, -8.0, 0.0)]
    )));
    let (b, begun) = open(folder.path(), &on(cpu()));
    assert_eq!(pulls(&begun[0]), [10, 1]);
    // Another 10 calls by each, and one arm that only the one tried.
    assert!(a.save(&record(
        4,
        None,
        &[arm(1, 20, -9.0, 0.04), arm(2, 1, -8.0, 0.0)]
    )));
    let later = Moments {
        count: 10,
        mean: -8.0,
        squares: 0.4,
    };
    let ten = Moments::of(&arm(1, 10, -9.0, 0.04));
    let own = ten.plus(later);
    let of = |moments: Moments| arm(1, moments.count, moments.mean, moments.variance());
    assert!(b.save(&record(4, None, &[of(own), arm(3, 2, -7.0, 0.0)])));
    let all = only(folder.path());
    assert_eq!(pulls(&all), [30, 1, 2]);
    let expected = Moments::of(&arm(1, 20, -9.0, 0.04)).plus(later);
    assert!((all.arms[0].mean - expected.mean).abs() < 1e-12, "{all:?}");
    assert!((all.arms[0].variance - expected.variance()).abs() < 1e-12);
    assert!((all.arms[0].seconds - 1000.0 * expected.mean.exp()).abs() < 1e-12);
    // Each goes on by itself, and neither counts what the other has, twice.
    assert!(a.save(&record(4, None, &[arm(1, 21, -9.0, 0.04)])));
    assert_eq!(pulls(&only(folder.path())), [31, 1, 2]);
    assert!(b.save(&record(4, None, &[of(own), arm(3, 4, -7.0, 0.0)])));
    assert_eq!(pulls(&only(folder.path())), [31, 1, 4]);
}

#[test]
fn the_claim_with_more_calls_stays_and_of_equal_ones_the_faster() {
    let claims = |a: u64, b: u64| {
        let folder = tempfile::tempdir().unwrap();
        let (first, _) = open(folder.path(), &on(cpu()));
        let (second, _) = open(folder.path(), &on(cpu()));
        assert!(first.save(&record(4, Some(0), &[arm(1, a, -9.0, 0.0)])));
        assert!(second.save(&record(4, Some(0), &[arm(2, b, -9.1, 0.0)])));
        let one = only(folder.path());
        // Whoever comes last.
        assert!(first.save(&record(4, Some(0), &[arm(1, a, -9.0, 0.0)])));
        assert_eq!(only(folder.path()), one);
        one.best().unwrap().config[0].1.clone()
    };
    assert_eq!(claims(10, 5), Value::Int(1));
    assert_eq!(claims(5, 10), Value::Int(2));
    assert_eq!(claims(7, 7), Value::Int(2));
}

#[test]
fn a_claim_of_ones_own_can_be_taken_back_and_one_of_others_cannot() {
    let folder = tempfile::tempdir().unwrap();
    let (first, _) = open(folder.path(), &on(cpu()));
    let arms = [arm(1, 9, -9.0, 0.0)];
    assert!(first.save(&record(4, Some(0), &arms)));
    assert!(first.save(&record(4, None, &arms)));
    assert_eq!(only(folder.path()).settled, None);
    let (second, _) = open(folder.path(), &on(cpu()));
    assert!(second.save(&record(4, Some(0), &[arm(1, 12, -9.0, 0.0)])));
    assert!(first.save(&record(4, None, &arms)));
    let kept = only(folder.path());
    assert_eq!((kept.settled, kept.arms[0].pulls), (Some(0), 12));
}

#[test]
fn arms_that_this_program_does_not_carry_stay() {
    let folder = tempfile::tempdir().unwrap();
    let (memory, _) = open(folder.path(), &on(cpu()));
    assert!(memory.save(&record(
        4,
        Some(0),
        &[arm(1, 50, -9.0, 0.0), arm(2, 1, -8.0, 0.0)]
    )));
    let (memory, _) = open(folder.path(), &on(cpu()));
    assert!(memory.save(&record(4, None, &[arm(2, 4, -8.0, 0.0)])));
    assert_eq!(pulls(&only(folder.path())), [50, 4]);
}

#[test]
fn the_sizes_are_those_of_most_calls() {
    let folder = tempfile::tempdir().unwrap();
    let sized = |n: i64, calls: u64| {
        let mut record = record(10, None, &[arm(1, calls, -9.0, 0.0)]);
        record.sizes = vec![("n".to_string(), n)];
        record.arms[0].seconds = n as f64 * f64::exp(-9.0);
        record
    };
    let (first, _) = open(folder.path(), &on(cpu()));
    let (second, _) = open(folder.path(), &on(cpu()));
    assert!(first.save(&sized(1000, 10)));
    assert!(second.save(&sized(1100, 3)));
    let kept = only(folder.path());
    assert_eq!(kept.sizes[0].1, 1000);
    assert!((kept.arms[0].seconds / (1000.0 * f64::exp(-9.0)) - 1.0).abs() < 1e-12);
    assert!(second.save(&sized(1100, 30)));
    let kept = only(folder.path());
    assert_eq!((kept.sizes[0].1, kept.arms[0].pulls), (1100, 40));
    assert!((kept.arms[0].seconds / (1100.0 * f64::exp(-9.0)) - 1.0).abs() < 1e-12);
}

#[test]
fn extremes_stay_readable() {
    let extreme = |pulls, mean, variance, seconds| ArmRecord {
        seconds,
        ..arm(1, pulls, mean, variance)
    };
    let cases = [
        extreme(1 << 52, 300.0, 90_000.0, f64::MAX),
        extreme(1 << 52, -300.0, 90_000.0, f64::MIN_POSITIVE),
        extreme(1, -300.0, 0.0, f64::MAX),
        extreme(1 << 51, 300.0, 0.0, f64::MIN_POSITIVE),
    ];
    for a in &cases {
        for b in &cases {
            let folder = tempfile::tempdir().unwrap();
            let (first, _) = open(folder.path(), &on(cpu()));
            let (second, _) = open(folder.path(), &on(cpu()));
            for (memory, arm) in [(&first, a), (&second, b), (&first, a), (&second, b)] {
                assert!(memory.save(&record(4, Some(0), std::slice::from_ref(arm))));
                let kept = only(folder.path());
                let [low, high] = kept.arms[0].interval();
                assert!(0.0 < low && low <= high && high.is_finite());
            }
        }
    }
}

#[test]
fn whoever_finds_it_busy_is_told_to_come_again() {
    let folder = tempfile::tempdir().unwrap();
    let (memory, _) = open(folder.path(), &on(cpu()));
    let given = record(4, None, &[arm(1, 1, -9.0, 0.0)]);
    assert!(memory.save(&given));
    let name = only_file(folder.path());
    let name = name.file_name().unwrap().to_str().unwrap();
    let lock = std::fs::File::open(folder.path().join(format!(".{name}.lock"))).unwrap();
    lock.lock().unwrap();
    let more = record(4, None, &[arm(1, 2, -9.0, 0.0)]);
    assert!(!memory.save(&more));
    assert_eq!(only(folder.path()), given);
    lock.unlock().unwrap();
    assert!(memory.save(&more));
    assert_eq!(only(folder.path()), more);
}

/// What a learner may do.
#[derive(Debug, Clone)]
enum Step {
    /// A call that took so long, in logarithms.
    Call(f64),
    Save,
    /// Its process ends, and another one begins; what was not saved is lost.
    Restart,
}

fn steps() -> impl Strategy<Value = Vec<(usize, Step)>> {
    let step = prop_oneof![
        4 => (-12.0..-6.0).prop_map(Step::Call),
        2 => Just(Step::Save),
        1 => Just(Step::Restart),
    ];
    prop::collection::vec((0_usize..3, step), 1..60)
}

fn add(moments: &mut Option<Moments>, more: Moments) {
    *moments = Some(moments.map_or(more, |moments| moments.plus(more)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_call_that_was_saved_counts_once_in_any_order(steps in steps()) {
        let folder = tempfile::tempdir().unwrap();
        let begin = || {
            let (memory, records) = open(folder.path(), &on(cpu()));
            let known = records.first().map(|record| Moments::of(&record.arms[0]));
            (memory, known, None)
        };
        let mut learners = [begin(), begin(), begin()];
        let mut saved: Option<Moments> = None;
        for (who, step) in steps {
            let (memory, known, unsaved) = &mut learners[who];
            match step {
                Step::Call(mean) => {
                    let call = Moments { count: 1, mean, squares: 0.0 };
                    add(known, call);
                    add(unsaved, call);
                }
                Step::Save => {
                    let Some(all) = *known else { continue };
                    let own = arm(1, all.count, all.mean, all.variance());
                    prop_assert!(memory.save(&record(4, None, &[own])));
                    if let Some(more) = unsaved.take() {
                        add(&mut saved, more);
                    }
                }
                Step::Restart => learners[who] = begin(),
            }
            let (_, records) = open(folder.path(), &on(cpu()));
            let kept = records.first().map(|record| Moments::of(&record.arms[0]));
            match (kept, saved) {
                (Some(kept), Some(saved)) => {
                    prop_assert_eq!(kept.count, saved.count);
                    prop_assert!((kept.mean - saved.mean).abs() < 1e-6);
                    prop_assert!((kept.squares - saved.squares).abs() < 1e-6 * (1.0 + saved.squares));
                }
                (kept, saved) => prop_assert_eq!(kept, saved),
            }
        }
    }
}
