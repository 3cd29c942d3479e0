//! Outputs of the reference that workers of several are asked for at once: the way to one may be long.

use super::KernelMeasure;
use super::checks::{At, Planned};
use super::outputs::{Asked, runs};
use crate::measure::awkward::Kind;
use crate::measure::clock::REFERENCES;
use crate::measure::plan::{self, CallPlan};
use crate::measure::protocol::{Call, Inputs};
use bico_core::{Lists, Set, Value};
use bico_syntax::Callee;
use std::time::Instant;

/// What the sizes of configs that come later may take, when the first one's are asked for.
const BRING_SECONDS: f64 = 1.0;
const MOST_BROUGHT: f64 = 512.0;
/// Configs among which those are sought whose tiles are others.
const LOOKED_AT: u64 = 512;

impl KernelMeasure<'_> {
    /// The first sizes at which a config will be checked, as many as are likely to do; what the reference gives there is known
    /// then, as far as it is easy to have.
    pub(super) fn bring_outputs(
        &mut self,
        config: u64,
        sizes: &mut dyn Iterator<Item = At>,
    ) -> Vec<Planned> {
        if self.pool.is_none() || self.inputs.is_some() || self.reference.is_none() {
            return Vec::new();
        }
        let mut calls = Vec::new();
        let planned = self.add_unknown(config, sizes, &mut calls);
        if !std::mem::replace(&mut self.hands.brought, true) {
            // Those of others, while it takes hardly any time.
            let each = self.reference_seconds.unwrap_or(f64::INFINITY);
            let most = (BRING_SECONDS / each).min(MOST_BROUGHT) as usize;
            let mut seen = Set::from_iter(self.candidates.tiles(config));
            for other in self.candidates.some(LOOKED_AT) {
                if calls.len() >= most {
                    break;
                }
                let tiles = self.candidates.tiles(other);
                if tiles.iter().any(|tile| !seen.contains(tile)) {
                    seen.extend(tiles.iter().copied());
                    let mut sizes = self.awkward(&tiles).into_iter();
                    self.add_unknown(other, &mut sizes, &mut calls);
                }
            }
        }
        if calls.len() > 1 && self.sits() {
            self.bring(&calls);
        }
        planned
    }

    /// How a config is called at the first of these sizes; adds the reference's calls there of which nothing is known.
    fn add_unknown(
        &mut self,
        config: u64,
        sizes: &mut dyn Iterator<Item = At>,
        calls: &mut Vec<(Call, String)>,
    ) -> Vec<Planned> {
        let first = sizes.take(plan::MOST_SIZES);
        let planned = first
            .filter_map(|at| self.plan_at(config, at))
            .collect_vec();
        for ((kind, ..), plan, scalars) in &planned {
            let label = plan::label(self.spec, scalars);
            for inputs in [Inputs::Timed, Inputs::Others] {
                let is_there = |(call, of): &(Call, String)| call.inputs == inputs && *of == label;
                let is_none = inputs == Inputs::Others && *kind == Kind::Long;
                if !is_none && !calls.iter().any(is_there) {
                    let call = self.unknown(plan, scalars, inputs);
                    calls.extend(call.map(|call| (call, label.clone())));
                }
            }
        }
        planned
    }

    fn bring(&mut self, calls: &[(Call, String)]) {
        let Some(reference) = self.reference.clone() else {
            return;
        };
        let (start, before) = (Instant::now(), self.clock.turn(REFERENCES));
        let patience = self.patience();
        let client = runs(&reference, &mut self.on_cpu, &mut self.client);
        // What is sent back is asked for in between.
        if !client.program.sends && reference.bring(client, calls, patience).is_none() {
            client.end();
        }
        self.clock.turn(before);
        self.excluded += start.elapsed().as_secs_f64();
    }

    /// The reference's call at some size, unless what it gives there is known, or it cannot be called.
    fn unknown(&mut self, plan: &CallPlan, scalars: &[Value], inputs: Inputs) -> Option<Call> {
        let patience = self.patience();
        let asked = Asked::new(plan, scalars, inputs, patience);
        if self.known_outputs(&asked).is_some() || self.reference_obstacle(plan).is_some() {
            return None;
        }
        let call = self
            .called(plan, scalars, Callee::Reference, inputs)
            .ok()??;
        let known = self.reference.as_ref()?.known(&call, patience);
        known.is_none().then_some(call)
    }
}
