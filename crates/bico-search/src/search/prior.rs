//! What the measurements of other devices say of this space.

use bico_core::device::Kinship;

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
