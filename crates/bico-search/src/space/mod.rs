//! The space: the valid configs of one tunable at one problem, each with a number.
//!
//! A config is its number, in the order of a depth-first walk through the parameters as declared;
//! number 0 is the first valid config. Configs are never held as such: a decision diagram counts
//! them, and one is read from it when it is asked for.

mod build;
mod diagram;
mod draw;
mod listed;
mod mix;
mod near;
mod program;
mod read;
mod reasons;
mod table;
mod tally;
mod task;
mod threads;

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod tests;

pub use draw::Draw;
pub use read::Columns;

use bico_bind::{Domain, Expression, Rules, Scope, SpaceError};
use bico_core::device::Facts;
use bico_syntax::TunableSpec;
use build::{Interpreter, MOST_VISITS, Stop};
use diagram::{Diagram, Full, Unique};
use proc_macro2::Span;
use program::Program;
use table::Table;
use threads::PATIENCE;

/// The valid configs of one tunable at one problem on one device.
///
/// Its size is that of its diagram, not the number of its configs, which is only limited by `u64`:
/// groups of parameters without a common condition multiply without being multiplied out.
#[derive(Debug, Clone)]
pub struct Space {
    rules: Rules,
    /// How many partial configs each condition turned away, where nothing is left.
    rejected: Vec<u64>,
    tables: Vec<Table>,
    diagram: Diagram,
    len: u64,
    /// Whether a list says which configs there are, instead of domains and conditions.
    listed: bool,
}

impl Space {
    /// Enumerates the space.
    ///
    /// # Errors
    ///
    /// The first expression that cannot be evaluated in some corner of the space, a domain that is
    /// no list or holds a value twice, or more configs than can be held. A space without any valid
    /// config is no error here: see [`Space::why_empty`].
    pub fn new(spec: &TunableSpec, facts: &Facts, scope: &Scope) -> Result<Space, SpaceError> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Space::new_on(spec, facts, scope, threads)
    }

    /// As [`Space::new`], on this many threads at most. The space is the same for any number.
    ///
    /// # Errors
    ///
    /// As [`Space::new`].
    pub fn new_on(
        spec: &TunableSpec,
        facts: &Facts,
        scope: &Scope,
        threads: usize,
    ) -> Result<Space, SpaceError> {
        Space::build(spec, facts, scope, threads, PATIENCE)
    }

    fn build(
        spec: &TunableSpec,
        facts: &Facts,
        scope: &Scope,
        threads: usize,
        patience: u64,
    ) -> Result<Space, SpaceError> {
        let rules = Rules::new(spec, facts, scope)?;
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
            rules,
            rejected,
            tables: Vec::new(),
            diagram: Diagram::empty(0),
            len: 0,
            listed: false,
        };
        let rules = &space.rules;
        let program = Program::new(rules);
        let interpreter = Interpreter {
            domains: rules.domains.iter().map(Domain::shape).collect(),
            conditions: rules.conditions.iter().map(Expression::node).collect(),
        };
        if open && !space.rules.names.is_empty() {
            let built = threads::build(&program, &interpreter, threads, patience)
                .map_err(|stop| space.stopped(stop, spec.function.span))?;
            let levels = built.levels.into_iter().map(Unique::into_level).collect();
            space.tables = built.tables;
            space.diagram = Diagram::new(levels, built.root);
        } else {
            let values = rules
                .domains
                .iter()
                .map(|domain| domain.fixed().unwrap_or_default());
            space.tables = values.map(|values| Table::of(values.to_vec())).collect();
            space.diagram = Diagram::empty(space.rules.names.len());
        }
        space.len = match space.rules.names.len() {
            0 => u64::from(open),
            _ => space.diagram.len(),
        };
        if open && space.len == 0 {
            space.tally(&program);
        }
        Ok(space)
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
            Stop::Visits | Stop::Patience => format!(
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
