//! What a kernel's author would say of its configs, for recordings that hold no attribute.

use super::{Error, Recording, Valid};
use bico_core::Value;
use bico_search::rank::{Kind, Ranked};
use bico_search::search::Configs;

/// Says of each config what an attribute's `launch` and `work` would.
pub trait Author: Send + Sync {
    /// The predicted seconds.
    fn predict(&self, values: &[Value]) -> f64;
}

/// The authors of several kernels.
pub trait Authors: Sync {
    /// The author of a recording's kernel; `None` where nobody knows it.
    ///
    /// # Errors
    ///
    /// When what the author says does not fit the recording.
    fn author(&self, recording: &Recording) -> Result<Option<Box<dyn Author>>, Error>;
}

/// A recording's configs with what their author says, computed once.
pub struct Authored<'a> {
    /// The ranking; without an author all predictions are equal, and the order that of the space.
    pub ranked: Ranked,
    configs: &'a Valid,
}

impl<'a> Authored<'a> {
    /// The configs with the predictions of an author, or of nobody.
    pub fn new(recording: &'a Recording, author: Option<&dyn Author>) -> Authored<'a> {
        let configs = &recording.configs;
        let len = configs.len();
        let mut predicted = Vec::with_capacity(len as usize);
        for config in 0..len {
            let Some(author) = author else {
                predicted.push(1.0);
                continue;
            };
            let values = configs.values(config);
            predicted.push(author.predict(&values));
        }
        Authored {
            ranked: Ranked::new((0..len).collect(), predicted, Kind::Seconds),
            configs,
        }
    }
}

impl Configs for Authored<'_> {
    fn len(&self) -> u64 {
        self.configs.len()
    }

    fn names(&self) -> &[String] {
        self.configs.names()
    }

    fn values(&self, config: u64) -> Vec<Value> {
        self.configs.values(config)
    }

    fn neighbours(&self, config: u64) -> Vec<u64> {
        self.configs.neighbours(config)
    }
}
