//! A spec bound to a device and a problem: its expressions evaluated, for one config after the other.
//!
//! Names become indices and values once ([`Expression`]); what an operation means is `bico_core::ops`' business, which
//! the code that the macro emits calls too.
//!
//! What is `#[inline]` only searches ask for: builds that read a lock do not compile it.

mod bound;
mod compiler;
mod domain;
mod expression;
mod fault;
mod filling;
mod flags;
mod intern;
mod key;
mod launch;
mod list;
mod node;
mod pass;
mod reference;
mod rules;
mod scope;
mod sizes;
mod values;
mod variant;

/// A mistake in an expression of the attribute, found while evaluating it.
pub use crate::Error as SpaceError;
pub use bico_core::{bare, written};
pub use bound::{Bound, scalars};
pub use domain::Domain;
pub use expression::Expression;
pub use filling::Numbers;
pub use intern::intern;
pub use key::Key;
pub use pass::PassPlan;
pub use rules::Rules;
pub use scope::Scope;
pub use sizes::{SizeRules, SizesOf};
pub use values::Allowed;

/// The compact form of expressions and domains, for who compiles them further.
#[doc(hidden)]
pub mod tree {
    pub use super::fault::Fault;
    pub use super::node::*;
}
