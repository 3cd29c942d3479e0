//! A spec bound to a device and a problem: its expressions evaluated, for one config after the other.
//!
//! Names become indices and values once ([`Expression`]); what an operation means is `bico_core::ops`' business, which
//! the code that the macro emits calls too.

mod compiler;
mod costs;
mod domain;
mod error;
mod expression;
mod fault;
mod flags;
mod intern;
mod key;
mod node;
mod rules;
mod scope;
mod shape;

pub use costs::{Costs, written};
pub use domain::Domain;
pub use error::SpaceError;
pub use expression::Expression;
pub use flags::vector_bits;
pub use intern::intern;
pub use key::Key;
pub use rules::Rules;
pub use scope::Scope;

/// The compact form of expressions and domains, for who compiles them further.
#[doc(hidden)]
pub mod tree {
    pub use crate::fault::Fault;
    pub use crate::node::*;
    pub use crate::shape::{Shape, ShapeKind};
}
