//! The valid configs as a decision diagram: one level for each parameter, beginnings share their rest.
//!
//! A node is a list of the values that its parameter may take, each with the node of the next level
//! that says how it goes on, and with the number of configs up to there. So the configs below a node
//! are numbered without being stored, and nodes with equal lists are one.

mod memo;
mod step;
mod table;
mod walk;

pub(super) use memo::Memo;
pub(super) use step::Step;
pub(super) use table::{DEAD, Full, Unique};

use std::ops::Range;

/// The nodes of one level.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Level {
    /// Where the edges of each node begin, and where the last one's end.
    starts: Vec<u32>,
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
        self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize
    }

    /// Configs below a node.
    fn count(&self, node: u32) -> u64 {
        self.ends[self.edges(node)].last().copied().unwrap_or(0)
    }

    /// Configs of the node before this edge.
    fn before(&self, edges: &Range<usize>, edge: usize) -> u64 {
        if edge == edges.start {
            0
        } else {
            self.ends[edge - 1]
        }
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
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Diagram {
    levels: Vec<Level>,
    /// The first node; [`DEAD`] without any config.
    root: u32,
}

impl Diagram {
    pub(super) fn empty(depth: usize) -> Diagram {
        Diagram {
            levels: vec![Level::default(); depth],
            root: DEAD,
        }
    }

    pub(super) fn new(levels: Vec<Level>, root: u32) -> Diagram {
        Diagram { levels, root }
    }

    pub(super) fn depth(&self) -> usize {
        self.levels.len()
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
        self.levels
            .iter()
            .map(|level| level.starts.len().saturating_sub(1))
            .sum()
    }
}
