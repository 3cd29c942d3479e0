//! The valid configs as a tree: one level for each parameter, nodes in depth-first order.
//!
//! Configs that begin alike share their beginning, so a config costs little more than one byte for
//! its last parameter. Nothing is stored per config beyond that.

/// Ids of values, as narrow as they can be.
#[derive(Debug, Clone)]
enum Ids {
    U8(Vec<u8>),
    U16(Vec<u16>),
    U32(Vec<u32>),
}

impl Ids {
    fn len(&self) -> usize {
        match self {
            Ids::U8(ids) => ids.len(),
            Ids::U16(ids) => ids.len(),
            Ids::U32(ids) => ids.len(),
        }
    }

    fn get(&self, at: usize) -> u32 {
        match self {
            Ids::U8(ids) => ids[at].into(),
            Ids::U16(ids) => ids[at].into(),
            Ids::U32(ids) => ids[at],
        }
    }

    fn push(&mut self, id: u32) {
        match self {
            Ids::U8(ids) => match u8::try_from(id) {
                Ok(id) => ids.push(id),
                Err(_) => {
                    *self = Ids::U16(ids.iter().map(|id| (*id).into()).collect());
                    self.push(id);
                }
            },
            Ids::U16(ids) => match u16::try_from(id) {
                Ok(id) => ids.push(id),
                Err(_) => {
                    *self = Ids::U32(ids.iter().map(|id| (*id).into()).collect());
                    self.push(id);
                }
            },
            Ids::U32(ids) => ids.push(id),
        }
    }

    fn pop(&mut self) {
        match self {
            Ids::U8(ids) => _ = ids.pop(),
            Ids::U16(ids) => _ = ids.pop(),
            Ids::U32(ids) => _ = ids.pop(),
        }
    }
}

/// All values of one parameter along the tree.
#[derive(Debug, Clone)]
struct Level {
    ids: Ids,
    /// Where the children of each node begin in the next level; `None` where each node has exactly
    /// one child (the next parameter is derived) and in the last level.
    children: Option<Vec<u32>>,
}

/// The tree. Node numbers fit into 32 bits, because the number of configs is limited.
#[derive(Debug, Clone)]
pub(super) struct Tree {
    levels: Vec<Level>,
}

impl Tree {
    /// An empty tree; `derived` says of each parameter whether it follows from those before it.
    pub(super) fn new(derived: &[bool]) -> Tree {
        let levels = (0..derived.len()).map(|depth| Level {
            ids: Ids::U8(Vec::new()),
            children: derived
                .get(depth + 1)
                .is_some_and(|derived| !derived)
                .then(Vec::new),
        });
        Tree {
            levels: levels.collect(),
        }
    }

    pub(super) fn depth(&self) -> usize {
        self.levels.len()
    }

    /// Nodes of a level; of the last one: configs.
    pub(super) fn len(&self, depth: usize) -> usize {
        self.levels[depth].ids.len()
    }

    /// Opens a node; its children are pushed next.
    pub(super) fn push(&mut self, depth: usize, id: u32) {
        let next = self
            .levels
            .get(depth + 1)
            .map_or(0, |level| level.ids.len());
        let level = &mut self.levels[depth];
        level.ids.push(id);
        if let Some(children) = &mut level.children {
            children.push(next as u32);
        }
    }

    /// Takes the last node back: it has no children.
    pub(super) fn pop(&mut self, depth: usize) {
        let level = &mut self.levels[depth];
        level.ids.pop();
        if let Some(children) = &mut level.children {
            children.pop();
        }
    }

    pub(super) fn id(&self, depth: usize, node: usize) -> u32 {
        self.levels[depth].ids.get(node)
    }

    /// The children of a node, as nodes of the next level.
    pub(super) fn children(&self, depth: usize, node: usize) -> std::ops::Range<usize> {
        match &self.levels[depth].children {
            None => node..node + 1,
            Some(first) => {
                let end = first
                    .get(node + 1)
                    .map_or_else(|| self.len(depth + 1), |next| *next as usize);
                first[node] as usize..end
            }
        }
    }

    /// The node of each level on the way to a config.
    pub(super) fn path(&self, config: usize) -> Vec<usize> {
        let mut path = vec![config; self.levels.len()];
        for depth in (0..self.levels.len().saturating_sub(1)).rev() {
            let child = path[depth + 1];
            path[depth] = match &self.levels[depth].children {
                None => child,
                Some(first) => first.partition_point(|start| *start as usize <= child) - 1,
            };
        }
        path
    }

    /// The child with this id among `nodes` of a level.
    pub(super) fn find(
        &self,
        depth: usize,
        nodes: std::ops::Range<usize>,
        id: u32,
    ) -> Option<usize> {
        nodes.into_iter().find(|node| self.id(depth, *node) == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_widen_without_loss() {
        let mut ids = Ids::U8(Vec::new());
        let all = [0, 255, 256, 65_535, 65_536, 4_000_000];
        for id in all {
            ids.push(id);
        }
        assert!(matches!(ids, Ids::U32(_)));
        assert_eq!(all.map(|_| 0).len(), ids.len());
        assert!(all.iter().enumerate().all(|(at, id)| ids.get(at) == *id));
    }

    #[test]
    fn paths_lead_back_to_the_nodes() {
        // Two roots; the first has two children, the second three; each child one derived leaf.
        let mut tree = Tree::new(&[false, false, true]);
        for (root, children) in [(0, 2), (1, 3)] {
            tree.push(0, root);
            for child in 0..children {
                tree.push(1, child);
                tree.push(2, root + child);
            }
        }
        // A dead end leaves no trace.
        tree.push(0, 2);
        tree.pop(0);
        assert_eq!((tree.len(0), tree.len(1), tree.len(2)), (2, 5, 5));
        assert_eq!(tree.path(1), [0, 1, 1]);
        assert_eq!(tree.path(2), [1, 2, 2]);
        assert_eq!(tree.children(0, 1), 2..5);
        assert_eq!(tree.children(1, 4), 4..5);
        assert_eq!(tree.find(1, 2..5, 2), Some(4));
        assert_eq!(tree.find(1, 0..2, 2), None);
    }
}
