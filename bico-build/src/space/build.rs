//! Enumerating the valid configs, depth first.
//!
//! Every condition is tested as soon as its parameters have values, those of one depth in the order
//! of the attribute; conditions without parameters once. So a condition guards those that are
//! written after it and that need no earlier parameters: `B != 0, A % B == 0`.

use super::domain::Domain;
use super::key::Key;
use super::tree::Tree;
use super::{Expression, SpaceError};
use bico::Value;
use proc_macro2::Span;
use std::collections::HashMap;

/// Configs that a space may hold.
pub(super) const MOST_CONFIGS: usize = 50_000_000;

/// Partial configs that are looked at before giving up: minutes of a build script.
const MOST_VISITS: u64 = 500_000_000;

/// Values of one parameter that occur, by the order of their first appearance.
#[derive(Debug, Clone, Default)]
pub(super) struct Table {
    pub(super) values: Vec<Value>,
    ids: HashMap<Key, u32>,
}

impl Table {
    pub(super) fn id(&self, value: Value) -> Option<u32> {
        self.ids.get(&Key::of(value)).copied()
    }

    fn add(&mut self, value: Value) -> u32 {
        let next = self.values.len() as u32;
        *self.ids.entry(Key::of(value)).or_insert_with(|| {
            self.values.push(value);
            next
        })
    }
}

/// A condition of the attribute, with the number of partial configs that it turned away.
#[derive(Debug, Clone)]
pub(super) struct Condition {
    pub(super) test: Expression,
    pub(super) rejected: u64,
}

/// What an enumeration needs and makes.
pub(super) struct Builder<'a> {
    pub(super) domains: &'a [Domain],
    pub(super) conditions: &'a mut [Condition],
    /// Which conditions become known at each depth.
    pub(super) tests: &'a [Vec<usize>],
    pub(super) span: Span,
    pub(super) tables: Vec<Table>,
    pub(super) tree: Tree,
    /// Domains that don't change, with the ids of their values.
    fixed: Vec<Option<Vec<(Value, u32)>>>,
    /// One buffer for each depth, for the domains that do.
    buffers: Vec<Vec<Value>>,
    chosen: Vec<Value>,
    visits: u64,
}

impl<'a> Builder<'a> {
    pub(super) fn new(
        domains: &'a [Domain],
        conditions: &'a mut [Condition],
        tests: &'a [Vec<usize>],
        span: Span,
    ) -> Builder<'a> {
        let mut tables = vec![Table::default(); domains.len()];
        let fixed = domains
            .iter()
            .zip(&mut tables)
            .map(|(domain, table)| {
                domain.fixed().map(|values| {
                    values
                        .iter()
                        .map(|value| (*value, table.add(*value)))
                        .collect()
                })
            })
            .collect();
        let derived: Vec<bool> = domains.iter().map(Domain::is_derived).collect();
        Builder {
            domains,
            conditions,
            tests,
            span,
            tables,
            tree: Tree::new(&derived),
            fixed,
            buffers: vec![Vec::new(); domains.len()],
            chosen: vec![Value::Bool(false); domains.len()],
            visits: 0,
        }
    }

    /// Fills the tree from `depth` on; whether a config was found.
    pub(super) fn descend(&mut self, depth: usize) -> Result<bool, SpaceError> {
        let mut found = false;
        if let Some(values) = self.fixed[depth].take() {
            for &(value, id) in &values {
                found |= self.visit(depth, value, id)?;
            }
            self.fixed[depth] = Some(values);
        } else {
            let mut values = std::mem::take(&mut self.buffers[depth]);
            self.domains[depth].values(&self.chosen[..depth], &mut values)?;
            for &value in &values {
                let id = self.tables[depth].add(value);
                found |= self.visit(depth, value, id)?;
            }
            self.buffers[depth] = values;
        }
        Ok(found)
    }

    fn visit(&mut self, depth: usize, value: Value, id: u32) -> Result<bool, SpaceError> {
        self.visits += 1;
        if self.visits > MOST_VISITS {
            let message = format!(
                "the space is too large to enumerate: {MOST_VISITS} partial configs were looked at; \
                 use fewer values, or conditions on earlier parameters"
            );
            return Err(SpaceError::new(self.span, message));
        }
        self.chosen[depth] = value;
        for &test in &self.tests[depth] {
            let condition = &mut self.conditions[test];
            if !condition.test.test(&self.chosen[..=depth])? {
                condition.rejected += 1;
                return Ok(false);
            }
        }
        self.tree.push(depth, id);
        if depth + 1 == self.tree.depth() {
            if self.tree.len(depth) > MOST_CONFIGS {
                let message = format!(
                    "the space has more than {MOST_CONFIGS} valid configs: \
                     use fewer values or more conditions"
                );
                return Err(SpaceError::new(self.span, message));
            }
            return Ok(true);
        }
        let found = self.descend(depth + 1)?;
        if !found {
            self.tree.pop(depth);
        }
        Ok(found)
    }
}
