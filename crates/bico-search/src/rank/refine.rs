//! The ranking looked at again, once its best are compiled: what a kernel takes of a GPU's
//! multiprocessor says how many of its blocks run there at a time.

use super::{Kind, Ranked};
use bico_core::Value;
use bico_core::device::Resources;
use bico_core::model;
use bico_syntax::bind::Bound;

/// Ranks configs whose compiled code is known by their predicted time with it, among the others as they
/// were. A ranking by the author's `score` stays as it is.
pub fn refine(ranked: Ranked, bound: &Bound<'_>, known: &[(u64, Vec<Value>, Resources)]) -> Ranked {
    if ranked.kind == Kind::Score {
        return ranked;
    }
    let mut predicted = ranked.predicted.clone();
    for (config, values, resources) in known {
        let place = ranked.position(*config);
        // What cannot be evaluated was reported when the space was ranked.
        if let (Some(place), Ok(mut work)) = (place, bound.work(values)) {
            if let Some(launch) = &mut work.launch {
                launch.registers = Some(resources.registers.into());
                let fixed = i64::from(resources.shared_bytes);
                launch.shared_bytes = launch.shared_bytes.saturating_add(fixed);
                launch.spills = resources.spill_bytes > 0;
            }
            predicted[place] = model::predict(bound.facts, &work);
        }
    }
    Ranked::new(ranked.order, predicted, Kind::Seconds)
}
