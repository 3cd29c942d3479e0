//! Nodes by the state that they were built from.

/// A table from states to nodes.
#[derive(Debug, Default)]
pub(in crate::space) struct Memo {
    /// The upper half of a state's hash, then 1 + its entry; 0 where there is none. A power of two.
    slots: Vec<u64>,
    entries: Vec<Entry>,
    words: Vec<i64>,
}

#[derive(Debug)]
struct Entry {
    hash: u64,
    start: u32,
    len: u32,
    node: u32,
}

/// Words that one table may hold: 64 MiB. Beyond it nothing new is remembered.
const MOST_WORDS: usize = 8 << 20;

/// A hash of words, for tables of this process only.
pub(super) fn hash(words: impl Iterator<Item = u64>) -> u64 {
    let mut hash = 0x9e37_79b9_7f4a_7c15_u64;
    for word in words {
        hash = (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
    // The low bits choose the place: they must depend on all.
    hash ^ (hash >> 32)
}

impl Memo {
    pub(in crate::space) fn hash(state: &[i64]) -> u64 {
        hash(state.iter().map(|word| *word as u64))
    }

    pub(in crate::space) fn get(&self, hash: u64, state: &[i64]) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return None;
            }
            if slot >> 32 == hash >> 32 {
                let entry = &self.entries[slot as u32 as usize - 1];
                let start = entry.start as usize;
                let known = &self.words[start..start + entry.len as usize];
                // States are a few words: a call to compare them costs more than they do.
                if known.len() == state.len() && known.iter().zip(state).all(|(a, b)| a == b) {
                    return Some(entry.node);
                }
            }
            at = (at + 1) & mask;
        }
    }

    /// Remembers a state that is not known yet.
    pub(in crate::space) fn insert(&mut self, hash: u64, state: &[i64], node: u32) {
        if self.words.len() + state.len() > MOST_WORDS || self.entries.len() >= MOST_WORDS {
            return;
        }
        if 2 * (self.entries.len() + 1) > self.slots.len() {
            self.grow();
        }
        let start = self.words.len() as u32;
        self.words.extend_from_slice(state);
        self.entries.push(Entry {
            hash,
            start,
            len: state.len() as u32,
            node,
        });
        place(&mut self.slots, hash, self.entries.len() as u32);
    }

    fn grow(&mut self) {
        self.slots = vec![0; (2 * self.slots.len()).max(64)];
        for (at, entry) in self.entries.iter().enumerate() {
            place(&mut self.slots, entry.hash, at as u32 + 1);
        }
    }
}

/// Puts an entry at the first free place.
pub(super) fn place(slots: &mut [u64], hash: u64, entry: u32) {
    let mask = slots.len() - 1;
    let mut at = hash as usize & mask;
    while slots[at] != 0 {
        at = (at + 1) & mask;
    }
    slots[at] = hash >> 32 << 32 | u64::from(entry);
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
