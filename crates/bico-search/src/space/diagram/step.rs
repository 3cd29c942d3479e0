//! Single steps through a diagram.

use super::Diagram;

/// A place on the way to a config: an edge of a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::space) struct Step {
    /// The value.
    pub(in crate::space) id: u32,
    /// The first config from here on.
    pub(in crate::space) first: u64,
    /// The node that this edge belongs to, and the first config of that.
    from: u32,
    begin: u64,
    /// The node that it leads to.
    to: u32,
}

impl Diagram {
    /// The steps that lead to a config.
    pub(in crate::space) fn path(&self, config: u64) -> Vec<Step> {
        let (mut node, mut begin) = (self.root, 0);
        let mut path = Vec::with_capacity(self.levels.len());
        for level in &self.levels {
            let edges = level.edges(node);
            let ends = &level.ends[edges.clone()];
            let edge = edges.start + ends.partition_point(|end| begin + *end <= config);
            let step = Step {
                id: level.ids[edge],
                first: begin + level.before(&edges, edge),
                from: node,
                begin,
                to: level.children[edge],
            };
            (node, begin) = (step.to, step.first);
            path.push(step);
        }
        path
    }

    fn all(&self, depth: usize, node: u32, begin: u64) -> impl Iterator<Item = Step> {
        let level = &self.levels[depth];
        let edges = level.edges(node);
        edges.clone().map(move |edge| Step {
            id: level.ids[edge],
            first: begin + level.before(&edges, edge),
            from: node,
            begin,
            to: level.children[edge],
        })
    }

    /// All steps from the node where `step` of level `depth` starts.
    pub(in crate::space) fn steps(&self, depth: usize, step: &Step) -> impl Iterator<Item = Step> {
        self.all(depth, step.from, step.begin)
    }

    /// All steps of level `depth` after a step of the level before.
    pub(in crate::space) fn below(&self, depth: usize, step: &Step) -> impl Iterator<Item = Step> {
        self.all(depth, step.to, step.first)
    }

    /// The step with this value among those.
    pub(in crate::space) fn find(&self, depth: usize, step: &Step, id: u32) -> Option<Step> {
        let level = &self.levels[depth];
        let edges = level.edges(step.to);
        let edge = level.find(edges.clone(), id)?;
        Some(Step {
            id,
            first: step.first + level.before(&edges, edge),
            from: step.to,
            begin: step.first,
            to: level.children[edge],
        })
    }
}
