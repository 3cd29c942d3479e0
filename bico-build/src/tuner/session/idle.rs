//! Parameters that change nothing, as far as the configs show that were compiled: two that differ only in one
//! parameter have the same code, launch, lengths and scratch. A parameter may count only where another one has some
//! value, so a few more pairs are compiled before anything is said.

use super::case::Case;
use crate::measure::{KernelMeasure, Limit};
use crate::tuner::reference::spread;
use bico_core::{Lists, Map, Set, Value};
use bico_search::search::Found;

/// Further pairs that are compiled for a parameter that changed nothing so far.
const PAIRS: u64 = 4;

/// What was seen of each parameter of each tunable: the warning, or `None` where it changed something.
#[derive(Default)]
pub(super) struct Idle(Map<(String, String), Option<String>>);

impl Idle {
    pub(super) fn warnings(self) -> impl Iterator<Item = String> {
        self.0.into_iter().filter_map(|(_, warning)| warning)
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
        let compiled = Set::from_iter(rows).into_iter();
        let compiled = compiled.filter_map(|config| {
            let seen = measure.seen(config)?;
            Some((case.space.ids(config), seen))
        });
        let compiled: Vec<(Vec<u32>, _)> = compiled.collect_vec();
        let domains = &case.bound.rules.domains;
        for (at, name) in case.bound.names().iter().enumerate() {
            if domains[at].is_derived() {
                continue;
            }
            let mut others = Map::default();
            let (mut same, mut differ) = (None, false);
            for (ids, seen) in &compiled {
                let mut rest = ids.clone();
                rest[at] = 0;
                for (derived, _) in domains.iter().enumerate().filter(|of| of.1.is_derived()) {
                    rest[derived] = 0;
                }
                let (first, known) = others.get(&rest).copied().unwrap_or((ids[at], seen));
                others.insert(rest, (first, known));
                differ |= known != seen;
                if first != ids[at] && known == seen {
                    same = Some((first, ids[at]));
                }
            }
            let pairs = match same {
                _ if differ => None,
                // Few trials make no pair. A name that the source does not have is worth one.
                None if case.plan.reaches(name) => continue,
                _ => unchanged(case, measure, at, turn),
            };
            let Some(pairs) = pairs else {
                self.0.insert((case.plan.key().into(), name.clone()), None);
                continue;
            };
            let value = |id: u32| case.space.values(at)[id as usize];
            let same = same.map(|(a, b)| (value(a), value(b)));
            let Some((a, b)) = same.or(pairs.first().copied()) else {
                continue;
            };
            let key = case.plan.key();
            let text = format!(
                "`{name}` of `{key}` changes nothing: configs that differ only there, as by {name} = {a} and {name} = {b}, have the same code, launch, lengths and scratch; use it in the kernel, or remove it from `space`"
            );
            let key = (key.into(), name.clone());
            if !self.0.contains_key(&key) {
                self.0.insert(key, Some(text));
            }
        }
    }
}

/// Values of a parameter that some pairs all over the space differ in, if it changes nothing in any of them; what there
/// is no time for may.
fn unchanged(
    case: &Case<'_>,
    measure: &mut KernelMeasure<'_>,
    at: usize,
    turn: Option<Limit>,
) -> Option<Vec<(Value, Value)>> {
    let (space, rules) = (&case.space, &case.bound.rules);
    let mut pairs = Vec::new();
    for config in spread(space.len(), PAIRS) {
        let values = space.config(config);
        let others = space.values(at).iter().rev();
        let mut others = others
            .filter(|of| **of != values[at])
            .filter_map(|of| Some((*of, rules.with(&values, &[(at, *of)]).ok()?)));
        let other = others.find_map(|(of, other)| Some((of, space.index_of(&other)?)));
        let Some((of, other)) = other else {
            continue;
        };
        if turn.is_some_and(|turn| turn.left() <= 0.0) {
            return None;
        }
        match (measure.made(config), measure.made(other)) {
            // What does not compile says nothing.
            (None, None) => {}
            (made, same) if made == same => pairs.push((values[at], of)),
            _ => return None,
        }
    }
    Some(pairs)
}
