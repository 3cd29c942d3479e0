//! A recording's configs as a search sees them: with what a kernel's author would say of each.

use super::Recording;
use bico_search::rank::{Kind, Ranked};
use bico_search::space::Numbered;

/// The configs of a recording, ranked.
pub struct Authored<'a> {
    /// The ranking; without predictions the order is that of the space.
    pub ranked: Ranked,
    /// The configs.
    pub configs: &'a Numbered,
}

impl<'a> Authored<'a> {
    /// The configs with the seconds that somebody predicted of each, or nobody of any.
    pub fn new(recording: &'a Recording, predicted: Option<&[f64]>) -> Authored<'a> {
        let configs = &recording.configs;
        let predicted = match predicted {
            Some(predicted) => predicted.to_vec(),
            None => vec![1.0; configs.len() as usize],
        };
        Authored {
            ranked: Ranked::new((0..configs.len()).collect(), predicted, Kind::Seconds),
            configs,
        }
    }
}
