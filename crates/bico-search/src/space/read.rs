//! Asking for configs by their numbers.

use super::Numbered;
use bico_core::{Lists, Value};

impl Numbered {
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

    /// The parameters, in declaration order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The values that a parameter takes, in the order of their first appearance; some of them
    /// perhaps in no valid config.
    pub fn values(&self, parameter: usize) -> &[Value] {
        &self.tables[parameter].values
    }

    /// The value of each parameter.
    ///
    /// # Panics
    ///
    /// When `config` is not below [`Numbered::len`].
    pub fn config(&self, config: u64) -> Vec<Value> {
        let ids = self.ids(config).into_iter().zip(&self.tables);
        ids.map(|(id, table)| table.values[id as usize])
            .collect_vec()
    }

    /// The index of each parameter's value in [`Numbered::values`].
    ///
    /// # Panics
    ///
    /// When `config` is not below [`Numbered::len`].
    pub fn ids(&self, config: u64) -> Vec<u32> {
        self.check(config);
        let path = self.diagram.path(config);
        path.iter().map(|step| step.id).collect_vec()
    }

    pub(super) fn check(&self, config: u64) {
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
        let mut step = self.diagram.start();
        for (depth, (value, table)) in values.iter().zip(&self.tables).enumerate() {
            step = self.diagram.find(depth, step, table.id(*value)?)?;
        }
        Some(step.first)
    }

    /// Calls `visit` with the number of each of these configs, and with the index of each
    /// parameter's value in [`Numbered::values`]. Much faster than asking for each of them.
    ///
    /// # Panics
    ///
    /// When `configs` do not ascend, or one is not below [`Numbered::len`].
    pub fn for_some(&self, configs: &[u64], visit: &mut dyn FnMut(u64, &[u32])) {
        assert!(configs.is_sorted(), "the configs do not ascend");
        if let Some(last) = configs.last() {
            self.check(*last);
        }
        let mut ids = vec![0; self.names.len()];
        let start = self.diagram.start();
        self.diagram.visit(0, start, configs, &mut ids, visit);
    }
}
