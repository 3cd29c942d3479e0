//! Tensor contractions: an einsum as data, transformed by small verified steps.

mod config;
mod dim;
mod einsum;
mod error;
pub mod l2;
pub mod nest;
#[doc(hidden)]
pub mod random;
mod reference;
mod steps;
mod table;
mod types;
mod validate;
mod verify;

pub use config::Config;
pub use dim::{Dim, Part};
pub use error::ContractionError;
pub use nest::{Nest, Target};
pub use reference::naive;
pub use types::{Bound, DataType, DimType, ExecType, FirstTouch, LastTouch, PrimType};

#[cfg(test)]
mod tests;
