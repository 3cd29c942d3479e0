//! Making nodes: equal ones become one.

use super::Level;
use super::memo::{hash, place};

/// No node: nothing valid lies below.
pub(in crate::space) const DEAD: u32 = u32::MAX;

/// Edges that one level may have: 16 bytes each.
const MOST_EDGES: usize = 1 << 23;

/// Why no further node can be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::space) enum Full {
    /// The diagram takes too much memory.
    Edges,
    /// More configs than `u64` can count.
    Configs,
}

/// A level under construction.
#[derive(Debug)]
pub(in crate::space) struct Unique {
    level: Level,
    /// The upper half of a node's hash, then 1 + the node; 0 where there is none. A power of two.
    slots: Vec<u64>,
    hashes: Vec<u64>,
}

impl Default for Unique {
    fn default() -> Unique {
        let level = Level {
            starts: vec![0],
            ..Level::default()
        };
        Unique {
            level,
            slots: Vec::new(),
            hashes: Vec::new(),
        }
    }
}

impl Unique {
    pub(in crate::space) fn into_level(self) -> Level {
        self.level
    }

    pub(in crate::space) fn level(&self) -> &Level {
        &self.level
    }

    /// The node with these edges: values and nodes of the next level (`None` for the last level).
    pub(in crate::space) fn node(
        &mut self,
        edges: &[(u32, u32)],
        below: Option<&Level>,
    ) -> Result<u32, Full> {
        let words = edges
            .iter()
            .map(|(id, child)| u64::from(*id) << 32 | u64::from(*child));
        let hash = hash(words);
        if let Some(node) = self.find(hash, edges) {
            return Ok(node);
        }
        if self.level.ids.len() + edges.len() > MOST_EDGES {
            return Err(Full::Edges);
        }
        self.level.mixed |= edges.windows(2).any(|pair| pair[0].0 >= pair[1].0);
        let node = self.hashes.len() as u32;
        let mut end = 0u64;
        for (id, child) in edges {
            let count = below.map_or(1, |level| level.count(*child));
            end = end.checked_add(count).ok_or(Full::Configs)?;
            self.level.ids.push(*id);
            self.level.children.push(*child);
            self.level.ends.push(end);
        }
        self.level.starts.push(self.level.ids.len() as u32);
        self.hashes.push(hash);
        if 2 * self.hashes.len() > self.slots.len() {
            self.slots = vec![0; (2 * self.slots.len()).max(16)];
            for (at, hash) in self.hashes.iter().enumerate() {
                place(&mut self.slots, *hash, at as u32 + 1);
            }
        } else {
            place(&mut self.slots, hash, node + 1);
        }
        Ok(node)
    }

    fn find(&self, hash: u64, edges: &[(u32, u32)]) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            let node = (slot as u32).checked_sub(1)?;
            if slot >> 32 == hash >> 32 && self.is(node, edges) {
                return Some(node);
            }
            at = (at + 1) & mask;
        }
    }

    fn is(&self, node: u32, edges: &[(u32, u32)]) -> bool {
        let range = self.level.edges(node);
        range.len() == edges.len()
            && range.zip(edges).all(|(at, (id, child))| {
                self.level.ids[at] == *id && self.level.children[at] == *child
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_nodes_are_one() {
        let mut leaves = Unique::default();
        let one = leaves.node(&[(0, 0)], None).unwrap();
        let two = leaves.node(&[(0, 0), (1, 0)], None).unwrap();
        assert_ne!(one, two);
        assert_eq!(leaves.node(&[(0, 0)], None), Ok(one));
        let mut inner = Unique::default();
        let node = inner
            .node(&[(3, one), (5, two), (9, two)], Some(leaves.level()))
            .unwrap();
        assert_eq!(inner.level().count(node), 5);
        let many: Vec<u32> = (0..200)
            .map(|id| inner.node(&[(id, two)], Some(leaves.level())).unwrap())
            .collect();
        let again: Vec<u32> = (0..200)
            .map(|id| inner.node(&[(id, two)], Some(leaves.level())).unwrap())
            .collect();
        assert_eq!(many, again);
    }

    #[test]
    fn more_than_can_be_counted() {
        let edges: Vec<(u32, u32)> = (0..1 << 16).map(|id| (id, 0)).collect();
        let mut below = Unique::default();
        below.node(&edges, None).unwrap();
        for level in 0..4 {
            let mut above = Unique::default();
            let made = above.node(&edges, Some(below.level()));
            assert_eq!(made, if level < 2 { Ok(0) } else { Err(Full::Configs) });
            if made.is_err() {
                return;
            }
            below = above;
        }
        panic!("2^80 configs were counted");
    }
}
