//! Recordings of other devices as what a lock would hold of them.

use super::{GpuFacts, Recording};
use bico_search::search::{Kinship, Prior};

/// The best trials of another recording of the same kernel, as configs of this one. Configs that
/// are not valid here are left out, and so is a recording with other parameters altogether.
pub fn prior(here: &Recording, other: &Recording, trials: usize) -> Prior {
    let places = places(here, other);
    let trials = other
        .best(trials)
        .into_iter()
        .filter_map(|(config, seconds)| {
            let values = other.configs.config(config);
            let values: Vec<_> = places
                .as_ref()?
                .iter()
                .map(|place| values[*place])
                .collect();
            Some((here.configs.index_of(&values)?, seconds))
        });
    Prior {
        device: other.device.clone(),
        kinship: kinship(&here.facts, &other.facts),
        trials: trials.collect(),
    }
}

/// The first config of another recording that ran there, as a config of this one.
pub(super) fn first(here: &Recording, other: &Recording) -> Option<u64> {
    let places = places(here, other)?;
    let ran = |config: &u64| other.record(*config).time.is_some();
    let config = (0..other.configs.len()).find(ran)?;
    let values = other.configs.config(config);
    let values: Vec<_> = places.iter().map(|place| values[*place]).collect();
    here.configs.index_of(&values)
}

/// Where the parameters of this recording stand in the other one.
fn places(here: &Recording, other: &Recording) -> Option<Vec<usize>> {
    let (here, other) = (here.configs.names(), other.configs.names());
    let place = |name| other.iter().position(|known| known == name);
    here.iter().map(place).collect()
}

/// How near two GPUs are; what is not known of one is nothing that they share.
pub fn kinship(here: &GpuFacts, other: &GpuFacts) -> Kinship {
    let same = |a: &Option<String>, b: &Option<String>| a.is_some() && a == b;
    let architecture = match (here.compute_capability, other.compute_capability) {
        (Some(a), Some(b)) => a == b,
        (None, None) => same(&here.arch, &other.arch),
        _ => false,
    };
    Kinship::of(same(&here.vendor, &other.vendor), architecture)
}
