//! What fusing is worth: a gated linear unit in one kernel, and as two products and an elementwise kernel.

pub mod activation;
pub mod cublas;
pub mod gate;
pub mod layer;
pub mod number;
pub mod rounds;

/// Sizes m, n, k of the feed-forward layer of a language model with 7 x 10^9 weights: a few tokens are being
/// generated, or a long prompt is read. The first is bound by memory, the second by arithmetic.
pub const SIZES: [[u32; 3]; 2] = [[16, 11008, 4096], [2048, 11008, 4096]];

/// What can go wrong.
pub type Error = Box<dyn std::error::Error>;
