//! The valid configs of a recording.

use bico_core::Value;
use bico_search::search::Configs;
use std::collections::HashMap;

/// Configs as places of values, in the order of a depth-first walk: numbered as a `Space` numbers
/// them, but a plain table that threads can share.
#[derive(Debug)]
pub struct Valid {
    names: Vec<String>,
    values: Vec<Vec<Value>>,
    configs: Vec<Vec<u32>>,
    numbers: HashMap<Vec<u32>, u64>,
    has_rules: bool,
}

impl Valid {
    /// The configs of these value places; those that stand there twice count once.
    pub(super) fn new(
        parameters: &[(String, Vec<Value>)],
        mut configs: Vec<Vec<u32>>,
        has_rules: bool,
    ) -> Valid {
        configs.sort_unstable();
        configs.dedup();
        let numbers = configs.iter().cloned().zip(0..).collect();
        let (names, values) = parameters.iter().cloned().unzip();
        Valid {
            names,
            values,
            configs,
            numbers,
            has_rules,
        }
    }

    /// Whether restrictions made it, not the list of measured configs.
    pub fn has_rules(&self) -> bool {
        self.has_rules
    }

    /// The number of a config by the places of its values.
    pub(super) fn number(&self, places: &[u32]) -> Option<u64> {
        self.numbers.get(places).copied()
    }

    /// The number of the config with these values.
    pub fn index_of(&self, values: &[Value]) -> Option<u64> {
        if values.len() != self.values.len() {
            return None;
        }
        let places: Option<Vec<u32>> = values
            .iter()
            .zip(&self.values)
            .map(|(value, known)| Some(known.iter().position(|other| other == value)? as u32))
            .collect();
        self.number(&places?)
    }
}

impl Configs for Valid {
    fn len(&self) -> u64 {
        self.configs.len() as u64
    }

    fn names(&self) -> &[String] {
        &self.names
    }

    fn values(&self, config: u64) -> Vec<Value> {
        self.configs[config as usize]
            .iter()
            .zip(&self.values)
            .map(|(place, values)| values[*place as usize])
            .collect()
    }

    fn neighbours(&self, config: u64) -> Vec<u64> {
        let mut places = self.configs[config as usize].clone();
        let mut found = Vec::new();
        for parameter in 0..places.len() {
            let own = places[parameter];
            for other in (0..self.values[parameter].len() as u32).filter(|place| *place != own) {
                places[parameter] = other;
                found.extend(self.number(&places));
            }
            places[parameter] = own;
        }
        found
    }
}
