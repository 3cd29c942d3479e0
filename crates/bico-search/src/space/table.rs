//! The values that a parameter takes.

use super::mix::Mixed;
use bico_core::Value;
use bico_syntax::bind::Key;
use std::collections::HashMap;

/// Values of one parameter that occur, by the order of their first appearance.
#[derive(Debug, Clone, Default)]
pub(super) struct Table {
    pub(super) values: Vec<Value>,
    ids: HashMap<Key, u32, Mixed>,
}

impl Table {
    /// A table of values that are all different.
    pub(super) fn of(values: Vec<Value>) -> Table {
        let keys = values.iter().map(|value| Key::of(*value));
        Table {
            ids: keys.zip(0..).collect(),
            values,
        }
    }

    pub(super) fn id(&self, value: Value) -> Option<u32> {
        self.ids.get(&Key::of(value)).copied()
    }

    pub(super) fn add(&mut self, value: Value) -> u32 {
        let next = self.values.len() as u32;
        let id = *self.ids.entry(Key::of(value)).or_insert(next);
        if id == next {
            self.values.push(value);
        }
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_and_many() {
        let mut table = Table::default();
        for round in 0..2 {
            for value in 0..100 {
                assert_eq!(table.add(Value::Int(value * 3)), value as u32, "{round}");
            }
        }
        assert_eq!(table.id(Value::Int(99 * 3)), Some(99));
        assert_eq!(table.id(Value::Int(1)), None);
        assert_eq!(table.id(Value::Bool(false)), None);
        assert_eq!(
            Table::of(table.values.clone()).id(Value::Int(150)),
            Some(50)
        );
    }
}
