//! What a search may know of configs besides their numbers.

use crate::space::Numbered;
use bico_core::Value;

/// Floating-point operations and bytes of one call of a config, where they are known.
pub type Amounts<'a> = &'a dyn Fn(&[Value]) -> (Option<f64>, Option<f64>);

/// The configs that a search chooses from, numbered from 0.
pub trait Configs {
    /// How many there are.
    fn len(&self) -> u64;

    /// Whether there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The parameters, in declaration order.
    fn names(&self) -> &[String];

    /// The value of each parameter. `config` is below [`Configs::len`].
    fn values(&self, config: u64) -> Vec<Value>;

    /// The configs that differ in one parameter. `config` is below [`Configs::len`].
    fn neighbours(&self, config: u64) -> Vec<u64>;
}

impl Configs for Numbered {
    fn len(&self) -> u64 {
        self.len()
    }

    fn names(&self) -> &[String] {
        self.names()
    }

    fn values(&self, config: u64) -> Vec<Value> {
        self.config(config)
    }

    fn neighbours(&self, config: u64) -> Vec<u64> {
        self.neighbours(config)
    }
}
