//! The valid configs as a decision diagram: one level for each parameter, beginnings share their rest.
//!
//! A node is a list of the values that its parameter may take, each with the node of the next level
//! that says how it goes on, and with the number of configs up to there. So the configs below a node
//! are numbered without being stored, and nodes with equal lists are one.

mod memo;
mod slots;
mod unique;
mod walk;

pub(super) use memo::Memo;
pub(super) use unique::Unique;
pub(super) use walk::Step;

use bico_core::Lists;
use std::ops::Range;

/// No node: nothing valid lies below.
pub(super) const DEAD: u32 = u32::MAX;

/// The nodes of one level.
#[derive(Debug, Clone, Default)]
pub(super) struct Level {
    /// Where the edges of each node end, and those of the next begin.
    stops: Vec<u32>,
    /// Each edge's value.
    ids: Vec<u32>,
    /// Each edge's node of the next level; in the last level 0.
    children: Vec<u32>,
    /// How many configs the edges of the node up to and with this one have.
    ends: Vec<u64>,
    /// Whether the ids of some node do not ascend: its domain depends on other parameters.
    mixed: bool,
}

impl Level {
    fn edges(&self, node: u32) -> Range<usize> {
        let before = node.checked_sub(1);
        let start = before.map_or(0, |before| self.stops[before as usize]);
        start as usize..self.stops[node as usize] as usize
    }

    /// Configs below a node.
    fn count(&self, node: u32) -> u64 {
        self.ends[self.edges(node)].last().copied().unwrap_or(0)
    }

    /// The edge with this value.
    fn find(&self, edges: Range<usize>, id: u32) -> Option<usize> {
        let ids = &self.ids[edges.clone()];
        let at = if self.mixed {
            ids.iter().position(|known| *known == id)
        } else {
            ids.binary_search(&id).ok()
        };
        at.map(|at| edges.start + at)
    }
}

/// The diagram.
#[derive(Debug, Clone)]
pub(super) struct Diagram {
    levels: Vec<Level>,
    /// The first node; [`DEAD`] without any config.
    root: u32,
}

impl Diagram {
    pub(super) fn new(levels: Vec<Unique>, root: u32) -> Diagram {
        let levels = levels.into_iter().map(|level| level.level).collect_vec();
        Diagram { levels, root }
    }

    /// Configs of a diagram with at least one level.
    pub(super) fn len(&self) -> u64 {
        match self.levels.first() {
            Some(level) if self.root != DEAD => level.count(self.root),
            _ => 0,
        }
    }

    /// How many nodes there are: what a space costs.
    pub(super) fn nodes(&self) -> usize {
        self.levels.iter().map(|level| level.stops.len()).sum()
    }
}
