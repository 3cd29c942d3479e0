//! The cold side of dispatch: deciding which candidate a problem's slot gets, and explaining it.

use crate::choice::Reason;
use crate::device::{Facts, KernelLimits, Unlaunchable};
use crate::dispatch::{Tunable, UNSETTLED};
use crate::error::{NoConfig, NoProblem};
use crate::gpu::images;
use crate::rules::Selector;
use crate::target::{Refusal, Target};
use crate::{Choice, Config, Error, Result, model};
use core::sync::atomic::Ordering;

/// Where a decision comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Basis {
    /// The winner on this device, of the problem of this index.
    Tuned(usize),
    /// The winner on a GPU of the same compute capability.
    SameCapability(Winner),
    /// The model's ranking for this device.
    Ranked,
}

/// A winner on a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Winner {
    /// Index into the devices.
    device: usize,
    candidate: usize,
    /// Index of the problem that it won.
    at: usize,
}

/// The candidate of a call that no slot answers.
#[cold]
#[inline(never)]
pub(crate) fn select(
    tunable: &Tunable,
    on: &Target<'_>,
    sizes: &[i64],
    given: &[Selector<'_>],
) -> Result<usize> {
    let problem = tunable.problem(sizes, given)?;
    if on.slots[problem].load(Ordering::Relaxed) == UNSETTLED
        && let Some(candidate) = settle(tunable, on, problem)
        && fits(tunable, on, candidate, problem, sizes)
    {
        return Ok(candidate);
    }
    next_that_fits(tunable, on, problem, sizes)
}

/// Decides for a problem and remembers it, unless nothing can run here at its own sizes.
fn settle(tunable: &Tunable, on: &Target<'_>, problem: usize) -> Option<usize> {
    let (candidate, _) = decide(tunable, on, problem)?;
    // Two threads may get here at once; both decide the same.
    on.slots[problem].store(UNSETTLED + 1 + candidate as u32, Ordering::Relaxed);
    Some(candidate)
}

fn decide(tunable: &Tunable, on: &Target<'_>, index: usize) -> Option<(usize, Basis)> {
    let data = tunable.data;
    let problem = &data.problems[index];
    let runs = |&candidate: &usize| runs(tunable, on, candidate, index, problem.sizes);
    let own = winners(tunable, index, |key| key == on.key);
    if let Some(winner) = own.into_iter().find(|winner| runs(&winner.candidate)) {
        return Some((winner.candidate, Basis::Tuned(winner.at)));
    }
    if let Facts::Cuda(gpu) = on.facts {
        let like = format!("({})", gpu.architecture);
        let kin = winners(tunable, index, |key| {
            key != on.key && key.ends_with(like.as_str())
        });
        if let Some(winner) = kin.into_iter().find(|winner| runs(&winner.candidate)) {
            return Some((winner.candidate, Basis::SameCapability(winner)));
        }
    }
    // The first of the best: `order` begins with the winners of other devices. What the ranking puts
    // last is not even loaded.
    let mut ranked: Vec<(usize, f64)> = problem
        .order
        .iter()
        .map(|&candidate| usize::from(candidate))
        .filter(|&candidate| fits(tunable, on, candidate, index, problem.sizes))
        .map(|candidate| (candidate, rank(tunable, on, candidate, index)))
        .collect();
    ranked.sort_by(|a, b| a.1.partial_cmp(&b.1).unwrap_or(core::cmp::Ordering::Equal));
    let mut ranked = ranked.into_iter().map(|(candidate, _)| candidate);
    ranked.find(runs).map(|best| (best, Basis::Ranked))
}

/// The winners for a problem on devices of these keys, with those for other problems of the same
/// constants behind, the nearest first. Of devices with a winner for the same problem: in their order.
fn winners(tunable: &Tunable, index: usize, of: impl Fn(&str) -> bool) -> Vec<Winner> {
    let data = tunable.data;
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
    let devices: Vec<usize> = (0..data.devices.len())
        .filter(|&device| of(data.devices[device]))
        .collect();
    let mut found = Vec::new();
    for (at, problem) in data.problems.iter().enumerate() {
        if problem.variant == variant {
            found.extend(devices.iter().filter_map(|&device| {
                let mut winners = problem.winners.iter();
                let winner = winners.find(|(known, _)| usize::from(*known) == device)?;
                Some(Winner {
                    device,
                    candidate: usize::from(winner.1),
                    at,
                })
            }));
        }
    }
    found.sort_by_key(|winner| (winner.at != index, distance(winner.at), winner.at));
    // A problem that was not tuned here borrows from the nearest one that was, and from no other.
    let nearest = found.first().map(|winner| winner.at);
    found.retain(|winner| Some(winner.at) == nearest);
    found
}

/// Smaller is better. Where the expression has no value, the candidate comes last.
fn rank(tunable: &Tunable, on: &Target<'_>, candidate: usize, problem: usize) -> f64 {
    let sizes = tunable.data.problems[problem].sizes;
    let mut scope = tunable.scope(on.facts, candidate, problem, sizes);
    let of = &tunable.data.candidates[candidate];
    scope.vector_bits = model::vector_bits_of(of.needs, !of.only_on.is_empty());
    if let (Facts::Cuda(gpu), Some(code)) = (on.facts, &of.gpu) {
        scope.registers = images::registers(code.images, gpu.compute_capability);
    }
    match (tunable.rules.rank)(&scope) {
        Ok(rank) if !rank.is_nan() => rank,
        _ => f64::INFINITY,
    }
}

/// Whether a candidate can serve a call of these sizes: what is cheap to find out comes first.
fn runs(
    tunable: &Tunable,
    on: &Target<'_>,
    candidate: usize,
    problem: usize,
    sizes: &[i64],
) -> bool {
    fits(tunable, on, candidate, problem, sizes)
        && able(tunable, on, candidate)
        // Only loaded code tells how many threads its registers allow.
        && (on.code.is_none() || fits(tunable, on, candidate, problem, sizes))
}

/// Whether every condition that names a size holds, and a GPU could launch it.
fn fits(
    tunable: &Tunable,
    on: &Target<'_>,
    candidate: usize,
    problem: usize,
    sizes: &[i64],
) -> bool {
    tunable.fits(on.facts, candidate, problem, sizes)
        && unlaunchable(tunable, on, candidate, problem, sizes).is_none()
}

/// Why a GPU cannot launch a candidate at these sizes.
fn unlaunchable(
    tunable: &Tunable,
    on: &Target<'_>,
    candidate: usize,
    problem: usize,
    sizes: &[i64],
) -> Option<Unlaunchable> {
    let (Facts::Cuda(gpu), Some(launch)) = (on.facts, tunable.rules.launch) else {
        return None;
    };
    let loaded = on.code.and_then(|code| code.limits(candidate));
    let limits = loaded.unwrap_or_else(|| KernelLimits::of(gpu));
    match launch(&tunable.scope(on.facts, candidate, problem, sizes)) {
        Ok(dims) => limits.broken(&dims),
        Err(error) => Some(Unlaunchable::Eval(error)),
    }
}

/// Whether this device can run a candidate at all.
fn able(tunable: &Tunable, on: &Target<'_>, candidate: usize) -> bool {
    const YES: u8 = 1;
    const NO: u8 = 2;
    let known = &on.able[candidate];
    match known.load(Ordering::Relaxed) {
        YES => true,
        NO => false,
        _ => {
            let lacks = lacks(tunable, on, candidate);
            if lacks.as_ref().is_none_or(|refusal| refusal.lasting) {
                let able = if lacks.is_none() { YES } else { NO };
                known.store(able, Ordering::Relaxed);
            }
            lacks.is_none()
        }
    }
}

/// Why this device cannot run a candidate.
fn lacks(tunable: &Tunable, on: &Target<'_>, candidate: usize) -> Option<Refusal> {
    let of = &tunable.data.candidates[candidate];
    let never = |why| Some(Refusal { why, lasting: true });
    if let Some(need) = of.needs.iter().find(|need| !on.facts.has(need)) {
        return never(format!("this CPU lacks {need}"));
    }
    if !of.only_on.is_empty() && !of.only_on.contains(&on.key) {
        return never(format!("it was built for {} only", of.only_on.join(", ")));
    }
    let mut problems = tunable.data.problems.iter();
    let problem = problems.position(|p| p.variant == of.variant)?;
    if let Some(why) = broken(tunable, on, candidate, problem, &[], false) {
        return never(why);
    }
    on.code.and_then(|code| code.load(candidate).err())
}

/// The first condition that does not hold, of those that name sizes or of the others.
fn broken(
    tunable: &Tunable,
    on: &Target<'_>,
    candidate: usize,
    problem: usize,
    sizes: &[i64],
    sized: bool,
) -> Option<String> {
    let scope = tunable.scope(on.facts, candidate, problem, sizes);
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
fn next_that_fits(
    tunable: &Tunable,
    on: &Target<'_>,
    problem: usize,
    sizes: &[i64],
) -> Result<usize> {
    let order = || {
        tunable.data.problems[problem]
            .order
            .iter()
            .map(|&c| usize::from(c))
    };
    order()
        .find(|&c| runs(tunable, on, c, problem, sizes))
        .ok_or_else(|| no_config(tunable, on, problem, sizes, order()))
}

fn no_config(
    tunable: &Tunable,
    on: &Target<'_>,
    problem: usize,
    sizes: &[i64],
    candidates: impl Iterator<Item = usize>,
) -> Error {
    let mut tried = Vec::new();
    let mut sized = false;
    for candidate in candidates {
        let why = lacks(tunable, on, candidate).map(|refusal| refusal.why);
        let why = why.or_else(|| {
            sized = true;
            let broken = broken(tunable, on, candidate, problem, sizes, true);
            broken.or_else(|| {
                let why = unlaunchable(tunable, on, candidate, problem, sizes)?;
                Some(why.to_string())
            })
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
    on: &Target<'_>,
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
    if runs(tunable, on, candidate, problem, sizes) {
        return Ok(candidate);
    }
    Err(no_config(
        tunable,
        on,
        problem,
        sizes,
        core::iter::once(candidate),
    ))
}

pub(crate) fn choice(
    tunable: &Tunable,
    on: &Target<'_>,
    sizes: &[i64],
    given: &[Selector<'_>],
) -> Result<Choice> {
    let candidate = tunable.select_on(on, sizes, given)?;
    let problem = tunable.problem(sizes, given)?;
    let data = tunable.data;
    let mut from = problem;
    let reason = match decide(tunable, on, problem) {
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
        Some((_, Basis::SameCapability(winner))) => {
            from = winner.at;
            Reason::SameCapability {
                device: data.devices[winner.device],
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
        device: on.key.to_string(),
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
    use crate::data::Problem;

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
