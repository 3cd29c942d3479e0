//! The candidates of a binary that was tuned on other devices' recordings, for a device that it
//! doesn't know.

use bico_build::tuner::cover::{Known, cover};
use cargo_bico::replay::{GpuFacts, Recording, kinship, prior, same};

/// The configs that a binary carries whose lock holds the best `trials` of each of the others, by the
/// very rule of a build, as numbers of `here`: winners in the order of `others`, the
/// greedy cover, then the first config that ran on the first of the others. A recording has no model that
/// ranks: the most promising config is the first winner, which is there anyway. What is not valid here is
/// left out.
pub(super) fn candidates(here: &Recording, others: &[&Recording], trials: usize) -> Vec<u64> {
    let known = others.iter().filter_map(|other| {
        let trials = prior(here, other, trials).trials;
        Some(Known {
            winner: trials.first()?.0,
            trials,
            marked: first(here, other).into_iter().collect(),
        })
    });
    let mut known: Vec<Known<u64>> = known.collect();
    // A lock has one first config for a problem: that of the first device which has one.
    let marked = known.iter().find_map(|known| known.marked.first().copied());
    for known in &mut known {
        known.marked = marked.into_iter().collect();
    }
    cover(&known)
}

/// The first config of another recording that ran there, as a config of this one.
fn first(here: &Recording, other: &Recording) -> Option<u64> {
    let ran = |config: &u64| other.record(*config).time.is_some();
    same(here, other, (0..other.configs.len()).find(ran)?)
}

/// The recordings by how near their devices are: vendor, compute capability, architecture, then
/// the bandwidth and the number of multiprocessors, as logarithms.
pub(super) fn nearest_first<'a>(here: &Recording, others: &[&'a Recording]) -> Vec<&'a Recording> {
    let near = |other: &Recording| {
        let architecture = match (&here.facts.arch, &other.facts.arch) {
            (Some(a), Some(b)) => a != b,
            _ => true,
        };
        let kin = kinship(&here.facts, &other.facts);
        (kin, architecture, distance(&here.facts, &other.facts))
    };
    let mut order: Vec<_> = others.iter().map(|other| (near(other), *other)).collect();
    order.sort_by(|((a, b, c), one), ((d, e, f), two)| {
        (a, b)
            .cmp(&(d, e))
            .then(c.total_cmp(f))
            .then(one.name.cmp(&two.name))
    });
    order.into_iter().map(|(_, other)| other).collect()
}

/// What is not known of one of them counts as a factor of e.
fn distance(a: &GpuFacts, b: &GpuFacts) -> f64 {
    let apart = |a: Option<f64>, b: Option<f64>| match (a, b) {
        (Some(a), Some(b)) if a > 0.0 && b > 0.0 => (a / b).ln().abs(),
        _ => 1.0,
    };
    let count = |facts: &GpuFacts| facts.sm_or_cu_count.map(|count| count as f64);
    apart(a.mem_bw_gb_s, b.mem_bw_gb_s) + apart(count(a), count(b))
}

#[cfg(test)]
mod tests;
