//! The space: the valid configs of one tunable at one problem, each with a number.
//!
//! A config is its number, in the order of a depth-first walk through the parameters as declared;
//! number 0 is the first valid config. Configs are never held as such: they share a tree of value
//! ids, from which one is read when it is asked for.

mod build;
mod compiler;
mod domain;
mod draw;
mod error;
mod expression;
mod fault;
mod intern;
mod key;
mod node;
mod reasons;
mod rules;
mod scope;
mod shape;
mod tree;

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
use build::{Builder, Condition, Table};
use domain::Domain;
use tree::Tree;

/// The valid configs of one tunable at one problem on one device.
///
/// Holds up to 50 million configs; a larger space is an error of [`Space::new`].
#[derive(Debug, Clone)]
pub struct Space {
    names: Vec<String>,
    domains: Vec<Domain>,
    conditions: Vec<Condition>,
    /// Which conditions become known at each depth.
    tests: Vec<Vec<usize>>,
    tables: Vec<Table>,
    tree: Tree,
    len: u64,
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
        let mut builder = Builder::new(
            &space.domains,
            &mut space.conditions,
            &space.tests,
            spec.function.span,
        );
        if open && !space.names.is_empty() {
            builder.descend(0)?;
        }
        (space.tables, space.tree) = (builder.tables, builder.tree);
        space.len = match space.names.len() {
            0 => u64::from(open),
            depth => space.tree.len(depth - 1) as u64,
        };
        Ok(space)
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
            tree: Tree::new(&[]),
            len: 0,
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

    /// The values that a parameter takes before conditions, in the order of their first appearance.
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
        assert!(
            config < self.len,
            "config {config} of a space of {}",
            self.len
        );
        let path = self.tree.path(config as usize);
        path.iter()
            .enumerate()
            .map(|(depth, node)| self.tree.id(depth, *node))
            .collect()
    }

    /// The number of the config with these values, if it is valid.
    pub fn index_of(&self, values: &[Value]) -> Option<u64> {
        if values.len() != self.names.len() || self.len == 0 {
            return None;
        }
        let mut nodes = 0..self.tree_width();
        let mut node = 0;
        for (depth, value) in values.iter().enumerate() {
            node = self
                .tree
                .find(depth, nodes, self.tables[depth].id(*value)?)?;
            nodes = if depth + 1 < values.len() {
                self.tree.children(depth, node)
            } else {
                0..0
            };
        }
        Some(node as u64)
    }

    /// Calls `visit` with the number of each config in order, and with the index of each
    /// parameter's value in [`Space::values`]. Much faster than asking for each config.
    pub fn for_each(&self, mut visit: impl FnMut(u64, &[u32])) {
        let mut ids = vec![0; self.names.len()];
        if self.names.is_empty() {
            if self.len == 1 {
                visit(0, &ids);
            }
            return;
        }
        self.walk(0, 0..self.tree_width(), &mut ids, &mut visit);
    }

    fn walk(
        &self,
        depth: usize,
        nodes: std::ops::Range<usize>,
        ids: &mut [u32],
        visit: &mut impl FnMut(u64, &[u32]),
    ) {
        for node in nodes {
            ids[depth] = self.tree.id(depth, node);
            if depth + 1 == ids.len() {
                visit(node as u64, ids);
            } else {
                self.walk(depth + 1, self.tree.children(depth, node), ids, visit);
            }
        }
    }

    fn tree_width(&self) -> usize {
        if self.names.is_empty() {
            0
        } else {
            self.tree.len(0)
        }
    }

    /// Up to `count` different configs, each as likely as any other, in random order.
    pub fn sample(&self, count: usize, rng: &mut fastrand::Rng) -> Vec<u64> {
        Draw::new(self.len, rng.fork()).take(count).collect()
    }

    /// The valid configs that differ from this one in exactly one parameter, derived ones aside,
    /// in the order of the parameters and of their values' first appearance.
    ///
    /// # Panics
    ///
    /// When `config` is not below [`Space::len`].
    pub fn neighbours(&self, config: u64) -> Vec<u64> {
        assert!(
            config < self.len,
            "config {config} of a space of {}",
            self.len
        );
        if self.names.is_empty() {
            return Vec::new();
        }
        let path = self.tree.path(config as usize);
        let ids: Vec<u32> = path
            .iter()
            .enumerate()
            .map(|(depth, node)| self.tree.id(depth, *node))
            .collect();
        let mut found = Vec::new();
        let mut siblings = 0..self.tree_width();
        for (depth, own) in path.iter().enumerate() {
            if !self.domains[depth].is_derived() {
                for other in siblings.clone().filter(|node| node != own) {
                    found.extend(self.follow(depth, other, &ids));
                }
            }
            if depth + 1 < path.len() {
                siblings = self.tree.children(depth, *own);
            }
        }
        found
    }

    /// The config below `node` with the same ids in the parameters after `depth` that are not derived.
    fn follow(&self, depth: usize, mut node: usize, ids: &[u32]) -> Option<u64> {
        for (next, id) in ids.iter().enumerate().skip(depth + 1) {
            let children = self.tree.children(next - 1, node);
            node = if self.domains[next].is_derived() {
                children.start
            } else {
                self.tree.find(next, children, *id)?
            };
        }
        Some(node as u64)
    }
}
