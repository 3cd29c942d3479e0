//! How many configs each condition removes.
//!
//! A count is that of the space which some of the conditions leave, built as a decision diagram as in a build
//! (`bico_search::space`): parameters without a common condition multiply without being multiplied out, so that
//! spaces of 2^40 configs and more are counted, too, and nothing is enumerated.

use bico_search::space::Space;
use bico_syntax::bind::{Bound, Rules};
use serde::Serialize;
use std::rc::Rc;

/// A condition with what it removes; `None` where that cannot be counted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Condition {
    pub(crate) text: String,
    /// Whether the author wrote it, or every launch on the GPU must meet it.
    pub(crate) written: bool,
    /// Were it the only one.
    pub(crate) alone: Option<u64>,
    /// After those before it.
    pub(crate) in_order: Option<u64>,
    /// What is left then.
    pub(crate) left: Option<u64>,
    /// What would come back without it.
    pub(crate) only_it: Option<u64>,
}

/// The conditions in the order of the attribute, then those of the GPU. What cannot be counted is noted.
pub(super) fn of(
    bound: &Bound<'_>,
    combinations: Option<u64>,
    notes: &mut Vec<String>,
) -> Vec<Condition> {
    let rules = &bound.rules;
    let all = without(bound, &|_| false).ok();
    let mut left = combinations;
    let mut conditions = Vec::new();
    for (at, condition) in rules.conditions.iter().enumerate() {
        let text = condition.text();
        let mut count = |dropped: &dyn Fn(usize) -> bool, how: &str| {
            let counted = without(bound, dropped);
            counted
                .map_err(|why| notes.push(format!("`{text}` {how} is not counted: {why}")))
                .ok()
        };
        let alone = count(&|other| other != at, "alone");
        let after = count(&|other| other > at, "in order");
        let others = count(&|other| other == at, "left out");
        let less = |from: Option<u64>, to: Option<u64>| Some(from?.saturating_sub(to?));
        conditions.push(Condition {
            text: text.to_string(),
            written: at < bound.spec.require.len(),
            alone: less(combinations, alone),
            in_order: less(left, after),
            left: after,
            only_it: less(others, all),
        });
        left = after;
    }
    conditions
}

/// How many configs there are without the conditions that are `dropped`.
///
/// # Errors
///
/// Why they cannot be counted: an expression fails without the condition that guarded it, or there are too many.
pub(super) fn without(bound: &Bound<'_>, dropped: &dyn Fn(usize) -> bool) -> Result<u64, String> {
    let rules = &bound.rules;
    let kept: Vec<usize> = (0..rules.conditions.len())
        .filter(|at| !dropped(*at))
        .collect();
    let place = |at: &usize| kept.iter().position(|kept| kept == at);
    let fewer = Rules {
        names: rules.names.clone(),
        domains: rules.domains.clone(),
        conditions: kept
            .iter()
            .map(|at| rules.conditions[*at].clone())
            .collect(),
        tests: rules
            .tests
            .iter()
            .map(|tests| tests.iter().filter_map(place).collect())
            .collect(),
    };
    let mut bound = bound.clone();
    bound.rules = Rc::new(fewer);
    let space = Space::new(&bound).map_err(|error| error.message)?;
    Ok(space.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use bico_core::device::{CpuFacts, Facts};
    use bico_syntax::bind::Scope;

    fn counted(text: &str) -> (Option<u64>, Vec<Condition>, Vec<String>) {
        let spec = bico_search::space::spec(text).unwrap();
        let facts = Facts::Cpu(CpuFacts::default());
        let bound = Bound::new(&spec, &facts, &Scope::default()).unwrap();
        let combinations = without(&bound, &|_| true).ok();
        let mut notes = Vec::new();
        let conditions = of(&bound, combinations, &mut notes);
        (combinations, conditions, notes)
    }

    fn numbers(conditions: &[Condition]) -> Vec<[Option<u64>; 4]> {
        let all = conditions.iter();
        all.map(|of| [of.alone, of.in_order, of.left, of.only_it])
            .collect()
    }

    #[test]
    fn what_each_condition_removes() {
        // Of the 9 pairs: A < B keeps 3, A + B < 5 keeps 6, A > 0 all.
        let text = "space(A in [1, 2, 3], B in [1, 2, 3]), require(A < B, A + B < 5, A > 0)";
        let (combinations, conditions, notes) = counted(text);
        assert_eq!((combinations, notes), (Some(9), Vec::new()));
        let some = |of: [u64; 4]| of.map(Some);
        assert_eq!(
            numbers(&conditions),
            // (1,2) and (1,3) are left; without A < B there would be (1,1), (2,1), (2,2), (3,1) more.
            [some([6, 6, 3, 4]), some([3, 1, 2, 1]), some([0, 0, 2, 0])]
        );
    }

    #[test]
    fn what_another_condition_guards_is_not_counted_alone() {
        let text = "space(A in [0, 1, 2], B in [1, 2]), require(A != 0, B % A == 0)";
        let (combinations, conditions, notes) = counted(text);
        assert_eq!(combinations, Some(6));
        assert_eq!(
            numbers(&conditions),
            [
                [Some(2), Some(2), Some(4), None],
                [None, Some(1), Some(3), Some(1)]
            ]
        );
        assert_eq!(notes.len(), 2, "{notes:?}");
        assert!(notes[0].starts_with("`A != 0` left out is not counted: in `B % A`"));
        assert!(notes[1].starts_with("`B % A == 0` alone is not counted: in `B % A`"));
    }

    #[test]
    fn spaces_that_nobody_could_walk_are_counted() {
        let parameters: Vec<String> = (0..10).map(|at| format!("P{at} in 0..16")).collect();
        let text = format!(
            "space({}), require(P0 < P1, P8 + P9 < 3)",
            parameters.join(", ")
        );
        let (combinations, conditions, notes) = counted(&text);
        assert_eq!((combinations, notes), (Some(1 << 40), Vec::new()));
        // 120 of 256 pairs ascend; 6 of 256 have a sum below 3.
        assert_eq!(conditions[0].left, Some((1 << 32) * 120));
        assert_eq!(conditions[1].left, Some((1 << 24) * 120 * 6));
        assert_eq!(conditions[1].alone, Some((1 << 32) * 250));
    }

    #[test]
    fn more_than_can_be_counted_is_said() {
        let parameters: Vec<String> = (0..17).map(|at| format!("P{at} in 0..16")).collect();
        let text = format!("space({}), require(P0 == 0)", parameters.join(", "));
        let (combinations, conditions, _) = counted(&text);
        assert_eq!(combinations, None);
        assert_eq!((conditions[0].left, conditions[0].alone), (None, None));
    }
}
