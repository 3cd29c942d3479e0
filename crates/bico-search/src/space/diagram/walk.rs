//! Reading a diagram.

use super::{DEAD, Diagram};

impl Diagram {
    /// The value of each parameter in a config.
    pub(in crate::space) fn ids(&self, mut config: u64, out: &mut [u32]) {
        let mut node = self.root;
        for (level, out) in self.levels.iter().zip(out) {
            let edges = level.edges(node);
            let edge =
                edges.start + level.ends[edges.clone()].partition_point(|end| *end <= config);
            config -= level.before(&edges, edge);
            *out = level.ids[edge];
            node = level.children[edge];
        }
    }

    /// The number of the config with these values.
    pub(in crate::space) fn number(&self, ids: impl Iterator<Item = Option<u32>>) -> Option<u64> {
        if self.root == DEAD {
            return None;
        }
        let (mut node, mut number) = (self.root, 0);
        for (level, id) in self.levels.iter().zip(ids) {
            let edges = level.edges(node);
            let edge = level.find(edges.clone(), id?)?;
            number += level.before(&edges, edge);
            node = level.children[edge];
        }
        Some(number)
    }

    /// Calls `visit` for each config in order, with its number and its values.
    pub(in crate::space) fn for_each(&self, visit: &mut impl FnMut(u64, &[u32])) {
        if self.root != DEAD && !self.levels.is_empty() {
            let mut ids = vec![0; self.depth()];
            self.each(0, self.root, 0, &mut ids, visit);
        }
    }

    fn each(
        &self,
        depth: usize,
        node: u32,
        first: u64,
        ids: &mut [u32],
        visit: &mut impl FnMut(u64, &[u32]),
    ) {
        let level = &self.levels[depth];
        let edges = level.edges(node);
        if depth + 1 == ids.len() {
            for (at, id) in level.ids[edges].iter().enumerate() {
                ids[depth] = *id;
                visit(first + at as u64, ids);
            }
            return;
        }
        let mut before = 0;
        for edge in edges {
            ids[depth] = level.ids[edge];
            self.each(depth + 1, level.children[edge], first + before, ids, visit);
            before = level.ends[edge];
        }
    }

    /// As [`Diagram::for_each`], of these configs only, which must ascend.
    pub(in crate::space) fn for_some(&self, configs: &[u64], visit: &mut impl FnMut(u64, &[u32])) {
        if self.root != DEAD && !self.levels.is_empty() {
            let mut ids = vec![0; self.depth()];
            self.some(0, self.root, 0, configs, &mut ids, visit);
        }
    }

    fn some(
        &self,
        depth: usize,
        node: u32,
        first: u64,
        mut configs: &[u64],
        ids: &mut [u32],
        visit: &mut impl FnMut(u64, &[u32]),
    ) {
        let level = &self.levels[depth];
        let edges = level.edges(node);
        let ends = &level.ends[edges.clone()];
        while let Some(next) = configs.first() {
            let at = ends.partition_point(|end| first + *end <= *next);
            let edge = edges.start + at;
            ids[depth] = level.ids[edge];
            let here = configs.partition_point(|config| *config < first + ends[at]);
            let (inside, after) = configs.split_at(here);
            if depth + 1 == ids.len() {
                inside.iter().for_each(|config| visit(*config, ids));
            } else {
                let first = first + level.before(&edges, edge);
                self.some(depth + 1, level.children[edge], first, inside, ids, visit);
            }
            configs = after;
        }
    }

    /// Writes each parameter's column; `value` gives what stands for an id of a parameter.
    ///
    /// The configs below a node are listed once and copied wherever the node stands again.
    pub(in crate::space) fn columns<T: Copy>(&self, values: &[Vec<T>]) -> Vec<Vec<T>> {
        let mut columns: Vec<Vec<T>> = values
            .iter()
            .map(|_| Vec::with_capacity(self.len() as usize))
            .collect();
        if self.root != DEAD && !self.levels.is_empty() {
            let mut written: Vec<Vec<usize>> = self
                .levels
                .iter()
                .map(|level| vec![usize::MAX; level.starts.len() - 1])
                .collect();
            self.list(0, self.root, values, &mut columns, &mut written);
        }
        columns
    }

    fn list<T: Copy>(
        &self,
        depth: usize,
        node: u32,
        values: &[Vec<T>],
        columns: &mut [Vec<T>],
        written: &mut [Vec<usize>],
    ) {
        let level = &self.levels[depth];
        let edges = level.edges(node);
        let begin = written[depth][node as usize];
        if begin != usize::MAX {
            let end = begin + level.count(node) as usize;
            for column in &mut columns[depth..] {
                column.extend_from_within(begin..end);
            }
            return;
        }
        written[depth][node as usize] = columns[depth].len();
        if depth + 1 == self.levels.len() {
            columns[depth].extend(
                level.ids[edges]
                    .iter()
                    .map(|id| values[depth][*id as usize]),
            );
            return;
        }
        for edge in edges {
            let value = values[depth][level.ids[edge] as usize];
            let child = level.children[edge];
            let length = columns[depth].len() + self.levels[depth + 1].count(child) as usize;
            columns[depth].resize(length, value);
            self.list(depth + 1, child, values, columns, written);
        }
    }
}
