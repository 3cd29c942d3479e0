//! What is compiled before the search: what it will measure first, and what ranks a GPU's configs.

use super::Session;
use super::brief::Brief;
use super::case::Case;
use crate::compile::Unit;
use crate::measure::Candidates;
use crate::tuner::subject::Subject;
use bico_core::device::Facts;
use bico_core::{Lists, Set};
use bico_search::rank::{Kind, Ranked, refine};
use bico_search::search::{Search, Shard};

/// Configs of which one at least should compile, else the source is taken for broken.
const LIKELY: usize = 16;
/// Configs that are compiled before the search, at most, to rank them by what the compiler made of them.
const MOST_COMPILED: usize = 64;

/// Configs of which one at least should compile.
pub(super) struct Likely {
    pub(super) configs: Vec<u64>,
    /// So many of them are likely to be measured.
    pub(super) expected: usize,
    /// The configs that are worth whatever their compilers take, where others are not: nothing is known of those.
    pub(super) spared: Option<Vec<u64>>,
}

impl Likely {
    /// All of them will be measured.
    pub(super) fn all(configs: Vec<u64>) -> Likely {
        Likely {
            expected: configs.len(),
            configs,
            spared: None,
        }
    }
}

impl Brief {
    /// What is measured first, where that is known by now, then the top of the ranking.
    pub(super) fn likely(&mut self, case: &Case<'_>, shard: Option<Shard>) -> Likely {
        let search = Search {
            incumbent: self.incumbent,
            baseline: self.baseline,
            default: self.default,
            starts: &self.starts,
            priors: &self.priors,
            shard,
            ..Search::new(&*case.space, &self.ranked, self.budget)
        };
        // Once compilers have been asked, a GPU's configs are ranked anew.
        let mut likely = match refines(case, &self.ranked) {
            true => self.starts.clone(),
            false => search.opening(&mut *self.strategy),
        };
        // The reference is compiled with the first of them, in every search and by `cargo bico check --perf` with the same, which
        // is mostly soon compiled.
        likely.insert(0, 0);
        let mut seen = Set::default();
        likely.retain(|config| seen.insert(*config));
        let known = likely.len();
        let others = self.ranked.order.iter().copied();
        let others = others.filter(|config| seen.insert(*config));
        likely.extend(others.take(LIKELY.saturating_sub(known)));
        // Where nothing tells configs apart, the top of the ranking is any of them.
        let expected = match self.ranked.is_flat() {
            true => known,
            false => likely.len(),
        };
        // Who goes through all configs wants each of them.
        let learns = self.strategy.is_done().is_some();
        let is_blind = learns && self.ranked.is_flat() && self.priors.is_empty();
        let own = [Some(0), self.baseline, self.default, self.incumbent];
        let spared = || own.into_iter().flatten().chain(self.starts.clone());
        Likely {
            configs: likely,
            expected,
            spared: is_blind.then(|| spared().collect_vec()),
        }
    }
}

/// Whether what the compiler makes of a config changes the ranking.
fn refines(case: &Case<'_>, ranked: &Ranked) -> bool {
    matches!(case.bound.facts, Facts::Cuda(_)) && ranked.kind != Kind::Score
}

impl Session<'_> {
    /// The ranking with what the compiler made of its best configs, on a GPU.
    pub(super) fn refined(
        &self,
        case: &Case<'_>,
        ranked: Ranked,
        subject: &Subject<'_>,
        evaluations: u64,
    ) -> Ranked {
        if !refines(case, &ranked) {
            return ranked;
        }
        let most = usize::try_from(2 * evaluations).unwrap_or(MOST_COMPILED);
        let best = ranked.order.iter().take(most.min(MOST_COMPILED));
        let units = best.filter_map(|config| Some((*config, subject.unit(*config).ok()?)));
        let (configs, units): (Vec<u64>, Vec<Unit>) = units.unzip();
        self.service.announce(units.clone());
        let mut known = Vec::new();
        // The other half is the search's.
        let left = || self.turn.map_or(f64::INFINITY, |turn| turn.left());
        let half = left() / 2.0;
        for (config, unit) in configs.into_iter().zip(&units) {
            if left() < half {
                break;
            }
            let kernel = self.service.kernel(unit).ok();
            if let Some(resources) = kernel.and_then(|kernel| kernel.resources()) {
                known.push((config, case.space.config(config), resources));
            }
        }
        refine(ranked, &case.bound, &known)
    }
}
