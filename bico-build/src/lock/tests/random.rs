//! Locks and damages made up by chance.

use super::*;
use bico_core::Map;
use bico_core::device::Usage;
use proptest::prelude::*;

fn any_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<i64>().prop_map(Value::Int),
        any::<f64>()
            .prop_filter("finite", |x| x.is_finite())
            .prop_map(Value::Float),
        any::<bool>().prop_map(Value::Bool),
        "[ !#-\\[\\]-~äßλ]{0,12}".prop_map(Value::Str),
    ]
}

fn any_seconds() -> impl Strategy<Value = f64> {
    (0.0..10_000.0_f64, -12..4_i32)
        .prop_map(|(mantissa, exponent)| rounded(mantissa * 10f64.powi(exponent)))
}

fn any_trial() -> impl Strategy<Value = Trial> {
    let config = prop::collection::btree_map("[A-Za-z_][A-Za-z0-9_]{0,6}", any_value(), 0..4);
    (config, any_seconds()).prop_map(|(config, seconds)| Trial {
        config: config.into_iter().collect(),
        seconds,
        place: Place::default(),
    })
}

fn any_entry() -> impl Strategy<Value = Entry> {
    let numbers = (
        any::<u128>(),
        0..=i64::MAX as u64,
        0..=i64::MAX as u64,
        any_seconds(),
    );
    let trials = prop::collection::vec(any_trial(), 0..4);
    (
        any_trial(),
        any_seconds(),
        any_seconds(),
        any::<bool>(),
        numbers,
        trials,
    )
        .prop_map(
            |(winner, a, b, reference, (hash, evaluations, space_size, seconds), mut trials)| {
                trials.dedup_by(|a, b| a.config == b.config);
                trials.sort_by_key(|trial| trial.config.len());
                trials.dedup_by(|a, b| a.config.len() == b.config.len());
                Entry {
                    hashes: Hashes {
                        source: Hash(hash),
                        headers: reference
                            .then(|| ("../lib/x.h".to_string(), Hash(hash)))
                            .into_iter()
                            .collect(),
                        ..entry().hashes
                    },
                    winner,
                    tested: reference.then(|| "200 calls".to_string()),
                    ratio: reference.then_some(Ratio {
                        to_reference: hash % 2 == 0,
                        value: 0.5,
                        interval: [0.25, 0.75],
                    }),
                    timed: reference.then(|| "median, 95 %".to_string()),
                    interval: [a.min(b), a.max(b)],
                    verified: if reference {
                        Verified::Reference
                    } else {
                        Verified::Consensus
                    },
                    rules: 1 + u32::from(space_size % 2 == 0),
                    budget: Budget {
                        evaluations,
                        seconds,
                    },
                    evaluations,
                    space_size,
                    first: trials.first().cloned(),
                    ranked: trials.last().cloned(),
                    trials,
                    resources: reference.then_some(Usage {
                        registers: 255,
                        on_chip_bytes: space_size,
                        spill_bytes: 0,
                    }),
                    source: (!reference).then(|| "runtime".to_string()),
                    ..entry()
                }
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_back(
        entries in prop::collection::btree_map(("[a-z][a-z0-9_]{0,5}", "[a-z]=[0-9]{1,3}"), any_entry(), 0..4),
    ) {
        let mut lock = Lock { devices: Map::from_iter([(DEVICE.to_string().into(), facts())]), ..Lock::default() };
        for ((key, problem), entry) in entries {
            with(&mut lock, &key, &problem, entry);
        }
        let text = to_text(&lock).unwrap();
        let back = read(&text).unwrap();
        prop_assert_eq!(&back, &lock);
        prop_assert_eq!(to_text(&back).unwrap(), text);
    }

    #[test]
    fn no_damage_makes_the_reader_panic(at in 0..SAMPLE.len(), with in any::<char>()) {
        let mut text: String = SAMPLE[..at].to_string();
        text.push(with);
        text.push_str(&SAMPLE[at + 1..]);
        if let Err(error) = read(&text) {
            prop_assert!(error.place.line > 0);
        }
    }
}
