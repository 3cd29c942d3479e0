//! What the hints make of each config of a recording.

use super::formulas::Formulas;
use crate::replay::{Author, Error, Recording};
use bico_core::Value;
use bico_core::model;
use bico_search::search::Configs;
use std::collections::HashMap;

/// Of a config that `require` does not allow: as of one that the device cannot run.
const HOPELESS: f64 = 1e6;

/// Predictions of all configs. Expressions cannot be shared among threads, numbers can.
pub(super) struct Known {
    numbers: HashMap<String, usize>,
    predicted: Vec<f64>,
}

impl Known {
    /// Evaluates the hints for every config.
    ///
    /// # Errors
    ///
    /// An expression that has no value for some config.
    pub(super) fn new(formulas: &Formulas, recording: &Recording) -> Result<Known, Error> {
        let configs = &recording.configs;
        let mut known = Known {
            numbers: HashMap::new(),
            predicted: Vec::new(),
        };
        for config in 0..configs.len() {
            let values = configs.values(config);
            let (work, valid) = formulas.at(&values)?;
            let seconds = model::predict(&formulas.facts, &work);
            let factor = if valid { 1.0 } else { HOPELESS };
            known.numbers.insert(key(&values), known.predicted.len());
            known.predicted.push((seconds * factor).min(f64::MAX));
        }
        Ok(known)
    }

    fn number(&self, values: &[Value]) -> Option<usize> {
        self.numbers.get(&key(values)).copied()
    }
}

impl Author for Known {
    fn predict(&self, values: &[Value]) -> f64 {
        self.number(values)
            .map_or(f64::MAX, |number| self.predicted[number])
    }
}

fn key(values: &[Value]) -> String {
    let texts: Vec<String> = values.iter().map(Value::to_string).collect();
    texts.join("\u{1f}")
}
