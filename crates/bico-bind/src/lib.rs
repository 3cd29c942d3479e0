//! A spec bound to a device and a problem: its expressions evaluated, for one config after the other.
//!
//! Names become indices and values once ([`Expression`]); what an operation means is `bico_core::ops`' business, which
//! the code that the macro emits calls too.
#![forbid(unsafe_code)]

mod bound;
mod compiler;
mod domain;
mod error;
mod expression;
mod fault;
mod flags;
mod intern;
mod key;
mod launch;
mod node;
mod rules;
mod scope;
mod shape;

pub use bound::{Bound, scalars};
pub use domain::Domain;
pub use error::SpaceError;
pub use expression::Expression;
pub use flags::vector_bits;
pub use intern::intern;
pub use key::Key;
pub use rules::Rules;
pub use scope::Scope;

/// A value as a compiler sees it, in a flag or a `-D`: booleans as 0 and 1, strings bare.
pub fn written(value: bico_core::Value) -> String {
    match value {
        bico_core::Value::Bool(v) => i32::from(v).to_string(),
        bico_core::Value::Str(text) => text.into(),
        other => other.to_string(),
    }
}

/// The compact form of expressions and domains, for who compiles them further.
#[doc(hidden)]
pub mod tree {
    pub use crate::fault::Fault;
    pub use crate::node::*;
    pub use crate::shape::{Shape, ShapeKind};
}
