//! Tensor contractions: an einsum as data, transformed by small verified steps.

mod config;
pub mod cuda;
mod einsum;
mod error;
pub mod nest;
mod signature;
mod types;

pub use config::Config;
pub use error::ContractionError;
pub use nest::{Nest, Target};
pub use signature::{Param, Signature};
pub use types::{Bound, DataType, DimType, ExecType, FirstTouch, LastTouch, PrimType};
