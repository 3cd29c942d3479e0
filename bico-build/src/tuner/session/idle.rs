//! Parameters that change nothing, as far as the configs show that were compiled: two that differ only in one
//! parameter have the same code, launch, lengths and scratch. A parameter may count only where another one has some
//! value, so a few more pairs are compiled before anything is said.

use super::case::Case;
use crate::measure::{KernelMeasure, Limit};
use crate::tuner::reference::spread;
use bico_search::search::Found;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Further pairs that are compiled for a parameter that changed nothing so far.
const PAIRS: u64 = 4;

/// What was seen of each parameter of each tunable: the warning, or `None` where it changed something.
#[derive(Default)]
pub(super) struct Idle(BTreeMap<(String, String), Option<String>>);

impl Idle {
    pub(super) fn warnings(self) -> impl Iterator<Item = String> {
        self.0.into_values().flatten()
    }

    /// Looks at the configs of a search, and compiles others while there is time.
    pub(super) fn look(
        &mut self,
        case: &Case<'_>,
        measure: &mut KernelMeasure<'_>,
        found: &Found,
        turn: Option<Limit>,
    ) {
        let rows = found.trail.rows.iter().map(|row| row.config);
        let compiled = BTreeSet::from_iter(rows).into_iter();
        let compiled = compiled.filter_map(|config| {
            let seen = measure.seen(config)?;
            Some((case.space.ids(config), seen))
        });
        let compiled: Vec<(Vec<u32>, _)> = compiled.collect();
        let domains = &case.bound.rules.domains;
        for (at, name) in case.bound.names().iter().enumerate() {
            if domains[at].is_derived() {
                continue;
            }
            let mut others = HashMap::new();
            let (mut same, mut differ) = (None, false);
            for (ids, seen) in &compiled {
                let mut rest = ids.clone();
                rest[at] = 0;
                for (derived, _) in domains.iter().enumerate().filter(|of| of.1.is_derived()) {
                    rest[derived] = 0;
                }
                let (first, known) = *others.entry(rest).or_insert((ids[at], seen));
                differ |= known != seen;
                if first != ids[at] && known == seen {
                    same = Some((first, ids[at]));
                }
            }
            differ |= same.is_some() && changes(case, measure, at, turn);
            let (Some((a, b)), false) = (same, differ) else {
                if differ {
                    self.0.insert((case.plan.key().into(), name.clone()), None);
                }
                continue;
            };
            let value = |id: u32| case.space.values(at)[id as usize];
            let (key, a, b) = (case.plan.key(), value(a), value(b));
            let text = format!(
                "`{name}` of `{key}` changes nothing: configs that differ only there, as by {name} = {a} and {name} = {b}, have the same code, launch, lengths and scratch; use it in the kernel, or remove it from `space`"
            );
            let known = self.0.entry((key.into(), name.clone()));
            known.or_insert(Some(text));
        }
    }
}

/// Whether a parameter changes anything in some pairs all over the space; what there is no time for may.
fn changes(
    case: &Case<'_>,
    measure: &mut KernelMeasure<'_>,
    at: usize,
    turn: Option<Limit>,
) -> bool {
    let (space, rules) = (&case.space, &case.bound.rules);
    spread(space.len(), PAIRS).any(|config| {
        let values = space.config(config);
        let others = space
            .values(at)
            .iter()
            .rev()
            .filter(|of| **of != values[at]);
        let mut others = others.filter_map(|other| {
            let other = rules.with(&values, &[(at, *other)]).ok()?;
            space.index_of(&other)
        });
        let Some(other) = others.next() else {
            return false;
        };
        turn.is_some_and(|turn| turn.left() <= 0.0) || measure.made(config) != measure.made(other)
    })
}
