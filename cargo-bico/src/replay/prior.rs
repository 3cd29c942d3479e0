//! Recordings of other devices as what a lock would hold of them.

use super::{GpuFacts, Recording};
use bico_search::search::{Kinship, Prior};

/// The best trials of another recording of the same kernel, as configs of this one. Configs that
/// are not valid here are left out, and so is a recording with other parameters altogether.
pub fn prior(here: &Recording, other: &Recording, trials: usize) -> Prior {
    let best = other.best(trials).into_iter();
    let known = best.filter_map(|(config, seconds)| Some((same(here, other, config)?, seconds)));
    Prior {
        device: other.device.clone(),
        kinship: kinship(&here.facts, &other.facts),
        trials: known.collect(),
    }
}

/// Another recording's config as one of this recording.
pub fn same(here: &Recording, other: &Recording, config: u64) -> Option<u64> {
    let (values, names) = (other.configs.config(config), other.configs.names());
    let value = |name| Some(values[names.iter().position(|known| known == name)?]);
    let values: Option<Vec<_>> = here.configs.names().iter().map(value).collect();
    here.configs.index_of(&values?)
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
