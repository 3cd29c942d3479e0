//! The loops of one kernel: what the generators of C and CUDA both read.
//!
//! A [`Nest`] comes from one [`Schedule`](super::Schedule), whose numbers are all known
//! ([`Nest::of_schedule`]), or from an einsum alone ([`Nest::of_plan`]): then sizes are the kernel's
//! parameters and tiles its macros, and one text serves every config of a tunable.

mod plan;
mod schedule;
mod term;
#[cfg(test)]
mod tests;
mod words;

pub use term::Term;
pub(crate) use words::{declared, place, product};

use super::{DataType, DimType, ExecType, LastTouch};

/// The types that are tiled, in the order of [`Nest::tile`].
const TILED: [DimType; 3] = [DimType::M, DimType::N, DimType::K];

/// The language of a generated text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// C for one thread of a CPU.
    C,
    /// CUDA C++.
    Cuda,
}

/// Loops around an inner matrix product.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nest {
    /// What A, B and D hold.
    pub input: DataType,
    /// What C holds.
    pub output: DataType,
    /// What happens to an element of C after its last step along K.
    pub last: LastTouch,
    /// Outermost first; the inner product is within all of them.
    pub loops: Vec<Loop>,
    /// The loops over tiles of M and of N, by number, where the macro `ORDER` says which of them is outside.
    pub swap: Option<(usize, usize)>,
    /// The inner product, along M, N and K: what a literal says of their lengths, or a macro such as `M_PRIM`.
    pub tile: [Loop; 3],
    /// Where tensors end before the loops do.
    pub bounds: Vec<Bound>,
    /// Every dimension as one whole loop, for the reference.
    pub plain: Vec<Loop>,
    /// Where tensors end before these loops do.
    pub plain_bounds: Vec<Bound>,
    /// The sizes that terms name, and the indices whose sizes they are the product of.
    pub sizes: Vec<Size>,
    /// Lines for the text's header: einsum, table of the schedule, steps.
    pub heading: Vec<String>,
}

/// One loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loop {
    /// A C identifier, different from those of all other loops and tiles.
    pub name: String,
    /// Its type.
    pub dim_type: DimType,
    /// How it runs.
    pub exec: ExecType,
    /// How often it runs.
    pub extent: Term,
    /// Elements from one index to the next in A, B, C and D.
    pub strides: [Term; 4],
}

/// What exists of a dimension: the indices whose weighted sum is below `limit`. Reads beyond are
/// zeros, writes are dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// The first sum that is out of bounds.
    pub limit: Term,
    /// Loops by number, each with its factor.
    pub loops: Vec<(usize, Term)>,
    /// The side of the tile that counts too (0: M, 1: N, 2: K) and its factor.
    pub tile: Option<(usize, Term)>,
}

/// A size that terms name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Size {
    /// `size_ab`.
    pub name: String,
    /// `a` and `b`: its value is the product of their sizes.
    pub letters: Vec<char>,
}
