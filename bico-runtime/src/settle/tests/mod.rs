//! Decisions for CPUs.

mod gpu;

use super::*;
use crate::__private::{AtomicU8, AtomicU32, Board, Candidate, Data, Require, Rules, ops};
use crate::Value;
use crate::choice::Reason;
use crate::data::Problem;
use crate::dispatch::Tunable;
use crate::rules::Selector;

static MS: [Value; 5] = [
    Value::Int(8),
    Value::Int(4),
    Value::Int(2),
    Value::Int(1),
    Value::Int(16),
];

/// `M in [8, 4, 2, 1, 16]` as candidates 0 to 4; 3 needs what no CPU has, 4 runs nowhere here.
fn candidates() -> &'static [Candidate] {
    let needs: [&'static [&'static str]; 5] = [&[], &[], &[], &["no-such-feature"], &[]];
    let only_on: [&'static [&'static str]; 5] = [&[], &[], &[], &[], &["another device"]];
    let of = |i: usize| Candidate {
        values: std::slice::from_ref(&MS[i]),
        variant: 0,
        needs: needs[i],
        only_on: only_on[i],
        gpu: None,
    };
    Vec::leak((0..5).map(of).collect())
}

pub(crate) fn problem(
    size: &'static [i64],
    winners: &'static [(u16, u16)],
    order: &'static [u16],
) -> Problem {
    Problem {
        sizes: size,
        consts: &[],
        variant: 0,
        winners,
        order,
        first: 2,
        top: 1,
    }
}

/// The device of index 0 is this one.
pub(crate) fn data(problems: Vec<Problem>) -> Data {
    Data {
        fingerprint: 0,
        hash: "00000000000000000000000000000000",
        unverified: &[],
        key: "gemm",
        parameters: &["M"],
        sizes: &["m"],
        consts: &[],
        candidates: candidates(),
        problems: Vec::leak(problems),
        devices: Vec::leak(vec![bico_host::this_cpu_key().as_str(), "another device"]),
        sources: &[],
    }
}

/// `require(m.is_multiple_of(M))`
const SIZED: &[Require] = &[Require {
    text: "m.is_multiple_of(M)",
    sized: true,
    holds: |scope| {
        ops::truth(ops::is_multiple_of(
            Value::Int(scope.sizes[0]),
            scope.parameters[0],
        )?)
    },
}];

/// The model likes small `M`.
pub(crate) fn tunable(
    data: Data,
    require: &'static [Require],
    selectors: &'static [usize],
) -> &'static Tunable {
    leaked(data, require, selectors)
}

/// A tunable that a test may change.
fn leaked(
    data: Data,
    require: &'static [Require],
    selectors: &'static [usize],
) -> &'static mut Tunable {
    let rank = |scope: &crate::__private::Scope<'_>| ops::number(scope.parameters[0]);
    let rules = Rules {
        require,
        sized: !require.is_empty(),
        selectors,
        launches: &[],
        rank,
        live: false,
        timed: false,
        work: |_| Ok(1.0),
    };
    let data: &'static Data = Box::leak(Box::new(data));
    let slots = data.problems.iter().map(|_| AtomicU32::new(0)).collect();
    let able = data.candidates.iter().map(|_| AtomicU8::new(0)).collect();
    let logs = data
        .problems
        .iter()
        .flat_map(|p| p.sizes)
        .map(|&s| crate::dispatch::log2(s));
    Box::leak(Box::new(Tunable::new(
        data,
        Box::leak(Box::new(rules)),
        Vec::leak(logs.collect()),
        Vec::leak(slots),
        Vec::leak(able),
        Box::leak(Box::new(Board::new())),
    )))
}

fn chosen(tunable: &Tunable, size: i64) -> (Value, Reason) {
    let choice = tunable.config_of(&[size]).unwrap();
    // Settled now: the short way must say the same.
    assert_eq!(tunable.config_of(&[size]), Ok(choice.clone()));
    (choice.config.get("M").unwrap(), choice.reason)
}

fn with(tunable: &Tunable, config: &Config, size: i64) -> Result<usize> {
    let pull = tunable.pull_with(config, &[size], &[])?;
    Ok(pull.candidate())
}

#[test]
fn own_winner_at_its_size_and_nearby() {
    let problems = vec![
        problem(&[100], &[(0, 1)], &[1, 0]),
        problem(&[10_000], &[(0, 0)], &[0, 1]),
    ];
    let tunable = tunable(data(problems), &[], &[]);
    assert_eq!(chosen(tunable, 100), (Value::Int(4), Reason::Exact));
    assert_eq!(chosen(tunable, 10_000), (Value::Int(8), Reason::Exact));
    assert_eq!(chosen(tunable, 350), (Value::Int(4), Reason::NearestSize));
    assert_eq!(chosen(tunable, 3000), (Value::Int(8), Reason::NearestSize));
    // Far from both: the two begin with the nearer one's winner, and learn together.
    assert_eq!(chosen(tunable, 900), (Value::Int(4), Reason::NearestSize));
    assert_eq!(chosen(tunable, 1100), (Value::Int(4), Reason::NearestSize));
    for odd in [0, -1, i64::MIN, i64::MAX] {
        chosen(tunable, odd);
    }
    for (size, problem) in [(3000, 10_000), (1100, 100)] {
        let choice = tunable.config_of(&[size]).unwrap();
        let (own, from) = (vec![("m", size)], vec![("m", problem)]);
        assert_eq!((choice.sizes, choice.problem), (own, from));
    }
    assert_eq!(tunable.first_valid(&[100]).unwrap().to_string(), "M=2");
    assert_eq!(tunable.top_ranked(&[100]).unwrap().to_string(), "M=4");
}

#[test]
fn a_problem_not_tuned_here_borrows_the_nearest_one_that_was() {
    let problems = vec![
        problem(&[100], &[(1, 0)], &[0, 1]),
        problem(&[200], &[(0, 1)], &[1, 0]),
        problem(&[9000], &[(0, 2)], &[2, 0]),
    ];
    let tunable = tunable(data(problems), &[], &[]);
    assert_eq!(chosen(tunable, 100), (Value::Int(4), Reason::NearestSize));
    assert_eq!(tunable.config_of(&[100]).unwrap().problem, [("m", 200)]);
}

#[test]
fn unknown_device_follows_the_model_and_prefers_winners_in_a_tie() {
    let another = |order| problem(&[64], &[(1, 0)], order);
    let predicted = tunable(data(vec![another(&[0, 1, 2])]), &[], &[]);
    assert_eq!(chosen(predicted, 64), (Value::Int(2), Reason::Predicted));
    let other = Reason::OtherDevice {
        device: "another device",
    };
    let alone = tunable(data(vec![another(&[0])]), &[], &[]);
    assert_eq!(chosen(alone, 64), (Value::Int(8), other.clone()));
    let tie = leaked(data(vec![another(&[0, 1, 2])]), &[], &[]);
    let rank = |_: &crate::__private::Scope<'_>| ops::number(Value::Int(1));
    tie.rules = Box::leak(Box::new(Rules { rank, ..*tie.rules }));
    assert_eq!(chosen(tie, 64), (Value::Int(8), other));
}

#[test]
fn what_nobody_verified_serves_only_where_it_won() {
    let in_order = |winners, unverified, order| {
        let data = Data {
            unverified,
            ..data(vec![problem(&[64], winners, order)])
        };
        chosen(tunable(data, &[], &[]), 64)
    };
    let of = |winners, unverified| in_order(winners, unverified, &[2, 1, 0]);
    // The model would take candidate 2, which won on another device.
    assert_eq!(of(&[(1, 2)], &[2]), (Value::Int(4), Reason::Predicted));
    assert_eq!(of(&[(0, 2)], &[2]), (Value::Int(2), Reason::Exact));
    let other = Reason::OtherDevice {
        device: "another device",
    };
    assert_eq!(of(&[(1, 2)], &[0, 1, 2]), (Value::Int(2), other));
    // What was verified, candidates 3 and 4, runs on other devices only: better that than nothing.
    let predicted = in_order(&[(1, 3)], &[1], &[3, 4, 1]);
    assert_eq!(predicted, (Value::Int(4), Reason::Predicted));
}

#[test]
fn what_cannot_run_here_is_never_chosen() {
    // Candidate 3 won here once (then the machine changed), 4 is for another device.
    let order: &[u16] = &[3, 4, 0];
    let tunable = tunable(data(vec![problem(&[64], &[(0, 3)], order)]), &[], &[]);
    assert_eq!(chosen(tunable, 64), (Value::Int(8), Reason::Predicted));
    let configs: Vec<Config> = tunable.candidates().collect();
    assert_eq!(with(tunable, &configs[0], 64), Ok(0));
    for (config, why) in [
        (configs[3], "lacks no-such-feature"),
        (configs[4], "another device only"),
    ] {
        let error = with(tunable, &config, 64).unwrap_err().to_string();
        assert!(error.contains(why) && !error.contains("help"), "{error}");
    }
}

#[test]
fn sizes_that_break_a_condition_get_the_next_that_fits() {
    let order: &[u16] = &[0, 1, 2];
    let tunable = tunable(data(vec![problem(&[64], &[(0, 0)], order)]), SIZED, &[]);
    assert_eq!(chosen(tunable, 72), (Value::Int(8), Reason::NearestSize));
    assert_eq!(chosen(tunable, 68), (Value::Int(4), Reason::NextThatFits));
    assert_eq!(chosen(tunable, 66), (Value::Int(2), Reason::NextThatFits));
    let error = tunable.config_of(&[65]).unwrap_err();
    let Error::NoConfig(details) = &error else {
        panic!("{error}")
    };
    assert_eq!(
        (details.tried.len(), &details.sizes[..]),
        (3, &[("m", 65)][..])
    );
    assert!(
        error
            .to_string()
            .contains("`m.is_multiple_of(M)` does not hold"),
        "{error}"
    );
    // And the same for a config of the caller's choice.
    let first = tunable.candidates().next().unwrap();
    assert_eq!(with(tunable, &first, 64), Ok(0));
    assert!(matches!(with(tunable, &first, 68), Err(Error::NoConfig(_))));
}

#[test]
fn a_condition_without_a_value_does_not_hold() {
    const DIVIDES: &[Require] = &[Require {
        text: "64 / m >= 0",
        sized: true,
        holds: |scope| {
            let ratio = ops::div(Value::Int(64), Value::Int(scope.sizes[0]))?;
            ops::truth(ops::ge(ratio, Value::Int(0))?)
        },
    }];
    let tunable = tunable(data(vec![problem(&[64], &[(0, 0)], &[0])]), DIVIDES, &[]);
    let error = tunable.config_of(&[0]).unwrap_err().to_string();
    assert!(
        error.contains("`64 / m >= 0` has no value: attempt to divide 64 by 0"),
        "{error}"
    );
}

#[test]
fn selecting_arguments_match_exactly() {
    let of = |act: &'static str, variant, order| Problem {
        consts: Vec::leak(vec![Value::Int(0), Value::Str(act)]),
        variant,
        ..problem(&[64], &[], order)
    };
    let mut data = data(vec![of("relu", 0, &[0]), of("silu", 1, &[1])]);
    data.consts = &["OTHER", "ACT"];
    let tunable = tunable(data, &[], &[1]);
    let select = |act: &str| {
        let pull = tunable.pull(&[7], &[Selector::Str(act)]);
        pull.map(|pull| pull.candidate())
    };
    assert_eq!((select("relu"), select("silu")), (Ok(0), Ok(1)));
    assert_eq!(
        select("gelu").unwrap_err().to_string(),
        r#"gemm: no `problem(..)` has ACT = "gelu"; there are problems for: ACT = "relu"; ACT = "silu""#
    );
    assert!(matches!(
        tunable.pull(&[7], &[Selector::Int(1)]),
        Err(Error::NoProblem(_))
    ));
}

#[test]
fn foreign_configs_and_wrong_numbers_of_sizes_are_errors() {
    let tunable = tunable(data(vec![problem(&[64], &[], &[0])]), &[], &[]);
    let foreign = Config::new(&["N"], std::slice::from_ref(&MS[0]));
    let error = with(tunable, &foreign, 64).unwrap_err();
    assert!(
        error.to_string().contains("carries no config N=8"),
        "{error}"
    );
    let error = tunable.config_of(&[1, 2]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "gemm: 2 sizes were given where 1 are expected (m)"
    );
}

/// Calls of a size until that is settled; what on.
fn settle_at(tunable: &Tunable, size: i64, time: impl Fn(usize) -> f64) -> Value {
    for _ in 0..20_000 {
        let pull = tunable.pull(&[size], &[]).unwrap();
        let seconds = time(pull.candidate());
        pull.took(seconds);
        let choice = tunable.config_of(&[size]).unwrap();
        if matches!(choice.reason, Reason::Learned { .. }) {
            return choice.config.get("M").unwrap();
        }
    }
    panic!("{:?}", tunable.status());
}

/// What serves a call by the short ways, else by the long one.
fn served(tunable: &Tunable, size: i64) -> Value {
    let short = tunable.settled_exactly(&[size], &[]);
    let short = short.or_else(|| tunable.settled_otherwise(&[size], &[]));
    let candidate = short.unwrap_or_else(|| tunable.pull(&[size], &[]).unwrap().candidate());
    tunable.config(candidate).get("M").unwrap()
}

#[test]
fn what_one_size_taught_serves_another_only_where_it_fits() {
    // All in one bucket. The fastest, M = 8, fits 72 and 64, not 68 and 66.
    let order: &[u16] = &[0, 1, 2];
    let problems = vec![problem(&[68], &[], order), problem(&[72], &[], order)];
    let tunable = tunable(data(problems), SIZED, &[]);
    let time = |candidate: usize| [1e-3, 2e-3, 4e-3][candidate];
    assert_eq!(settle_at(tunable, 72, time), Value::Int(8));
    for _ in 0..100 {
        assert_eq!(served(tunable, 72), Value::Int(8));
        assert_eq!(served(tunable, 64), Value::Int(8));
        assert_eq!(served(tunable, 68), Value::Int(4));
        assert_eq!(served(tunable, 66), Value::Int(2));
    }
}

#[test]
fn what_calls_taught_replaces_no_winner_of_the_lock() {
    // 72 was tuned here, and its winner does not fit 68, a problem that nobody has measured.
    let order: &[u16] = &[0, 1, 2];
    let problems = vec![problem(&[72], &[(0, 0)], order), problem(&[68], &[], order)];
    let tunable = tunable(data(problems), SIZED, &[]);
    let time = |candidate: usize| [4e-3, 3e-3, 1e-3][candidate];
    assert_eq!(settle_at(tunable, 68, time), Value::Int(2));
    assert_eq!(served(tunable, 72), Value::Int(8));
    assert_eq!(chosen(tunable, 72), (Value::Int(8), Reason::Exact));
}
