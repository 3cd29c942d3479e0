//! Tensor contractions: an einsum as data, transformed by small verified steps.

pub mod c;
mod config;
pub mod cuda;
mod dim;
mod einsum;
mod error;
pub mod nest;
#[doc(hidden)]
pub mod random;
mod reference;
mod signature;
mod steps;
mod table;
mod template;
pub mod tunable;
mod types;
mod validate;
mod verify;

pub use config::Config;
pub use dim::{Dim, Part};
pub use error::ContractionError;
pub use nest::{Nest, Target};
pub use reference::naive;
pub use signature::{Param, Signature};
pub use types::{Bound, DataType, DimType, ExecType, FirstTouch, LastTouch, PrimType};

#[cfg(test)]
mod tests;
