//! Tensor contractions: an einsum as data, transformed by small verified steps.

mod config;
mod einsum;
mod error;
mod types;

pub use config::Config;
pub use error::ContractionError;
pub use types::{Bound, DataType, DimType, ExecType, FirstTouch, LastTouch, PrimType};
