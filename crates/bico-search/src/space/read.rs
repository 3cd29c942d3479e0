//! Asking for configs by their numbers.

use super::{Draw, Numbered};
use bico_core::Value;

/// Columns of indices, one for each parameter, as narrow as the parameter with the most values allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Columns {
    /// No parameter has more than 256 values.
    U8(Vec<Vec<u8>>),
    /// No parameter has more than 65,536 values.
    U16(Vec<Vec<u16>>),
    /// Some parameter has more.
    U32(Vec<Vec<u32>>),
}

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

    /// Whether a parameter was declared with `=`: it follows from those before it.
    pub fn is_derived(&self, parameter: usize) -> bool {
        self.derived[parameter]
    }

    /// The value of each parameter.
    ///
    /// # Panics
    ///
    /// When `config` is not below [`Numbered::len`].
    pub fn config(&self, config: u64) -> Vec<Value> {
        self.ids(config)
            .iter()
            .zip(&self.tables)
            .map(|(id, table)| table.values[*id as usize])
            .collect()
    }

    /// The index of each parameter's value in [`Numbered::values`].
    ///
    /// # Panics
    ///
    /// When `config` is not below [`Numbered::len`].
    pub fn ids(&self, config: u64) -> Vec<u32> {
        self.check(config);
        let mut ids = vec![0; self.names.len()];
        self.diagram.ids(config, &mut ids);
        ids
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
        if values.is_empty() {
            return Some(0);
        }
        let ids = values.iter().zip(&self.tables);
        self.diagram
            .number(ids.map(|(value, table)| table.id(*value)))
    }

    /// Calls `visit` with the number of each config in order, and with the index of each
    /// parameter's value in [`Numbered::values`]. Much faster than asking for each config.
    pub fn for_each(&self, mut visit: impl FnMut(u64, &[u32])) {
        if self.names.is_empty() && self.len == 1 {
            visit(0, &[]);
        }
        self.diagram.for_each(&mut visit);
    }

    /// As [`Numbered::for_each`], of these configs only. Much faster than asking for each of them.
    ///
    /// # Panics
    ///
    /// When `configs` do not ascend, or one is not below [`Numbered::len`].
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

    /// The index of each parameter's value in [`Numbered::values`] for all configs: one column for each
    /// parameter, in order, as narrow as the indices allow.
    pub fn id_columns(&self) -> Columns {
        let most = self.tables.iter().map(|table| table.values.len()).max();
        fn ids<T>(configs: &Numbered, id: impl Fn(usize) -> T) -> Vec<Vec<T>> {
            let tables = configs.tables.iter();
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
