//! The values that a parameter takes.

use super::mix::Mixed;
use bico_bind::Key;
use bico_core::Value;
use std::collections::HashMap;

/// Up to this many values are searched one by one.
const FEW: usize = 32;

/// Values of one parameter that occur, by the order of their first appearance.
#[derive(Debug, Clone, Default)]
pub(super) struct Table {
    pub(super) values: Vec<Value>,
    /// Their indices; empty while there are few.
    ids: HashMap<Key, u32, Mixed>,
}

impl Table {
    /// A table of values that are all different.
    pub(super) fn of(values: Vec<Value>) -> Table {
        let mut table = Table {
            values,
            ids: HashMap::default(),
        };
        table.index();
        table
    }

    fn index(&mut self) {
        if self.values.len() > FEW {
            let keys = self.values.iter().map(|value| Key::of(*value));
            self.ids = keys.zip(0..).collect();
        }
    }

    pub(super) fn id(&self, value: Value) -> Option<u32> {
        if self.values.len() <= FEW {
            let key = Key::of(value);
            let at = self.values.iter().position(|known| Key::of(*known) == key);
            return at.map(|at| at as u32);
        }
        self.ids.get(&Key::of(value)).copied()
    }

    pub(super) fn add(&mut self, value: Value) -> u32 {
        if let Some(id) = self.id(value) {
            return id;
        }
        let next = self.values.len() as u32;
        self.values.push(value);
        if self.values.len() == FEW + 1 {
            self.index();
        } else if self.values.len() > FEW {
            self.ids.insert(Key::of(value), next);
        }
        next
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
