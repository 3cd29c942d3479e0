//! What the measurements of other devices say of this space.

/// The best trials of another device, as the lock keeps them.
#[derive(Debug, Clone, PartialEq)]
pub struct Prior {
    /// The other device, for people.
    pub device: String,
    /// How near it is to this one.
    pub kinship: Kinship,
    /// Configs of this space and their seconds there, best first. Configs that are not valid here
    /// are left out.
    pub trials: Vec<(u64, f64)>,
}

/// How near another device is, nearest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kinship {
    /// It has the same architecture: compute capability, or CPU family and instruction set.
    Architecture,
    /// It has the same vendor.
    Vendor,
    /// Neither.
    Other,
}
