//! Reading a diagram, step by step.

use super::Diagram;
use bico_core::Lists;
use std::ops::Range;

/// A place on the way to a config: an edge of a level.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    /// The value.
    pub(crate) id: u32,
    /// The first config from here on.
    pub(crate) first: u64,
    /// The node that it leads to.
    node: u32,
}

impl Diagram {
    /// Before the first level.
    pub(crate) fn start(&self) -> Step {
        Step {
            id: 0,
            first: 0,
            node: self.root,
        }
    }

    fn step(&self, depth: usize, from: Step, edges: &Range<usize>, edge: usize) -> Step {
        let level = &self.levels[depth];
        let before = match edge == edges.start {
            true => 0,
            false => level.ends[edge - 1],
        };
        Step {
            id: level.ids[edge],
            first: from.first + before,
            node: level.children[edge],
        }
    }

    /// All steps of level `depth` after a step of the level before.
    pub(crate) fn below(&self, depth: usize, from: Step) -> impl Iterator<Item = Step> {
        let edges = self.levels[depth].edges(from.node);
        let all = edges.clone();
        all.map(move |edge| self.step(depth, from, &edges, edge))
    }

    /// The step with this value among those.
    pub(crate) fn find(&self, depth: usize, from: Step, id: u32) -> Option<Step> {
        let edges = self.levels[depth].edges(from.node);
        let edge = self.levels[depth].find(edges.clone(), id)?;
        Some(self.step(depth, from, &edges, edge))
    }

    /// The step among those that leads to a config.
    fn towards(&self, depth: usize, from: Step, config: u64) -> Step {
        let level = &self.levels[depth];
        let edges = level.edges(from.node);
        let ends = &level.ends[edges.clone()];
        let at = ends.partition_point(|end| from.first + *end <= config);
        self.step(depth, from, &edges, edges.start + at)
    }

    /// The steps that lead to a config.
    pub(crate) fn path(&self, config: u64) -> Vec<Step> {
        let mut step = self.start();
        let towards = |depth: usize| {
            step = self.towards(depth, step, config);
            step
        };
        (0..self.levels.len()).map(towards).collect_vec()
    }

    /// Calls `visit` for each of these configs, which ascend and lie below `from`, with its number and its values.
    pub(crate) fn visit(
        &self,
        depth: usize,
        from: Step,
        mut configs: &[u64],
        ids: &mut [u32],
        visit: &mut dyn FnMut(u64, &[u32]),
    ) {
        if depth == ids.len() || configs.is_empty() {
            configs.iter().for_each(|config| visit(*config, ids));
            return;
        }
        let edges = self.levels[depth].edges(from.node);
        for edge in edges.clone() {
            let step = self.step(depth, from, &edges, edge);
            let end = from.first + self.levels[depth].ends[edge];
            // Where all configs below are asked for, their last one tells.
            let all = (end - step.first) as usize;
            let here = match configs.get(all - 1) {
                Some(last) if *last < end => all,
                _ => configs.partition_point(|config| *config < end),
            };
            if here > 0 {
                ids[depth] = step.id;
                self.visit(depth + 1, step, &configs[..here], ids, visit);
                configs = &configs[here..];
            }
        }
    }
}
