//! A hash table of entries that their owner keeps in a list.

use crate::space::mix::Mix;
use std::hash::Hasher;

/// The places of entries by their hashes.
#[derive(Debug, Default)]
pub(super) struct Slots {
    /// The upper half of an entry's hash, then 1 + its place; 0 where there is none. A power of two.
    slots: Vec<u64>,
    hashes: Vec<u64>,
}

/// A hash of words.
pub(super) fn hash(words: impl Iterator<Item = u64>) -> u64 {
    let mut mix = Mix::default();
    words.for_each(|word| mix.write_u64(word));
    mix.finish()
}

impl Slots {
    /// How many entries there are.
    pub(super) fn len(&self) -> usize {
        self.hashes.len()
    }

    /// The entry of this hash that is the wanted one.
    pub(super) fn find(&self, hash: u64, is_wanted: impl Fn(usize) -> bool) -> Option<usize> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            let entry = (slot as u32 as usize).checked_sub(1)?;
            if slot >> 32 == hash >> 32 && is_wanted(entry) {
                return Some(entry);
            }
            at = (at + 1) & mask;
        }
    }

    /// Takes in the entry that was added to the list.
    pub(super) fn add(&mut self, hash: u64) {
        self.hashes.push(hash);
        let mut first = self.hashes.len() - 1;
        if 2 * self.hashes.len() > self.slots.len() {
            self.slots = vec![0; (2 * self.slots.len()).max(64)];
            first = 0;
        }
        let mask = self.slots.len() - 1;
        for entry in first..self.hashes.len() {
            let hash = self.hashes[entry];
            let mut at = hash as usize & mask;
            while self.slots[at] != 0 {
                at = (at + 1) & mask;
            }
            self.slots[at] = hash >> 32 << 32 | (entry as u64 + 1);
        }
    }
}
