//! The second-level cache: what a launch of a contraction must bring from the device's memory.
//!
//! Blocks of a GPU that run at the same time share a second-level cache (L2). Which of them do is decided by the order in
//! which blocks take tiles of the output, the [`Mapping`]. [`predict`] says for an order, tiles and a device how many bytes
//! come from memory: it evaluates the text that the score of every generated CUDA kernel holds (`bico_einsum::l2`, where it is
//! derived). [`simulate`] counts them.
//!
//! The simulation is what the model is held to: least recently used, fully associative, lines of 128 bytes, `W` blocks that
//! take their steps in turn, each reading the lines of its tiles. What is written is kept as any line, is not fetched first,
//! and is written back when it leaves. GPUs differ from both: their replacement is not published, theirs hash addresses, a wave
//! dissolves after a while, and from the A100 on each half of the cache serves the multiprocessors next to it (NVIDIA A100
//! whitepaper, 2020): what both halves want may be there twice, so that as little as half of the cache may count. The
//! attribute's text counts with half.
//!
//! Grouped orders are well known: the L2 section of Triton's tutorial on matrix products, CUTLASS' threadblock swizzle.
//! Both walk strips of a few rows or columns.
//!
//! # The exercise
//!
//! `cmk, ckn -> cmn`, 4 x 4096^3, F16. Its tile is 64 x 64 x 128, whose slices of A and B, 32 KiB, fit the 48 KiB of shared
//! memory of a block; its groups are 24 x 24 tiles, because 48 panels of 512 KiB are 24 MiB of L2, or 32 x 16. It ran at 5.66
//! TFLOP/s, its plain baseline at 15.14. The model says (`cargo run --release -p bico-bench -- l2`, in
//! `benches/results/`; predictions and simulations, nothing of this ran on a GPU):
//!
//! - **The order should have helped, or done no harm.** With 24 blocks in flight and 24 MiB (such a GPU is the RTX 4060)
//!   plain row-major order moves 8,448 MiB, groups of 24 x 24 or 32 x 16 move 896 MiB. With 132 in flight and the whole 50
//!   MiB of an H100, B (32 MiB) stays in the cache anyway: row-major order moves the 384 MiB that are the least possible,
//!   groups some 500, and that is 0.2 ms at most. With half of that cache it is 4,343 against 896 MiB.
//! - **Its reckoning is not what makes a good group.** It lets all 48 panels of a group stay at the same time. Blocks in
//!   step need slices: a wave of 132 blocks in row-major order takes 35 MiB from beginning to end, 1 MiB in a step. In
//!   flight are 24 to 528 blocks, of 576 in a group, so that the size of the cache decides nothing about what blocks
//!   share at the same time: a group of what is in flight is enough for that. What a larger group gains is only what the
//!   cache keeps from wave to wave; and for that not both sides must stay. A strip of 22 columns, walked row by row, keeps
//!   22 panels of B (11 MiB), lets A pass, and moves 640 MiB in 24 MiB of cache, less than 24 x 24 with its 48 panels.
//!   A square group is best for the panels of one wave, a strip for a cache that outlives many.
//! - **It is fragile.** Groups that fill the cache of the data sheet have nothing left where half of it counts: with 12 MiB
//!   24 x 24 moves 4,978 MiB, 32 x 16 1,393, a strip of 13 columns 896.
//! - **Tiles of 64 x 64 ask for 17.2 GB of the cache**, twice as much as 128 x 128, whatever the order. At 40 bytes per cycle
//!   and multiprocessor that takes 1.3 ms (RTX 4090) to 7.3 ms (RTX 4060), on each of them three times as long as the
//!   memory takes in the best order, or longer.
//! - **Neither is 97 ms.** 5.66 TFLOP/s are 97.1 ms, 15.14 are 36.3 ms. Bytes from memory could make the difference only on
//!   a GPU of 276 GB/s or less, and only if no block ever found anything in the cache. So it does not follow that the order
//!   was bad, nor that it was good; it follows that the grouped kernel waited for something else. What is left: 32 KiB
//!   of a block's 48 leave no room for a second buffer, so that loads and products of a block take turns with a barrier
//!   between; a product of 64 x 64 reads shared memory more often per operation than a larger one; and how its warps
//!   multiply. Which of them it was, the model cannot say: only a profiler or a measured search, which is why bico
//!   ranks with a model and then measures.

#![forbid(unsafe_code)]

mod mapping;
mod model;
mod sample;
mod schedule;
mod simulation;

#[cfg(test)]
mod tests;

pub use mapping::{Block, Mapping};
pub use model::{Traffic, device_bytes, predict};
pub use sample::{Agreement, Case, agreement, cases};
pub use simulation::{Simulated, simulate};

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
    /// Elements of the sum in one step.
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
    /// with a neighbour, as scores count them.
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

    /// This launch with its blocks in another order.
    pub fn mapped(self, mapping: Mapping) -> Launch {
        Launch { mapping, ..self }
    }

    /// Blocks that run at the same time.
    pub fn in_flight(&self) -> u64 {
        self.slots.clamp(1, self.mapping.blocks())
    }
}
