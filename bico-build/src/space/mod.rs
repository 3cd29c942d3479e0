//! The space: the valid configs of one tunable at one problem, each with a number.
//!
//! A config is its number, in the order of a depth-first walk through the parameters as declared;
//! number 0 is the first valid config. Configs are never held as such: a decision diagram counts
//! them, and one is read from it when it is asked for.

mod build;
mod compiler;
mod diagram;
mod domain;
mod draw;
mod error;
mod expression;
mod fault;
mod intern;
mod key;
mod listed;
mod mix;
mod near;
mod node;
mod program;
mod read;
mod reasons;
mod rules;
mod scope;
mod shape;
mod table;
mod tally;
mod task;
mod threads;

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod tests;

pub use draw::Draw;
pub use error::SpaceError;
pub use expression::Expression;
pub use intern::intern;
pub use read::Columns;
pub use rules::Rules;
pub use scope::Scope;

use bico_core::device::Facts;
use bico_syntax::{Arithmetic, TunableSpec};
use build::{Condition, Interpreter, MOST_VISITS, Stop};
use diagram::{Diagram, Full, Unique};
use domain::Domain;
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
    names: Vec<String>,
    domains: Vec<Domain>,
    conditions: Vec<Condition>,
    /// Which conditions become known at each depth.
    tests: Vec<Vec<usize>>,
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
        let mut space = Space::unlisted(spec, facts, scope)?;
        let mut open = true;
        for condition in space
            .conditions
            .iter_mut()
            .filter(|c| c.test.depends().is_empty())
        {
            if !condition.test.test(&[])? {
                condition.rejected += 1;
                open = false;
                break;
            }
        }
        let program = Program::new(&space.domains, &space.conditions, &space.tests);
        let interpreter = Interpreter {
            domains: space.domains.iter().map(Domain::shape).collect(),
            conditions: space.conditions.iter().map(|c| c.test.node()).collect(),
        };
        if open && !space.names.is_empty() {
            let built = threads::build(&program, &interpreter, threads, patience)
                .map_err(|stop| space.stopped(stop, spec.function.span))?;
            let levels = built.levels.into_iter().map(Unique::into_level).collect();
            space.tables = built.tables;
            space.diagram = Diagram::new(levels, built.root);
        } else {
            let values = space
                .domains
                .iter()
                .map(|domain| domain.fixed().unwrap_or_default());
            space.tables = values.map(|values| Table::of(values.to_vec())).collect();
            space.diagram = Diagram::empty(space.names.len());
        }
        space.len = match space.names.len() {
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
                match self.conditions[condition].test.test(&values) {
                    Err(error) => return error,
                    Ok(_) => "a condition could not be evaluated".into(),
                }
            }
            Stop::Domain(before) => {
                match self.domains[before.len()].values(&before, &mut Vec::new()) {
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

    /// The space's domains and conditions, without its configs: what a single config is checked with.
    fn unlisted(spec: &TunableSpec, facts: &Facts, scope: &Scope) -> Result<Space, SpaceError> {
        let names: Vec<String> = spec
            .parameters
            .iter()
            .map(|parameter| parameter.name.text.clone())
            .collect();
        let mut domains = Vec::with_capacity(names.len());
        for (depth, parameter) in spec.parameters.iter().enumerate() {
            domains.push(Domain::compile(parameter, &names[..depth], scope, facts)?);
        }
        let mut tests = vec![Vec::new(); names.len()];
        let mut conditions = Vec::with_capacity(spec.require.len());
        for (index, require) in spec.require.iter().enumerate() {
            let test = Expression::compile(require, Arithmetic::Integer, &names, scope, facts)?;
            if let Some(depth) = test.depends().last() {
                tests[*depth].push(index);
            }
            conditions.push(Condition { test, rejected: 0 });
        }
        Ok(Space {
            names,
            domains,
            conditions,
            tests,
            tables: Vec::new(),
            diagram: Diagram::empty(0),
            len: 0,
            listed: false,
        })
    }
}
