//! Configs that are close to one.

use super::Numbered;
use super::diagram::Step;

impl Numbered {
    /// The valid configs that differ from this one in exactly one parameter, derived ones aside,
    /// in the order of the parameters and of their values' first appearance.
    ///
    /// # Panics
    ///
    /// When `config` is not below [`Numbered::len`].
    pub fn neighbours(&self, config: u64) -> Vec<u64> {
        self.check(config);
        let path = self.diagram.path(config);
        let mut found = Vec::new();
        let mut before = self.diagram.start();
        for (depth, step) in path.iter().enumerate() {
            if !self.derived[depth] {
                let others = self.diagram.below(depth, before);
                let others = others.filter(|other| other.id != step.id);
                found.extend(others.filter_map(|other| self.along(depth, other, &path)));
            }
            before = *step;
        }
        found
    }

    /// The config beyond `step` with the same ids as `path` in the later parameters that are not derived.
    fn along(&self, depth: usize, mut step: Step, path: &[Step]) -> Option<u64> {
        for (next, old) in path.iter().enumerate().skip(depth + 1) {
            step = if self.derived[next] {
                self.diagram.below(next, step).next()?
            } else {
                self.diagram.find(next, step, old.id)?
            };
        }
        Some(step.first)
    }
}
