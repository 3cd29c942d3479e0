//! What a search may know of configs besides their numbers.

use crate::space::{Numbered, Space};
use bico_bind::Bound;
use bico_core::Value;

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

    /// Floating-point operations and bytes of one call, where the author says.
    fn work(&self, _config: u64) -> (Option<f64>, Option<f64>) {
        (None, None)
    }
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

/// A space as a search sees it, with what the author says of each config's work.
#[derive(Debug, Clone, Copy)]
pub struct Described<'a> {
    /// The space.
    pub space: &'a Space,
    /// What was bound to make it.
    pub bound: &'a Bound<'a>,
}

impl Configs for Described<'_> {
    fn len(&self) -> u64 {
        self.space.len()
    }

    fn names(&self) -> &[String] {
        self.space.names()
    }

    fn values(&self, config: u64) -> Vec<Value> {
        self.space.config(config)
    }

    fn neighbours(&self, config: u64) -> Vec<u64> {
        self.space.neighbours(config)
    }

    fn work(&self, config: u64) -> (Option<f64>, Option<f64>) {
        // Ranking has evaluated every config: what failed there has been reported.
        self.bound
            .amounts(&self.space.config(config))
            .unwrap_or_default()
    }
}
