//! The values that a parameter takes.

use super::key::Key;
use bico::Value;
use std::collections::HashMap;

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

    pub(super) fn add(&mut self, value: Value) -> u32 {
        let next = self.values.len() as u32;
        *self.ids.entry(Key::of(value)).or_insert_with(|| {
            self.values.push(value);
            next
        })
    }
}
