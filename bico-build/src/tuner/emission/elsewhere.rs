//! What a program carries for kinds of GPU on which nothing of what the locks know runs: the winners of a large GPU
//! may need what no lesser one has, and code for one generation may run on no other.

use super::candidate::Candidates;
use super::served::Served;
use crate::tuner::predict;
use crate::tuner::stored::Values;
use bico_core::Set;
use bico_core::device::Facts;
use bico_syntax::bind::Bound;

/// Configs that are predicted where none was measured: two, so that calls have something to learn.
const PREDICTED: usize = 2;

/// The compute capability that kernels are written around, asynchronous copies above all. What is older compiles the source.
pub(super) const EARLIEST: u16 = 80;

/// A config that a program carries.
pub(super) struct Chosen {
    pub values: Values,
    /// Compute capabilities that it is compiled for beside those of the locks' devices.
    pub also: Set<u16>,
}

impl Chosen {
    pub(super) fn new(values: Values) -> Chosen {
        Chosen {
            values,
            also: Set::default(),
        }
    }
}

/// Sees to it that something runs on each kind of GPU that the space has configs for: one of the `chosen`, for which code
/// is added where it has none for that kind, else the fastest of what was measured elsewhere, else what is predicted.
pub(super) fn see_to_others(
    common: &Candidates<'_>,
    served: &[&Served<'_>],
    chosen: &mut Vec<Chosen>,
) {
    // Without winners all is predicted, for one of these kinds.
    let Some(oldest) = common.known.values().min().copied() else {
        return;
    };
    for facts in &common.devices.kinds {
        for of in served.iter().filter(|of| !of.winners.is_empty()) {
            see_to(common, of, facts, oldest, chosen);
        }
    }
}

fn see_to(
    common: &Candidates<'_>,
    of: &Served<'_>,
    facts: &Facts,
    oldest: u16,
    chosen: &mut Vec<Chosen>,
) {
    let spec = &common.plan.found.spec;
    // An expression that has no value there names no config either.
    let (Ok(bound), Some(capability)) = (
        Bound::new(spec, facts, &of.problem.scope),
        facts.capability(),
    ) else {
        return;
    };
    let is_config = |values: &Values| bound.rules.why_not(values).is_none();
    let is_compiled = |chosen: &Chosen| {
        let kernel = &spec.kernels[bound.kernel(&chosen.values)];
        // PTX of an older one runs there, too. Of exact code it has the source.
        let earlier = chosen.also.iter().any(|of| *of <= capability);
        oldest <= capability || earlier || kernel.host || kernel.exact
    };
    if chosen
        .iter()
        .any(|of| is_config(&of.values) && is_compiled(of))
    {
        return;
    }
    // PTX for the first kind that it is a config of: there are GPUs in between.
    let code_for = |values: &Values| match spec.kernels[bound.kernel(values)].exact {
        true => capability,
        false => common.devices.least(&bound, values).max(EARLIEST),
    };
    if let Some(own) = chosen.iter_mut().find(|of| is_config(&of.values)) {
        own.also.insert(code_for(&own.values));
        return;
    }
    let mut measured = of.winners.iter().flat_map(|winner| {
        let trials = winner.known.trials.iter().map(|(values, _)| values);
        trials.filter(|values| winner.verified.contains(values))
    });
    let more = match measured.find(|values| is_config(values)) {
        Some(fastest) => vec![fastest.clone()],
        None => predict(spec, facts, &of.problem.scope, PREDICTED).unwrap_or_default(),
    };
    for values in more {
        let also = Set::from_iter([code_for(&values)]);
        chosen.push(Chosen { values, also });
    }
}
