//! The space: the valid configs of one tunable at one problem, each with a number.
//!
//! A config is its number, in the order of a depth-first walk through the parameters as declared;
//! number 0 is the first valid config. Configs are never held as such: a decision diagram counts
//! them, and one is read from it when it is asked for.

mod build;
mod diagram;
mod draw;
mod mix;
mod near;
mod numbered;
mod program;
mod read;
mod reasons;
mod table;
mod tally;
mod text;

#[cfg(any(test, feature = "fixture"))]
#[doc(hidden)]
pub mod fixture;
#[cfg(test)]
mod tests;

use bico_core::Lists;
pub use draw::Draw;
pub use numbered::Numbered;
pub use text::spec;

use bico_syntax::bind::{Bound, Domain, Rules, SpaceError};
use build::build;
use diagram::{DEAD, Diagram};
use program::Program;
use std::ops::Deref;
use std::rc::Rc;
use table::Table;

/// The valid configs of one tunable at one problem on one device.
///
/// Its size is that of its diagram, not the number of its configs, which is only limited by `u64`:
/// groups of parameters without a common condition multiply without being multiplied out.
#[derive(Debug, Clone)]
pub struct Space {
    rules: Rc<Rules>,
    numbered: Numbered,
}

impl Deref for Space {
    type Target = Numbered;

    fn deref(&self) -> &Numbered {
        &self.numbered
    }
}

impl Space {
    /// Enumerates the space.
    ///
    /// # Errors
    ///
    /// The first expression that cannot be evaluated in some corner of the space, a domain that is
    /// no list or holds a value twice, or more configs than can be held. A space without any valid
    /// config is no error here: see [`Space::why_empty`].
    pub fn new(bound: &Bound<'_>) -> Result<Space, SpaceError> {
        let (rules, span) = (Rc::clone(&bound.rules), bound.spec.function.span);
        let mut open = true;
        for condition in &rules.conditions {
            open = open && (!condition.depends().is_empty() || condition.test(&[])?);
        }
        let (tables, diagram) = if open && !rules.names.is_empty() {
            build(&Program::new(&rules), &rules, span)?
        } else {
            let fixed = |domain: &Domain| domain.fixed().unwrap_or_default().to_vec();
            let tables = rules.domains.iter().map(|domain| Table::of(fixed(domain)));
            (tables.collect_vec(), Diagram::new(Vec::new(), DEAD))
        };
        let numbered = Numbered {
            names: rules.names.clone(),
            derived: rules.domains.iter().map(Domain::is_derived).collect_vec(),
            len: match rules.names.len() {
                0 => u64::from(open),
                _ => diagram.len(),
            },
            tables,
            diagram,
        };
        Ok(Space { rules, numbered })
    }

    /// Its configs without its rules.
    pub fn into_numbered(self) -> Numbered {
        self.numbered
    }
}
