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

pub use draw::Draw;
pub use numbered::Numbered;
pub use read::Columns;
pub use text::spec;

use bico_bind::{Bound, Domain, Rules, SpaceError};
use build::{MOST_VISITS, Stop};
use diagram::{Diagram, Full, Unique};
use proc_macro2::Span;
use program::Program;
use std::ops::Deref;
use table::Table;

/// The valid configs of one tunable at one problem on one device.
///
/// Its size is that of its diagram, not the number of its configs, which is only limited by `u64`:
/// groups of parameters without a common condition multiply without being multiplied out.
#[derive(Debug, Clone)]
pub struct Space {
    rules: Rules,
    /// How many partial configs each condition turned away, where nothing is left.
    rejected: Vec<u64>,
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
        Space::of(bound.rules.clone(), bound.spec.function.span)
    }

    /// The space of these rules; `span` is the place of what is wrong with it as a whole.
    fn of(rules: Rules, span: Span) -> Result<Space, SpaceError> {
        let mut rejected = vec![0; rules.conditions.len()];
        let mut open = true;
        for (condition, rejected) in rules.conditions.iter().zip(&mut rejected) {
            if condition.depends().is_empty() && !condition.test(&[])? {
                *rejected += 1;
                open = false;
                break;
            }
        }
        let mut space = Space {
            numbered: Numbered {
                names: rules.names.clone(),
                derived: rules.domains.iter().map(Domain::is_derived).collect(),
                tables: Vec::new(),
                diagram: Diagram::empty(0),
                len: 0,
            },
            rules,
            rejected,
        };
        let rules = &space.rules;
        let program = Program::new(rules);
        if open && !space.names.is_empty() {
            let built = build::build(&program, rules).map_err(|stop| space.stopped(stop, span))?;
            let levels = built.levels.into_iter().map(Unique::into_level).collect();
            space.numbered.tables = built.tables;
            space.numbered.diagram = Diagram::new(levels, built.root);
        } else {
            let values = rules
                .domains
                .iter()
                .map(|domain| domain.fixed().unwrap_or_default());
            let tables = values.map(|values| Table::of(values.to_vec())).collect();
            space.numbered.tables = tables;
            space.numbered.diagram = Diagram::empty(space.names.len());
        }
        space.numbered.len = match space.names.len() {
            0 => u64::from(open),
            _ => space.diagram.len(),
        };
        if open && space.len == 0 {
            space.tally(&program);
        }
        Ok(space)
    }

    /// Its configs without its rules.
    pub fn into_numbered(self) -> Numbered {
        self.numbered
    }

    /// The number of configs before any condition, where it is the plain product of the domains.
    pub fn raw_len(&self) -> Option<u128> {
        self.rules
            .domains
            .iter()
            .filter(|domain| !domain.is_derived())
            .try_fold(1u128, |product, domain| {
                product.checked_mul(domain.fixed()?.len() as u128)
            })
    }

    /// Why building stopped, in the user's words.
    fn stopped(&self, stop: Stop, span: Span) -> SpaceError {
        let message = match stop {
            Stop::Condition(condition, values) => {
                match self.rules.conditions[condition].test(&values) {
                    Err(error) => return error,
                    Ok(_) => "a condition could not be evaluated".into(),
                }
            }
            Stop::Domain(before) => {
                match self.rules.domains[before.len()].values(&before, &mut Vec::new()) {
                    Err(error) => return error,
                    Ok(()) => "a domain could not be evaluated".into(),
                }
            }
            Stop::Visits => format!(
                "the space is too large to enumerate: {MOST_VISITS} partial configs were looked at; \
                 use fewer values, or conditions on earlier parameters"
            ),
            Stop::Full(Full::Edges) => {
                "the space is too large to hold: too many of its parameters \
                 depend on each other; use fewer values, or declare parameters that share a \
                 condition next to each other"
                    .into()
            }
            Stop::Full(Full::Configs) => format!(
                "the space has more than {} valid configs: use fewer values or more conditions",
                u64::MAX
            ),
        };
        SpaceError::new(span, message)
    }
}
