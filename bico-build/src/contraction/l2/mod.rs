//! The second-level cache: what a launch must bring from the device's memory.

mod config;
mod lines;
mod mapping;
mod model;
mod reuse;
mod sample;
mod simulation;
mod waves;

#[cfg(test)]
mod tests;

pub use mapping::{Block, Mapping};
pub use model::{Traffic, predict};
pub use sample::{Agreement, Case, agreement, cases};
pub use simulation::{Simulated, simulate};
pub use waves::{Loads, loads};

/// The contraction as blocks see it: `A[c, m, k] B[c, k, n] -> C[c, m, n]`, row-major.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Problem {
    /// How many products; what is in all tensors. An index of the output and of one input only that is not cut into
    /// tiles counts here too: the other input is then counted more often than it must be read.
    pub batches: u64,
    /// Rows of A and C.
    pub m: u64,
    /// Columns of B and C.
    pub n: u64,
    /// What is summed over.
    pub k: u64,
    /// Bytes of an element of A and B.
    pub input_bytes: u64,
    /// Bytes of an element of C.
    pub output_bytes: u64,
    /// Bytes of an element of D, by which C is multiplied; 0 without.
    pub last_bytes: u64,
}

impl Problem {
    /// The bytes of all tensors: nobody can move fewer.
    pub fn compulsory_bytes(&self) -> u64 {
        let inputs = self.input_bytes * (self.m * self.k + self.k * self.n);
        self.batches * (inputs + (self.output_bytes + self.last_bytes) * self.m * self.n)
    }

    /// Multiplications and additions of the sums.
    pub fn flops(&self) -> u64 {
        2 * self.batches * self.m * self.n * self.k
    }
}

/// What a block computes at a time: `m` by `n` elements of the output, `k` of the sum per step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tile {
    /// Rows.
    pub m: u64,
    /// Columns.
    pub n: u64,
    /// Of the sum.
    pub k: u64,
}

/// All blocks of a contraction, and what they run on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Launch {
    /// What is computed.
    pub problem: Problem,
    /// By a block, in one step.
    pub tile: Tile,
    /// Which block takes which tile.
    pub mapping: Mapping,
    /// Blocks that the device holds at a time: multiprocessors times resident blocks of each.
    pub slots: u64,
    /// Bytes of the second-level cache.
    pub l2_bytes: u64,
    /// Bytes that the cache fetches at a time: 128 for NVIDIA's. With 1, tiles are counted as if they never shared a line
    /// with a neighbour, as attributes count them.
    pub line_bytes: u64,
    /// By how many steps two blocks in flight are apart on average. Where all walk in step it is 0.
    pub drift: f64,
}

impl Launch {
    /// A launch in row-major order, whose blocks walk in step.
    pub fn new(problem: Problem, tile: Tile, slots: u64, l2_bytes: u64) -> Launch {
        let (rows, columns) = (problem.m.div_ceil(tile.m), problem.n.div_ceil(tile.n));
        Launch {
            problem,
            tile,
            mapping: Mapping::row_major(problem.batches, rows, columns),
            slots,
            l2_bytes,
            line_bytes: 128,
            drift: 0.0,
        }
    }

    /// The same blocks in another order.
    pub fn mapped(self, mapping: Mapping) -> Launch {
        Launch { mapping, ..self }
    }

    /// Blocks that run at the same time.
    pub fn in_flight(&self) -> u64 {
        self.slots.clamp(1, self.mapping.blocks())
    }
}
