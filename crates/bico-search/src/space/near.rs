//! Configs that are close to one.

use super::Numbered;
use super::diagram::Step;
use bico_core::Value;
use std::cmp::Ordering;

impl Numbered {
    /// The valid configs that differ from this one in exactly one parameter, derived ones aside,
    /// in the order of the parameters and of their values' first appearance.
    ///
    /// # Panics
    ///
    /// When `config` is not below [`Numbered::len`].
    pub fn neighbours(&self, config: u64) -> Vec<u64> {
        let mut found = Vec::new();
        self.near(config, |_, others| {
            found.extend(others.iter().map(|(_, number)| *number))
        });
        found
    }

    /// Those of the [neighbours](Numbered::neighbours) with the next smaller and the next greater value
    /// that is valid: at most two for each parameter. Strings have the order of their declaration.
    ///
    /// # Panics
    ///
    /// When `config` is not below [`Numbered::len`].
    pub fn adjacent(&self, config: u64) -> Vec<u64> {
        let own = self.ids(config);
        let mut found = Vec::new();
        self.near(config, |parameter, others| {
            let (own, order) = (own[parameter], |a, b| self.order(parameter, a, b));
            let (below, above): (Vec<(u32, u64)>, Vec<_>) = others
                .iter()
                .partition(|(id, _)| order(*id, own) == Ordering::Less);
            let below = below.into_iter().max_by(|a, b| order(a.0, b.0));
            let above = above.into_iter().min_by(|a, b| order(a.0, b.0));
            found.extend(below.into_iter().chain(above).map(|(_, number)| number));
        });
        found
    }

    /// The order of two values of a parameter.
    fn order(&self, parameter: usize, a: u32, b: u32) -> Ordering {
        let values = &self.tables[parameter].values;
        match (values[a as usize], values[b as usize]) {
            (Value::Int(x), Value::Int(y)) => x.cmp(&y),
            (Value::Bool(x), Value::Bool(y)) => x.cmp(&y),
            (Value::Float(x), Value::Float(y)) => x.total_cmp(&y),
            _ => a.cmp(&b),
        }
    }

    /// For each parameter that is not derived: the ids of its other values with which the config
    /// stays valid, and the numbers of those configs.
    fn near(&self, config: u64, mut found: impl FnMut(usize, &[(u32, u64)])) {
        self.check(config);
        let path = self.diagram.path(config);
        let mut others = Vec::new();
        for (depth, step) in path.iter().enumerate() {
            if self.derived[depth] {
                continue;
            }
            others.clear();
            for other in self.diagram.steps(depth, step) {
                if other.id != step.id
                    && let Some(number) = self.along(depth, other, &path)
                {
                    others.push((other.id, number));
                }
            }
            found(depth, &others);
        }
    }

    /// The config beyond `step` with the same ids as `path` in the later parameters that are not derived.
    fn along(&self, depth: usize, mut step: Step, path: &[Step]) -> Option<u64> {
        for (next, old) in path.iter().enumerate().skip(depth + 1) {
            step = if self.derived[next] {
                self.diagram.below(next, &step).next()?
            } else {
                self.diagram.find(next, &step, old.id)?
            };
        }
        Some(step.first)
    }
}
