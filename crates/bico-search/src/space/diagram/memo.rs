//! Nodes by the state that they were built from.

use super::slots::{Slots, hash};
use std::ops::Range;

/// A table from states to nodes.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    slots: Slots,
    /// Where the words of each state stand, and its node.
    entries: Vec<(Range<usize>, u32)>,
    words: Vec<i64>,
}

/// Words that one table may hold: 64 MiB. Beyond it nothing new is remembered.
const MOST_WORDS: usize = 8 << 20;

impl Memo {
    pub(crate) fn hash(state: &[i64]) -> u64 {
        hash(state.iter().map(|word| *word as u64))
    }

    pub(crate) fn get(&self, hash: u64, state: &[i64]) -> Option<u32> {
        let is_it = |entry: usize| {
            let known = &self.words[self.entries[entry].0.clone()];
            // States are a few words: a call to compare them costs more than they do.
            known.len() == state.len() && known.iter().zip(state).all(|(a, b)| a == b)
        };
        let entry = self.slots.find(hash, is_it)?;
        Some(self.entries[entry].1)
    }

    /// Remembers a state that is not known yet.
    pub(crate) fn insert(&mut self, hash: u64, state: &[i64], node: u32) {
        let (start, end) = (self.words.len(), self.words.len() + state.len());
        if end <= MOST_WORDS && self.slots.len() < MOST_WORDS {
            self.words.extend_from_slice(state);
            self.entries.push((start..end, node));
            self.slots.add(hash);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_told_apart() {
        let mut memo = Memo::default();
        let states: Vec<Vec<i64>> = (0..500)
            .map(|n| (0..n % 7).map(|at| n * 31 + at).collect::<Vec<_>>())
            .chain([vec![1, 0], vec![0, 1], vec![0], vec![0, 0]])
            .collect();
        for (node, state) in states.iter().enumerate() {
            if memo.get(Memo::hash(state), state).is_none() {
                memo.insert(Memo::hash(state), state, node as u32);
            }
        }
        for state in &states {
            let node = memo.get(Memo::hash(state), state).unwrap();
            assert_eq!(&states[node as usize], state);
        }
        assert_eq!(memo.get(Memo::hash(&[9, 9]), &[9, 9]), None);
    }
}
