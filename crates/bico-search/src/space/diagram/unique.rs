//! Making nodes: equal ones become one.

use super::Level;
use super::slots::{Slots, hash};

/// Edges that one level may have: 16 bytes each.
const MOST_EDGES: usize = 1 << 23;

/// A level under construction.
#[derive(Debug, Default)]
pub(crate) struct Unique {
    pub(crate) level: Level,
    slots: Slots,
}

impl Unique {
    /// The node with these edges: values and nodes of the next level (`None` for the last level).
    ///
    /// # Errors
    ///
    /// Why no further node can be made.
    pub(crate) fn node(
        &mut self,
        edges: &[(u32, u32)],
        below: Option<&Level>,
    ) -> Result<u32, String> {
        let words = edges
            .iter()
            .map(|(id, child)| u64::from(*id) << 32 | u64::from(*child));
        let hash = hash(words);
        let level = &mut self.level;
        let is_it = |node: usize| {
            let range = level.edges(node as u32);
            let known = level.ids[range.clone()].iter().zip(&level.children[range]);
            known.len() == edges.len()
                && known
                    .zip(edges)
                    .all(|(known, edge)| known == (&edge.0, &edge.1))
        };
        if let Some(node) = self.slots.find(hash, is_it) {
            return Ok(node as u32);
        }
        if level.ids.len() + edges.len() > MOST_EDGES {
            return Err(
                "the space is too large to hold: too many of its parameters \
                 depend on each other; use fewer values, or declare parameters that share a \
                 condition next to each other"
                    .into(),
            );
        }
        level.mixed |= edges.windows(2).any(|pair| pair[0].0 >= pair[1].0);
        let node = self.slots.len() as u32;
        let mut end = 0u64;
        for (id, child) in edges {
            let count = below.map_or(1, |level| level.count(*child));
            end = end.checked_add(count).ok_or_else(|| {
                let most = u64::MAX;
                format!("the space has more than {most} valid configs: use fewer values or more conditions")
            })?;
            level.ids.push(*id);
            level.children.push(*child);
            level.ends.push(end);
        }
        level.stops.push(level.ids.len() as u32);
        self.slots.add(hash);
        Ok(node)
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
            .node(&[(3, one), (5, two), (9, two)], Some(&leaves.level))
            .unwrap();
        assert_eq!(inner.level.count(node), 5);
        let many: Vec<u32> = (0..200)
            .map(|id| inner.node(&[(id, two)], Some(&leaves.level)).unwrap())
            .collect();
        let again: Vec<u32> = (0..200)
            .map(|id| inner.node(&[(id, two)], Some(&leaves.level)).unwrap())
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
            let made = above.node(&edges, Some(&below.level));
            if let Err(message) = made {
                assert_eq!(level, 2);
                assert!(message.contains("valid configs"), "{message}");
                return;
            }
            below = above;
        }
        panic!("2^80 configs were counted");
    }
}
