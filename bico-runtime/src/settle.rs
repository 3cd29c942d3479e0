//! The cold side of dispatch: deciding which candidate a problem's slot gets, and explaining it.

use crate::choice::Reason;
use crate::data::Problem;
use crate::device::Facts;
use crate::dispatch::{Tunable, UNSETTLED};
use crate::error::{NoConfig, NoProblem};
use crate::rules::Selector;
use crate::{Choice, Config, Error, Result, model};
use core::sync::atomic::Ordering;

/// Where a decision comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Basis {
    /// The winner on this device, of the problem of this index.
    Tuned(usize),
    /// The model's ranking for this device.
    Ranked,
}

/// The candidate of a call that no slot answers.
#[cold]
#[inline(never)]
pub(crate) fn select(tunable: &Tunable, sizes: &[i64], given: &[Selector<'_>]) -> Result<usize> {
    let problem = tunable.problem(sizes, given)?;
    if tunable.slots[problem].load(Ordering::Relaxed) == UNSETTLED
        && let Some(candidate) = settle(tunable, problem)
        && tunable.fits(candidate, problem, sizes)
    {
        return Ok(candidate);
    }
    next_that_fits(tunable, problem, sizes)
}

/// Decides for a problem and remembers it, unless nothing can run here at its own sizes.
fn settle(tunable: &Tunable, problem: usize) -> Option<usize> {
    let (candidate, _) = decide(tunable, problem)?;
    // Two threads may get here at once; both decide the same.
    tunable.slots[problem].store(UNSETTLED + 1 + candidate as u32, Ordering::Relaxed);
    Some(candidate)
}

fn decide(tunable: &Tunable, index: usize) -> Option<(usize, Basis)> {
    let data = tunable.data;
    let problem = &data.problems[index];
    let runs = |&candidate: &usize| {
        able(tunable, candidate) && tunable.fits(candidate, index, problem.sizes)
    };
    let tuned = tuned(tunable, index).filter(|(candidate, _)| runs(candidate));
    if let Some((candidate, at)) = tuned {
        return Some((candidate, Basis::Tuned(at)));
    }
    // The first of the best: `order` begins with the winners of other devices.
    let ranked = problem
        .order
        .iter()
        .map(|&candidate| usize::from(candidate))
        .filter(runs);
    let best = ranked
        .map(|candidate| (candidate, rank(tunable, candidate, index)))
        .reduce(|best, next| if next.1 < best.1 { next } else { best })?;
    Some((best.0, Basis::Ranked))
}

/// This device's winner for a problem or, where that was not tuned here, for the nearest one of the
/// same constants that was.
fn tuned(tunable: &Tunable, index: usize) -> Option<(usize, usize)> {
    let data = tunable.data;
    let device = data
        .devices
        .iter()
        .position(|key| *key == Facts::host_key())?;
    let winner = |problem: &Problem| {
        let mut winners = problem.winners.iter();
        winners
            .find(|(d, _)| usize::from(*d) == device)
            .map(|(_, c)| usize::from(*c))
    };
    let width = data.sizes.len();
    let logs = |i: usize| &tunable.logs[i * width..(i + 1) * width];
    let distance = |i: usize| -> i64 {
        logs(index)
            .iter()
            .zip(logs(i))
            .map(|(a, b)| (a - b) * (a - b))
            .sum()
    };
    let variant = data.problems[index].variant;
    (0..data.problems.len())
        .filter(|&i| data.problems[i].variant == variant)
        .filter_map(|i| winner(&data.problems[i]).map(|candidate| (candidate, i)))
        .min_by_key(|&(_, i)| (i != index, distance(i)))
}

/// Smaller is better. Where the expression has no value, the candidate comes last.
fn rank(tunable: &Tunable, candidate: usize, problem: usize) -> f64 {
    let mut scope = tunable.scope(candidate, problem, tunable.data.problems[problem].sizes);
    let of = &tunable.data.candidates[candidate];
    scope.vector_bits = model::vector_bits_of(of.needs, !of.only_on.is_empty());
    match (tunable.rules.rank)(&scope) {
        Ok(rank) if !rank.is_nan() => rank,
        _ => f64::INFINITY,
    }
}

/// Whether this device can run a candidate at all.
fn able(tunable: &Tunable, candidate: usize) -> bool {
    const YES: u8 = 1;
    const NO: u8 = 2;
    let known = &tunable.able[candidate];
    match known.load(Ordering::Relaxed) {
        YES => true,
        NO => false,
        _ => {
            let able = lacks(tunable, candidate).is_none();
            known.store(if able { YES } else { NO }, Ordering::Relaxed);
            able
        }
    }
}

/// Why this device cannot run a candidate.
fn lacks(tunable: &Tunable, candidate: usize) -> Option<String> {
    let of = &tunable.data.candidates[candidate];
    if let Some(need) = of.needs.iter().find(|need| !Facts::host().has(need)) {
        return Some(format!("this CPU lacks {need}"));
    }
    if !of.only_on.is_empty() && !of.only_on.contains(&Facts::host_key()) {
        return Some(format!("it was built for {} only", of.only_on.join(", ")));
    }
    let problem = tunable
        .data
        .problems
        .iter()
        .position(|p| p.variant == of.variant)?;
    broken(tunable, candidate, problem, &[], false)
}

/// The first condition that does not hold, of those that name sizes or of the others.
fn broken(
    tunable: &Tunable,
    candidate: usize,
    problem: usize,
    sizes: &[i64],
    sized: bool,
) -> Option<String> {
    let scope = tunable.scope(candidate, problem, sizes);
    let mut conditions = tunable
        .rules
        .require
        .iter()
        .filter(|require| require.sized == sized);
    conditions.find_map(|require| match (require.holds)(&scope) {
        Ok(true) => None,
        Ok(false) => Some(format!("`{}` does not hold", require.text)),
        Err(error) => Some(format!("`{}` has no value: {error}", require.text)),
    })
}

/// The first candidate in the problem's order that runs here and fits the call's sizes.
fn next_that_fits(tunable: &Tunable, problem: usize, sizes: &[i64]) -> Result<usize> {
    let order = || {
        tunable.data.problems[problem]
            .order
            .iter()
            .map(|&c| usize::from(c))
    };
    order()
        .find(|&c| able(tunable, c) && tunable.fits(c, problem, sizes))
        .ok_or_else(|| no_config(tunable, problem, sizes, order()))
}

fn no_config(
    tunable: &Tunable,
    problem: usize,
    sizes: &[i64],
    candidates: impl Iterator<Item = usize>,
) -> Error {
    let mut tried = Vec::new();
    let mut sized = false;
    for candidate in candidates {
        let why = lacks(tunable, candidate).or_else(|| {
            sized = true;
            broken(tunable, candidate, problem, sizes, true)
        });
        tried.extend(why.map(|why| (config(tunable, candidate), why)));
    }
    let sizes = named(tunable, sizes);
    Error::NoConfig(Box::new(NoConfig {
        tunable: tunable.data.key,
        sizes,
        tried,
        sized,
    }))
}

/// No problem has the constants that the arguments select.
pub(crate) fn no_problem(tunable: &Tunable, given: &[Selector<'_>]) -> Error {
    let names = || {
        tunable
            .rules
            .selectors
            .iter()
            .map(|&at| (at, tunable.data.consts[at]))
    };
    let text = |selector: &Selector<'_>| match *selector {
        Selector::Int(x) => x.to_string(),
        Selector::Bool(x) => x.to_string(),
        Selector::Str(x) => format!("{x:?}"),
    };
    let known = tunable.data.problems.iter();
    Error::NoProblem(Box::new(NoProblem {
        tunable: tunable.data.key,
        given: names()
            .zip(given)
            .map(|((_, name), value)| (name, text(value)))
            .collect(),
        known: known
            .map(|problem| {
                names()
                    .map(|(at, name)| (name, problem.consts[at]))
                    .collect()
            })
            .collect(),
    }))
}

pub(crate) fn with_config(
    tunable: &Tunable,
    config: &Config,
    sizes: &[i64],
    given: &[Selector<'_>],
) -> Result<usize> {
    let problem = tunable.problem(sizes, given)?;
    let variant = tunable.data.problems[problem].variant;
    let mut candidates = tunable.data.candidates.iter();
    let found = candidates.position(|candidate| {
        candidate.variant == variant
            && *config == Config::new(tunable.data.parameters, candidate.values)
    });
    let Some(candidate) = found else {
        let config = Box::new(*config);
        return Err(Error::UnknownConfig {
            tunable: tunable.data.key,
            config,
        });
    };
    if able(tunable, candidate) && tunable.fits(candidate, problem, sizes) {
        return Ok(candidate);
    }
    Err(no_config(
        tunable,
        problem,
        sizes,
        core::iter::once(candidate),
    ))
}

pub(crate) fn choice(tunable: &Tunable, sizes: &[i64], given: &[Selector<'_>]) -> Result<Choice> {
    let candidate = tunable.select(sizes, given)?;
    let problem = tunable.problem(sizes, given)?;
    let data = tunable.data;
    let mut from = problem;
    let reason = match decide(tunable, problem) {
        Some((decided, _)) if decided != candidate => Reason::NextThatFits,
        None => Reason::NextThatFits,
        Some((_, Basis::Tuned(at))) => {
            from = at;
            if data.problems[at].sizes == sizes {
                Reason::Exact
            } else {
                Reason::NearestSize
            }
        }
        Some((_, Basis::Ranked)) => {
            let mut winners = data.problems[problem].winners.iter();
            let winner = winners.find(|(_, c)| usize::from(*c) == candidate);
            match winner.and_then(|(device, _)| data.devices.get(usize::from(*device))) {
                Some(device) => Reason::OtherDevice { device },
                None => Reason::Predicted,
            }
        }
    };
    Ok(Choice {
        tunable: data.key,
        config: config(tunable, candidate),
        reason,
        sizes: named(tunable, sizes),
        problem: named(tunable, data.problems[from].sizes),
        device: Facts::host_key().to_string(),
    })
}

fn config(tunable: &Tunable, candidate: usize) -> Config {
    Config::new(
        tunable.data.parameters,
        tunable.data.candidates[candidate].values,
    )
}

fn named(tunable: &Tunable, sizes: &[i64]) -> Vec<(&'static str, i64)> {
    tunable
        .data
        .sizes
        .iter()
        .copied()
        .zip(sizes.iter().copied())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::__private::{AtomicU8, AtomicU32, Candidate, Data, Require, Rules, ops};
    use crate::Value;

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

    fn problem(
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
    fn data(problems: Vec<Problem>) -> Data {
        Data {
            fingerprint: 0,
            key: "gemm",
            parameters: &["M"],
            sizes: &["m"],
            consts: &[],
            candidates: candidates(),
            problems: Vec::leak(problems),
            devices: Vec::leak(vec![Facts::host_key(), "another device"]),
            source: None,
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
    fn tunable(data: Data, require: &'static [Require], selectors: &'static [usize]) -> Tunable {
        let rank = |scope: &crate::__private::Scope<'_>| ops::number(scope.parameters[0]);
        let rules = Rules {
            require,
            sized: !require.is_empty(),
            selectors,
            launch: None,
            rank,
        };
        let data: &'static Data = Box::leak(Box::new(data));
        let slots = data
            .problems
            .iter()
            .map(|_| AtomicU32::new(UNSETTLED))
            .collect();
        let able = data.candidates.iter().map(|_| AtomicU8::new(0)).collect();
        let logs = data
            .problems
            .iter()
            .flat_map(|p| p.sizes)
            .map(|&s| crate::dispatch::log2(s));
        Tunable::new(
            data,
            Box::leak(Box::new(rules)),
            Vec::leak(logs.collect()),
            Vec::leak(slots),
            Vec::leak(able),
        )
    }

    fn chosen(tunable: &Tunable, size: i64) -> (Value, Reason) {
        let choice = tunable.config_of(&[size]).unwrap();
        // Settled now: the short way must say the same.
        assert_eq!(tunable.config_of(&[size]), Ok(choice.clone()));
        (choice.config.get("M").unwrap(), choice.reason)
    }

    #[test]
    fn own_winner_at_its_size_and_nearby() {
        let problems = vec![
            problem(&[100], &[(0, 1)], &[1, 0]),
            problem(&[10_000], &[(0, 0)], &[0, 1]),
        ];
        let tunable = tunable(data(problems), &[], &[]);
        assert_eq!(chosen(&tunable, 100), (Value::Int(4), Reason::Exact));
        assert_eq!(chosen(&tunable, 10_000), (Value::Int(8), Reason::Exact));
        // The middle in the logarithm is 1000.
        assert_eq!(chosen(&tunable, 900), (Value::Int(4), Reason::NearestSize));
        assert_eq!(chosen(&tunable, 1100), (Value::Int(8), Reason::NearestSize));
        for odd in [0, -1, i64::MIN, i64::MAX] {
            chosen(&tunable, odd);
        }
        let choice = tunable.config_of(&[1100]).unwrap();
        assert_eq!(
            (choice.sizes, choice.problem),
            (vec![("m", 1100)], vec![("m", 10_000)])
        );
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
        assert_eq!(chosen(&tunable, 100), (Value::Int(4), Reason::NearestSize));
        assert_eq!(tunable.config_of(&[100]).unwrap().problem, [("m", 200)]);
    }

    #[test]
    fn unknown_device_follows_the_model_and_prefers_winners_in_a_tie() {
        let another = |order| problem(&[64], &[(1, 0)], order);
        let predicted = tunable(data(vec![another(&[0, 1, 2])]), &[], &[]);
        assert_eq!(chosen(&predicted, 64), (Value::Int(2), Reason::Predicted));
        let other = Reason::OtherDevice {
            device: "another device",
        };
        let alone = tunable(data(vec![another(&[0])]), &[], &[]);
        assert_eq!(chosen(&alone, 64), (Value::Int(8), other.clone()));
        let mut tie = tunable(data(vec![another(&[0, 1, 2])]), &[], &[]);
        let rank = |_: &crate::__private::Scope<'_>| ops::number(Value::Int(1));
        tie.rules = Box::leak(Box::new(Rules {
            require: &[],
            sized: false,
            selectors: &[],
            launch: None,
            rank,
        }));
        assert_eq!(chosen(&tie, 64), (Value::Int(8), other));
    }

    #[test]
    fn what_cannot_run_here_is_never_chosen() {
        // Candidate 3 won here once (then the machine changed), 4 is for another device.
        let order: &[u16] = &[3, 4, 0];
        let tunable = tunable(data(vec![problem(&[64], &[(0, 3)], order)]), &[], &[]);
        assert_eq!(chosen(&tunable, 64), (Value::Int(8), Reason::Predicted));
        let configs: Vec<Config> = tunable.candidates().collect();
        assert_eq!(tunable.with_config(&configs[0], &[64], &[]), Ok(0));
        for (config, why) in [
            (configs[3], "lacks no-such-feature"),
            (configs[4], "another device only"),
        ] {
            let error = tunable
                .with_config(&config, &[64], &[])
                .unwrap_err()
                .to_string();
            assert!(error.contains(why) && !error.contains("help"), "{error}");
        }
    }

    #[test]
    fn sizes_that_break_a_condition_get_the_next_that_fits() {
        let order: &[u16] = &[0, 1, 2];
        let tunable = tunable(data(vec![problem(&[64], &[(0, 0)], order)]), SIZED, &[]);
        assert_eq!(chosen(&tunable, 72), (Value::Int(8), Reason::NearestSize));
        assert_eq!(chosen(&tunable, 68), (Value::Int(4), Reason::NextThatFits));
        assert_eq!(chosen(&tunable, 66), (Value::Int(2), Reason::NextThatFits));
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
        assert_eq!(tunable.with_config(&first, &[64], &[]), Ok(0));
        assert!(matches!(
            tunable.with_config(&first, &[68], &[]),
            Err(Error::NoConfig(_))
        ));
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
        let select = |act: &str| tunable.select(&[7], &[Selector::Str(act)]);
        assert_eq!((select("relu"), select("silu")), (Ok(0), Ok(1)));
        assert_eq!(
            select("gelu").unwrap_err().to_string(),
            r#"gemm: no `problem(..)` has ACT = "gelu"; there are problems for: ACT = "relu"; ACT = "silu""#
        );
        assert!(matches!(
            tunable.select(&[7], &[Selector::Int(1)]),
            Err(Error::NoProblem(_))
        ));
    }

    #[test]
    fn foreign_configs_and_wrong_numbers_of_sizes_are_errors() {
        let tunable = tunable(data(vec![problem(&[64], &[], &[0])]), &[], &[]);
        let foreign = Config::new(&["N"], std::slice::from_ref(&MS[0]));
        let error = tunable.with_config(&foreign, &[64], &[]).unwrap_err();
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
}
