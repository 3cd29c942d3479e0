use super::*;
use bico_build::compile::Hash;
use bico_build::lock::{self, Budget, Hashes, Trial, Value, Verified, parse, to_text};
use bico_core::device::CpuFacts;
use proptest::prelude::*;
use std::path::Path;

/// An entry of a kernel whose source has this hash, whose winner is this tile and takes at most so many microseconds.
fn entry(source: u128, tile: i64, high: u32) -> Entry {
    let trial = Trial {
        config: [("TILE".to_string(), Value::Int(tile))]
            .into_iter()
            .collect(),
        seconds: 1e-6,
        place: lock::Place::default(),
    };
    Entry {
        hashes: Hashes {
            source: Hash(source),
            headers: Default::default(),
            space: Hash(2),
            launch: Hash(3),
            verify: Hash(4),
            flags: Hash(5),
        },
        winner: trial.clone(),
        timed: None,
        tested: None,
        ratio: None,
        interval: [1e-7, f64::from(high) * 1e-6],
        verified: Verified::Reference,
        rules: 1,
        strategy: "random".to_string(),
        budget: Budget {
            evaluations: 2,
            seconds: 1.0,
        },
        evaluations: 2,
        space_size: 2,
        toolchain: "cc".to_string(),
        trials: vec![trial],
        first: None,
        ranked: None,
        resources: None,
        source: None,
    }
}

fn cpu(model: u32, cores: i64) -> Facts {
    Facts::Cpu(CpuFacts {
        brand: "a CPU".to_string(),
        vendor: "nobody".to_string(),
        level: "x86-64".to_string(),
        model,
        cores,
        ..CpuFacts::default()
    })
}

/// A lock of entries of `gemm`, by problem, on a CPU with so many cores.
fn lock(cores: i64, entries: &[(&str, Entry)]) -> Lock {
    let mut lock = Lock::default();
    let facts = cpu(1, cores);
    lock.devices.insert(facts.key(), facts.clone());
    for (problem, entry) in entries {
        let problems = lock.kernels.or_default("gemm".to_string());
        let problems = problems.or_default(facts.key());
        problems.insert(problem.to_string(), entry.clone());
    }
    // As a file has it.
    parse(Path::new("bico.lock"), &to_text(&lock).unwrap()).unwrap()
}

fn side(name: &str, lock: Lock) -> Side {
    let name = name.to_string();
    Side { name, lock }
}

fn merged(base: Option<&Lock>, ours: Lock, theirs: Lock) -> Merged {
    let sides = [side("ours", ours), side("theirs", theirs)];
    let mut fits = match base {
        Some(_) => Fits::Base,
        None => Fits::Unknown,
    };
    merge(base, &sides, &mut fits).unwrap()
}

fn tiles(lock: &Lock) -> Vec<(String, Value)> {
    let places = Place::all(lock);
    let tile = |place: Place| {
        let tile = place.of(lock).unwrap().winner.config["TILE"].clone();
        (place.problem, tile)
    };
    places.map(tile).collect()
}

fn tile(problem: &str, tile: i64) -> (String, Value) {
    (problem.to_string(), Value::Int(tile))
}

const ON: &str = "on a CPU (nobody family 0 model 1, x86-64)";

#[test]
fn a_union_takes_what_is_faster_for_sure() {
    let ours = lock(2, &[("n=1", entry(1, 1, 30)), ("n=2", entry(1, 1, 10))]);
    let theirs = lock(2, &[("n=1", entry(1, 2, 20)), ("n=3", entry(1, 1, 10))]);
    let both = merged(None, ours, theirs);
    assert_eq!(both.entries, 3);
    assert_eq!(
        tiles(&both.lock),
        [tile("n=1", 2), tile("n=2", 1), tile("n=3", 1)]
    );
    assert_eq!(
        both.conflicts,
        [format!(
            "gemm (n=1) {ON}: took theirs: at most 20.0 µs, against 30.0 µs"
        )]
    );
}

#[test]
fn equal_times_are_told_apart_by_their_form() {
    let (one, two) = (
        lock(2, &[("n=1", entry(1, 1, 10))]),
        lock(2, &[("n=1", entry(1, 2, 10))]),
    );
    for (ours, theirs, name) in [(&one, &two, "ours"), (&two, &one, "theirs")] {
        let both = merged(None, ours.clone(), theirs.clone());
        assert_eq!(tiles(&both.lock), [tile("n=1", 1)]);
        let line =
            format!("gemm (n=1) {ON}: took {name}: equally fast, and the smaller stored form");
        assert_eq!(both.conflicts, [line]);
    }
}

#[test]
fn a_side_that_changed_alone_has_its_way() {
    let of = |entries: &[(&str, Entry)]| lock(2, entries);
    let base = of(&[
        ("n=1", entry(1, 1, 10)),
        ("n=2", entry(1, 1, 10)),
        ("n=3", entry(1, 1, 10)),
    ]);
    // Ours is slower now and has n=2 deleted, theirs has n=3 deleted and n=4 added.
    let ours = of(&[("n=1", entry(1, 7, 50)), ("n=3", entry(1, 1, 10))]);
    let theirs = of(&[
        ("n=1", entry(1, 1, 10)),
        ("n=2", entry(1, 1, 10)),
        ("n=4", entry(1, 4, 9)),
    ]);
    for (a, b) in [(&ours, &theirs), (&theirs, &ours)] {
        let both = merged(Some(&base), a.clone(), b.clone());
        assert_eq!(tiles(&both.lock), [tile("n=1", 7), tile("n=4", 4)]);
        assert!(both.conflicts.is_empty(), "{:?}", both.conflicts);
    }
    // The same on both sides is no conflict.
    let both = merged(Some(&base), ours.clone(), ours.clone());
    assert_eq!((both.lock, both.conflicts.len()), (ours, 0));
}

#[test]
fn what_one_side_changed_and_the_other_deleted_is_kept() {
    let base = lock(2, &[("n=1", entry(1, 1, 10))]);
    let changed = lock(2, &[("n=1", entry(1, 2, 20))]);
    let both = merged(Some(&base), Lock::default(), changed);
    assert_eq!(tiles(&both.lock), [tile("n=1", 2)]);
    assert_eq!(
        both.conflicts,
        [format!(
            "gemm (n=1) {ON}: kept theirs, which changed it; deleted on the other side"
        )]
    );
    // With the facts of its device, which the other side deleted as well.
    assert_eq!(both.lock.devices.len(), 1);
}

#[test]
fn while_git_merges_the_side_whose_kernel_changed_alone_fits() {
    let base = lock(2, &[("n=1", entry(1, 1, 10))]);
    // Both tuned anew, theirs after a change of the source that made it slower.
    let ours = lock(2, &[("n=1", entry(1, 2, 9))]);
    let theirs = lock(2, &[("n=1", entry(8, 3, 90))]);
    let both = merged(Some(&base), ours, theirs.clone());
    assert_eq!(tiles(&both.lock), [tile("n=1", 3)]);
    assert_eq!(
        both.conflicts,
        [format!(
            "gemm (n=1) {ON}: took theirs: only that side changed the kernel"
        )]
    );
    // Both changed it: nobody knows what comes of that.
    let ours = lock(2, &[("n=1", entry(9, 2, 9))]);
    let both = merged(Some(&base), ours, theirs);
    assert_eq!(
        both.conflicts,
        [format!(
            "gemm (n=1) {ON}: took ours: the kernels differ, tune again; at most 9.00 µs, against 90.0 µs"
        )]
    );
}

#[test]
fn facts_that_differ_are_named() {
    let both = merged(None, lock(16, &[]), lock(2, &[]));
    assert_eq!(both.lock.devices.values().next(), Some(&cpu(1, 16)));
    let key = ON.trim_start_matches("on ");
    assert_eq!(
        both.conflicts,
        [format!(
            "the facts of {key} differ: took those of ours, the smaller stored form"
        )]
    );
    // With a base, the side that changed them.
    let both = merged(Some(&lock(16, &[])), lock(16, &[]), lock(2, &[]));
    assert_eq!(both.lock.devices.values().next(), Some(&cpu(1, 2)));
    assert!(both.conflicts.is_empty());
}

/// A lock made up by chance; few values, so that entries meet.
fn any_lock() -> impl Strategy<Value = Lock> {
    let entry = ("[a-b]", 0..3u32, "n=[1-2]", 1..4u128, 1..3i64, 1..4u32);
    let entries = prop::collection::vec(entry, 0..6);
    (entries, 1..3i64).prop_map(|(entries, cores)| {
        let mut lock = Lock::default();
        for (tunable, model, problem, source, tile, high) in entries {
            let facts = cpu(model, cores);
            lock.devices.insert(facts.key(), facts.clone());
            let problems = lock.kernels.or_default(tunable).or_default(facts.key());
            problems.insert(problem, self::entry(source, tile, high));
        }
        lock
    })
}

/// All of them, where the sources have the hash 2.
fn union(locks: &[Lock]) -> Lock {
    let sides: Vec<Side> = locks.iter().map(|lock| side("one", lock.clone())).collect();
    let mut ask = |_: &Place, _: &Lock, entry: &Entry| Ok(entry.hashes.source == Hash(2));
    merge(None, &sides, &mut Fits::Sources(&mut ask))
        .unwrap()
        .lock
}

#[test]
fn hashes_that_fit_the_sources_win() {
    let ours = side("ours", lock(2, &[("n=1", entry(2, 1, 90))]));
    let theirs = side("theirs", lock(2, &[("n=1", entry(3, 2, 9))]));
    let asked = |fitting: u128| {
        let mut ask = |_: &Place, _: &Lock, entry: &Entry| Ok(entry.hashes.source == Hash(fitting));
        let sides = [ours.clone(), theirs.clone()];
        merge(None, &sides, &mut Fits::Sources(&mut ask))
            .unwrap()
            .conflicts
    };
    assert_eq!(
        asked(2),
        [format!(
            "gemm (n=1) {ON}: took ours: its hashes fit the sources"
        )]
    );
    assert_eq!(
        asked(7),
        [format!(
            "gemm (n=1) {ON}: took theirs: none fits the sources; at most 9.00 µs, against 90.0 µs"
        )]
    );
    // Where it depends on them, sources that cannot be read are an error; else nobody asks.
    let mut ask = |_: &Place, _: &Lock, _: &Entry| Err(Error::work("unreadable"));
    let sides = [ours.clone(), theirs];
    assert!(merge(None, &sides, &mut Fits::Sources(&mut ask)).is_err());
    let faster = side("theirs", lock(2, &[("n=1", entry(2, 2, 9))]));
    let sides = [ours, faster];
    assert!(merge(None, &sides, &mut Fits::Sources(&mut ask)).is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_order_and_grouping_gives_the_same_bytes(
        (locks, order) in prop::collection::vec(any_lock(), 1..5)
            .prop_flat_map(|locks| {
                let order: Vec<usize> = (0..locks.len()).collect();
                (Just(locks), Just(order).prop_shuffle())
            }),
        groups in prop::collection::vec(any::<bool>(), 5),
    ) {
        let text = |lock: &Lock| to_text(lock).unwrap();
        let all = text(&union(&locks));
        let mut waiting: Vec<Lock> = order.iter().map(|at| locks[*at].clone()).collect();
        // From the front or from the back, two at a time; what comes of it goes to the other end.
        for front in groups {
            if waiting.len() > 1 {
                let pair = match front {
                    true => waiting.drain(..2).collect::<Vec<_>>(),
                    false => waiting.split_off(waiting.len() - 2),
                };
                let made = union(&pair);
                // As a file has it.
                let made = parse(Path::new("bico.lock"), &text(&made)).unwrap();
                match front {
                    true => waiting.push(made),
                    false => waiting.insert(0, made),
                }
            }
        }
        prop_assert_eq!(&text(&union(&waiting)), &all);
        // Merging with what is in it already changes nothing.
        let again = [union(&locks), locks[0].clone()];
        prop_assert_eq!(text(&union(&again)), all);
    }

    #[test]
    fn with_a_base_neither_side_comes_first(base in any_lock(), ours in any_lock(), theirs in any_lock()) {
        let text = |a: &Lock, b: &Lock| {
            let merged = merged(Some(&base), a.clone(), b.clone());
            to_text(&merged.lock).unwrap()
        };
        prop_assert_eq!(text(&ours, &theirs), text(&theirs, &ours));
        // Who changed nothing has no say.
        prop_assert_eq!(text(&base, &theirs), to_text(&theirs).unwrap());
    }
}
