//! What all candidates share with observations: a column for each of these, kept in blocks of candidates.

use bico_core::Lists;

/// Candidates of a block.
pub(super) const WIDE: usize = 64;

/// A number for each candidate of a block. Some of the last block stand for none.
pub(super) type Block = [f32; WIDE];

/// For each block of candidates, what they share with each observation beyond those before it: it lies in a row, and is read
/// once for all that it is taken off of.
#[derive(Debug, Clone)]
pub(super) struct Columns {
    blocks: Vec<Vec<Block>>,
}

impl Columns {
    pub(super) fn new(candidates: usize) -> Columns {
        Columns {
            blocks: vec![Vec::new(); candidates.div_ceil(WIDE)],
        }
    }

    /// What a candidate shares with the observations from one on.
    pub(super) fn row(&self, candidate: usize, from: usize) -> Vec<f32> {
        let place = candidate % WIDE;
        let observations = self.blocks[candidate / WIDE][from..].iter();
        observations.map(|shared| shared[place]).collect_vec()
    }

    /// Adds multiples of what candidates share with the observations from one on, to several such sums at once. They are of
    /// all blocks, or of the last.
    pub(super) fn add(&self, multiples: &[Vec<f32>], from: usize, sums: &mut [Vec<Block>]) {
        let count = sums.first().map_or(0, Vec::len);
        let blocks = &self.blocks[self.blocks.len() - count..];
        for (place, block) in blocks.iter().enumerate() {
            for (multiples, sums) in multiples.iter().zip(&mut *sums) {
                add(multiples, &block[from..], &mut sums[place]);
            }
        }
    }

    /// Takes in an observation, for all blocks or for the last.
    pub(super) fn push(&mut self, shared: Vec<Block>) {
        let before = self.blocks.len() - shared.len();
        for (block, shared) in self.blocks[before..].iter_mut().zip(shared) {
            block.push(shared);
        }
    }

    /// Makes room for more candidates. The first whose block has to be taken in anew.
    pub(super) fn reopen(&mut self, known: usize, candidates: usize) -> usize {
        let first = known - known % WIDE;
        self.blocks.truncate(first / WIDE);
        self.blocks.resize(candidates.div_ceil(WIDE), Vec::new());
        first
    }
}

/// Puts several rows into blocks in which an entry is one row's: what others share with each of them is added up at once.
pub(super) fn side_by_side(rows: &[&[f32]], all: &mut Vec<Vec<Block>>) {
    all.resize(rows.len().div_ceil(WIDE), Vec::new());
    for (some, blocks) in rows.chunks(WIDE).zip(all) {
        blocks.resize(some[0].len(), [0.0; WIDE]);
        for (at, row) in some.iter().enumerate() {
            let blocks = blocks.iter_mut().zip(*row);
            blocks.for_each(|(block, entry)| block[at] = *entry);
        }
    }
}

/// Adds multiples of blocks, four at a time and one after the other, so that the sums are written less often.
pub(super) fn add(multiples: &[f32], observations: &[Block], sums: &mut Block) {
    let (fours, rest) = observations[..multiples.len()].as_chunks::<4>();
    let (multiples, others) = multiples.as_chunks::<4>();
    for (&[f, g, h, i], [a, b, c, d]) in multiples.iter().zip(fours) {
        let mut at = 0;
        while at < WIDE {
            sums[at] = sums[at] + f * a[at] + g * b[at] + h * c[at] + i * d[at];
            at += 1;
        }
    }
    for (&factor, shared) in others.iter().zip(rest) {
        let mut at = 0;
        while at < WIDE {
            sums[at] += factor * shared[at];
            at += 1;
        }
    }
}

/// The sum of products, in eight parts that a processor adds up at once.
pub(super) fn product(a: &[f32], b: &[f32]) -> f32 {
    let (eights, rest) = a.as_chunks::<8>();
    let (others, other_rest) = b.as_chunks::<8>();
    let (mut sums, mut eight) = ([0.0; 8], 0);
    let count = eights.len();
    while eight < count {
        let (a, b, mut at) = (&eights[eight], &others[eight], 0);
        while at < 8 {
            sums[at] += a[at] * b[at];
            at += 1;
        }
        eight += 1;
    }
    let rest = rest.iter().zip(other_rest).map(|(a, b)| a * b);
    sums.into_iter().chain(rest).sum()
}

/// What is added to take off what is shared.
pub(super) fn taken(mut row: Vec<f32>) -> Vec<f32> {
    row.iter_mut().for_each(|share| *share = -*share);
    row
}

/// Scales what is left to candidates by an observation's own part, and takes it off their variance.
pub(super) fn scale(own: f64, rest: &mut [Block], left: &mut [f64]) {
    let inverse = (1.0 / own) as f32;
    for (rest, left) in rest.iter_mut().zip(left.chunks_mut(WIDE)) {
        let (count, mut at) = (left.len(), 0);
        while at < count {
            rest[at] *= inverse;
            left[at] -= f64::from(rest[at] * rest[at]);
            at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(column: &[f32]) -> Vec<Block> {
        let block = |some: &[f32]| {
            let mut block = [0.0; WIDE];
            block[..some.len()].copy_from_slice(some);
            block
        };
        column.chunks(WIDE).map(block).collect()
    }

    /// 150 candidates, ten observations.
    fn columns(candidates: usize) -> (Columns, Vec<Vec<f32>>) {
        let shared = |observation: usize| {
            let of = |candidate: usize| ((candidate * 7 + observation * 13) % 29) as f32;
            (0..candidates).map(of).collect()
        };
        let all: Vec<Vec<f32>> = (0..10).map(shared).collect();
        let mut columns = Columns::new(candidates);
        all.iter().for_each(|column| columns.push(blocks(column)));
        (columns, all)
    }

    #[test]
    fn sums_are_those_of_single_candidates() {
        let (columns, all) = columns(150);
        let multiples: Vec<Vec<f32>> = [1.0, 2.0]
            .map(|by| (3..10).map(|i| by * (i as f32 - 5.0)).collect())
            .into();
        let mut sums = vec![blocks(&[100.0; 150]); 2];
        columns.add(&multiples, 3, &mut sums);
        for c in 0..150 {
            let row = columns.row(c, 3);
            let own: Vec<f32> = all[3..].iter().map(|column| column[c]).collect();
            assert_eq!(row, own);
            for (multiples, sums) in multiples.iter().zip(&sums) {
                // All of them whole numbers: nothing is rounded.
                let sum = 100.0 + product(multiples, &row);
                assert_eq!(sums.as_flattened()[c], sum, "{c}");
            }
        }
    }

    #[test]
    fn rows_side_by_side_are_added_up_at_once() {
        let rows: Vec<Vec<f32>> = (0..100)
            .map(|r| (0..9).map(|i| ((r * 5 + i * 11) % 17) as f32).collect())
            .collect();
        let both = rows.iter().map(Vec::as_slice).collect::<Vec<_>>();
        let (mut blocks, by) = (vec![vec![[f32::NAN; WIDE]; 5]], &rows[7]);
        side_by_side(&both, &mut blocks);
        let mut sums = vec![[0.0; WIDE]; blocks.len()];
        for (sums, block) in sums.iter_mut().zip(&blocks) {
            add(by, block, sums);
        }
        for (row, sum) in rows.iter().zip(sums.as_flattened()) {
            assert_eq!(*sum, product(row, by));
        }
    }

    #[test]
    fn more_candidates_are_as_if_they_had_been_there() {
        let (whole, all) = columns(150);
        let (mut part, _) = columns(100);
        let first = part.reopen(100, 150);
        assert_eq!(first, 64);
        for column in &all {
            part.push(blocks(&column[first..]));
        }
        for c in 0..150 {
            assert_eq!(part.row(c, 0), whole.row(c, 0), "{c}");
        }
    }
}
