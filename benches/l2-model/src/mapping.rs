//! The order in which blocks take the tiles of the output.

/// Which tile of the output a block computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Block {
    /// Index over all dimensions that are in all tensors.
    pub batch: u64,
    /// Row of tiles: the block reads this row panel of A.
    pub row: u64,
    /// Column of tiles: the block reads this column panel of B.
    pub column: u64,
}

/// From a block's number to its tile: `c, m_out, n_out, m_l2, n_l2`, or with m and n exchanged in either pair.
///
/// The tiles of a batch are cut into groups of `m_l2` rows by `n_l2` columns; those at the edges are smaller where
/// the group does not divide. A group is finished before the next one begins, so that its blocks run together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Mapping {
    /// How many batches, one after the other.
    pub batches: u64,
    /// Rows of tiles in a batch.
    pub rows: u64,
    /// Columns of tiles in a batch.
    pub columns: u64,
    /// Rows of tiles in a group.
    pub m_l2: u64,
    /// Columns of tiles in a group.
    pub n_l2: u64,
    /// Whether the next group is the one to the right (`m_out, n_out`) or the one below (`n_out, m_out`).
    pub groups_along_n: bool,
    /// Whether the next block of a group is the one to the right (`m_l2, n_l2`) or the one below.
    pub blocks_along_n: bool,
}

impl Mapping {
    /// Plain row-major order: the next block is the one to the right.
    pub fn row_major(batches: u64, rows: u64, columns: u64) -> Mapping {
        Mapping {
            batches: batches.max(1),
            rows: rows.max(1),
            columns: columns.max(1),
            m_l2: 1,
            n_l2: columns.max(1),
            groups_along_n: true,
            blocks_along_n: true,
        }
    }

    /// Groups of `m_l2` by `n_l2`, all walked to the right. Sizes beyond the tensor's are cut to it.
    pub fn grouped(self, m_l2: u64, n_l2: u64) -> Mapping {
        Mapping {
            m_l2: m_l2.clamp(1, self.rows),
            n_l2: n_l2.clamp(1, self.columns),
            ..self
        }
    }

    /// These groups, walked as said: see [`Mapping::groups_along_n`] and [`Mapping::blocks_along_n`].
    pub fn walked(self, groups_along_n: bool, blocks_along_n: bool) -> Mapping {
        Mapping {
            groups_along_n,
            blocks_along_n,
            ..self
        }
    }

    /// How many blocks there are.
    pub fn blocks(&self) -> u64 {
        self.batches * self.rows * self.columns
    }

    /// The tile of block `number`.
    ///
    /// # Panics
    ///
    /// When `number` is not below [`Mapping::blocks`].
    pub fn block(&self, number: u64) -> Block {
        assert!(
            number < self.blocks(),
            "block {number} of {}",
            self.blocks()
        );
        let each = self.rows * self.columns;
        let (batch, within) = (number / each, number % each);
        // As if m were outside in both pairs; else the other way round.
        let (outer, inner) = if self.groups_along_n {
            let (rows, height, rest) = band(within, self.rows, self.columns, self.m_l2);
            let (columns, width, rest) = band(rest, self.columns, height, self.n_l2);
            ((rows, columns), (height, width, rest))
        } else {
            let (columns, width, rest) = band(within, self.columns, self.rows, self.n_l2);
            let (rows, height, rest) = band(rest, self.rows, width, self.m_l2);
            ((rows, columns), (height, width, rest))
        };
        let (height, width, rest) = inner;
        let (row, column) = match self.blocks_along_n {
            true => (rest / width, rest % width),
            false => (rest % height, rest / height),
        };
        Block {
            batch,
            row: outer.0 + row,
            column: outer.1 + column,
        }
    }
}

/// Cuts `length` lines of `across` blocks each into bands of `size` lines: the first line of the band that block
/// `number` is in, how many lines the band has, and the block's number in it.
fn band(number: u64, length: u64, across: u64, size: u64) -> (u64, u64, u64) {
    let full = size * across;
    let first = number / full * size;
    (first, size.min(length - first), number % full)
}
