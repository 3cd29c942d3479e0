//! What every part of bico agrees on: values and what the operations on them mean, the facts of devices, launches,
//! and the performance model. It lands in users' binaries, so it depends on nothing heavy.
#![forbid(unsafe_code)]

mod cache;
pub mod device;
mod eval;
pub mod json;
mod lift;
mod lists;
pub mod model;
pub mod ops;
pub mod sorted;
pub use lists::Lists;
mod stored;
mod value;

pub use cache::{cache, users_cache};
pub use eval::{EvalError, Fault, Operation};
pub use lift::{Given, Lift, Size, given, lift, size};
pub use sorted::{Map, Set};
pub use stored::StoredValue;
pub use value::{Value, bare, own, own_name, written};
