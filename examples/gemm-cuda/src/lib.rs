//! What ranking is worth on a GPU: the build searched one space three times, with 20 evaluations each.

pub mod table;
pub mod trail;
pub mod tunables;
pub mod winner;

/// The problem of the attributes: m, n, k.
pub const SIZES: [u32; 3] = [1024, 12288, 4096];

/// Of the attributes. The last one is what the others are compared with.
pub const STRATEGIES: [&str; 3] = ["sequential", "random", "guided"];
