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
mod reasons;
mod rules;
mod scope;
mod shape;
mod table;
mod tally;
mod threads;

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod tests;

pub use draw::Draw;
pub use error::SpaceError;
pub use expression::Expression;
pub use intern::intern;
pub use rules::Rules;
pub use scope::Scope;

use bico::Value;
use bico::device::Facts;
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

/// Columns of indices, one for each parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Columns {
    U8(Vec<Vec<u8>>),
    U16(Vec<Vec<u16>>),
    U32(Vec<Vec<u32>>),
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

    /// The number of valid configs.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether no config is valid.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many nodes its diagram has: what it costs to hold.
    pub fn nodes(&self) -> usize {
        self.diagram.nodes()
    }

    /// The number of configs before any condition, where it is the plain product of the domains.
    pub fn raw_len(&self) -> Option<u128> {
        self.domains
            .iter()
            .filter(|domain| !domain.is_derived())
            .try_fold(1u128, |product, domain| {
                product.checked_mul(domain.fixed()?.len() as u128)
            })
    }

    /// The parameters, in declaration order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The values that a parameter takes, in the order of their first appearance; some of them
    /// perhaps in no valid config.
    pub fn values(&self, parameter: usize) -> &[Value] {
        &self.tables[parameter].values
    }

    /// Whether a parameter was declared with `=`: it follows from those before it.
    pub fn is_derived(&self, parameter: usize) -> bool {
        self.domains[parameter].is_derived()
    }

    /// The value of each parameter.
    ///
    /// # Panics
    ///
    /// When `config` is not below [`Space::len`].
    pub fn config(&self, config: u64) -> Vec<Value> {
        self.ids(config)
            .iter()
            .zip(&self.tables)
            .map(|(id, table)| table.values[*id as usize])
            .collect()
    }

    /// The index of each parameter's value in [`Space::values`].
    ///
    /// # Panics
    ///
    /// When `config` is not below [`Space::len`].
    pub fn ids(&self, config: u64) -> Vec<u32> {
        self.check(config);
        let mut ids = vec![0; self.names.len()];
        self.diagram.ids(config, &mut ids);
        ids
    }

    fn check(&self, config: u64) {
        assert!(
            config < self.len,
            "config {config} of a space of {}",
            self.len
        );
    }

    /// The number of the config with these values, if it is valid.
    pub fn index_of(&self, values: &[Value]) -> Option<u64> {
        if values.len() != self.names.len() || self.len == 0 {
            return None;
        }
        if values.is_empty() {
            return Some(0);
        }
        let ids = values.iter().zip(&self.tables);
        self.diagram
            .number(ids.map(|(value, table)| table.id(*value)))
    }

    /// Calls `visit` with the number of each config in order, and with the index of each
    /// parameter's value in [`Space::values`]. Much faster than asking for each config.
    pub fn for_each(&self, mut visit: impl FnMut(u64, &[u32])) {
        if self.names.is_empty() && self.len == 1 {
            visit(0, &[]);
        }
        self.diagram.for_each(&mut visit);
    }

    /// As [`Space::for_each`], of these configs only. Much faster than asking for each of them.
    ///
    /// # Panics
    ///
    /// When `configs` do not ascend, or one is not below [`Space::len`].
    pub fn for_some(&self, configs: &[u64], mut visit: impl FnMut(u64, &[u32])) {
        assert!(configs.is_sorted(), "the configs do not ascend");
        if let Some(last) = configs.last() {
            self.check(*last);
        }
        if self.names.is_empty() {
            configs.iter().for_each(|config| visit(*config, &[]));
        }
        self.diagram.for_some(configs, &mut visit);
    }

    /// The index of each parameter's value in [`Space::values`] for all configs: one column for each
    /// parameter, in order, as narrow as the indices allow.
    pub fn id_columns(&self) -> Columns {
        let most = self.tables.iter().map(|table| table.values.len()).max();
        fn ids<T>(space: &Space, id: impl Fn(usize) -> T) -> Vec<Vec<T>> {
            let tables = space.tables.iter();
            tables
                .map(|table| (0..table.values.len()).map(&id).collect())
                .collect()
        }
        match most.unwrap_or(0) {
            0..=256 => Columns::U8(self.diagram.columns(&ids(self, |id| id as u8))),
            257..=65_536 => Columns::U16(self.diagram.columns(&ids(self, |id| id as u16))),
            _ => Columns::U32(self.diagram.columns(&ids(self, |id| id as u32))),
        }
    }

    /// All configs as one column for each parameter, in order; `value` gives what stands for a value.
    ///
    /// The fastest way to list a space, where it can be listed at all.
    pub fn columns<T: Copy>(&self, value: impl Fn(Value) -> T) -> Vec<Vec<T>> {
        let values: Vec<Vec<T>> = self
            .tables
            .iter()
            .map(|table| table.values.iter().map(|v| value(*v)).collect())
            .collect();
        self.diagram.columns(&values)
    }

    /// Up to `count` different configs, each as likely as any other, in random order.
    pub fn sample(&self, count: usize, rng: &mut fastrand::Rng) -> Vec<u64> {
        Draw::new(self.len, rng.fork()).take(count).collect()
    }
}
