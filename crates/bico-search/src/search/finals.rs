//! The finals: who is measured again, and who wins.

use super::{Against, Outcome, Ratio, Sample};
use crate::ascending;
use bico_core::Lists;

/// Finalists at most.
const FINALISTS: usize = 8;

/// As near to the best as this is near enough, whatever the intervals say: trials are seconds to minutes
/// apart, and a machine drifts more than its intervals admit.
const NEAR: f64 = 1.1;

/// The config that a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Winner {
    /// Its number.
    pub config: u64,
    /// Its time: of the finals, if it was measured again.
    pub sample: Sample,
}

/// A config that was timed and did not fail since.
pub(super) type Contender = (u64, Sample);

/// Of those that nothing is clearly faster than, a later config must be this much faster to be preferred to an earlier one: so
/// that equal machines agree.
const TIE: f64 = 1.02;

/// Who stays unless another one is clearly faster.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Holders {
    /// The winner of an earlier search.
    pub incumbent: Option<u64>,
    /// What would run without a search.
    pub default: Option<u64>,
    /// By what share of their time another one must be faster, beside the noise.
    pub margin: f64,
}

impl Holders {
    pub(super) fn all(&self) -> impl Iterator<Item = u64> {
        self.incumbent.into_iter().chain(self.default)
    }
}

/// Who wins.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The winner, then those that tie with it, in the order in which they would win in its place. Never empty.
    pub tied: Vec<Winner>,
    /// Whether it won because nothing is clearly faster than it.
    pub stays: bool,
}

/// The contenders of these trials. A config whose object code is that of another one is left to
/// it, and what was cut short is out, unless `cut` says that it may have been for the sake of a wrong one, or it is the
/// `default`.
pub(super) fn contenders(
    trials: &[(u64, Outcome)],
    cut: bool,
    default: Option<u64>,
) -> Vec<Contender> {
    let contender = |(config, outcome): &(u64, Outcome)| match outcome {
        Outcome::Timed(sample)
            if (cut || !sample.cut || Some(*config) == default) && sample.seconds.is_finite() =>
        {
            Some((*config, sample.clone()))
        }
        _ => None,
    };
    trials.iter().filter_map(contender).collect_vec()
}

/// Sorts the contenders by who is to be measured again, fastest first; how many are. Those of `seats` have one while they are
/// close, the default wherever it is.
pub(super) fn choose(contenders: &mut [Contender], seats: &[u64], default: Option<u64>) -> usize {
    ascending(contenders, &|(_, sample)| sample.seconds);
    let Some((_, best)) = contenders.first() else {
        return 0;
    };
    let (reach, near, quiet) = (best.high, best.seconds * NEAR, best.decile * NEAR);
    // The fast runs of one that was disturbed say what it can do.
    let is_close =
        |sample: &Sample| sample.low <= reach || sample.seconds <= near || sample.decile <= quiet;
    ascending(contenders, &|(_, sample)| f64::from(!is_close(sample)));
    let close = contenders.partition_point(|(_, sample)| is_close(sample));
    let (mut count, mut last) = (close.min(FINALISTS), FINALISTS);
    for seat in seats.iter().copied().chain(default) {
        let mut places = contenders.iter();
        let Some(place) = places.position(|(config, _)| *config == seat) else {
            continue;
        };
        if place < count || place >= close && Some(seat) != default {
            continue;
        }
        let taken = match count < FINALISTS {
            true => count,
            false => last - 1,
        };
        (count, last) = (count.max(taken + 1), last.min(taken));
        contenders.swap(taken, place);
    }
    count
}

/// The finalists that ran, with their times.
fn timed(finals: &[(u64, Outcome)]) -> Vec<(u64, &Sample)> {
    let mut timed = Vec::new();
    for (config, outcome) in finals {
        timed.extend(outcome.sample().map(|sample| (*config, sample)));
    }
    timed
}

/// The fastest: of those that nothing is significantly better than the one of the lowest decile, which noise moves least.
fn fastest<'a>(field: &[(u64, &'a Sample)]) -> Option<(u64, &'a Sample)> {
    // `min` and `max` pass over a NaN, as a recorded space may hold it.
    let highs = field
        .iter()
        .map(|(_, sample)| sample.high.max(sample.seconds));
    let reach = highs.fold(f64::INFINITY, f64::min);
    let is_open = |(_, sample): &&(u64, &Sample)| sample.low.min(sample.seconds) <= reach;
    let by_decile = |a: &&(u64, &Sample), b: &&(u64, &Sample)| a.1.decile.total_cmp(&b.1.decile);
    field.iter().filter(is_open).min_by(by_decile).copied()
}

/// The fastest of finalists, whoever may win.
pub(super) fn leader(finals: &[(u64, Outcome)]) -> Option<(u64, f64)> {
    let (config, sample) = fastest(&timed(finals))?;
    Some((config, sample.seconds))
}

/// How a finalist compares with who holds the place: with the default, where there is one, else with the incumbent.
pub(super) fn against(
    finals: &[(u64, Outcome)],
    holders: &Holders,
    config: u64,
) -> Option<Against> {
    let timed = timed(finals);
    let find = |config: u64| timed.iter().find(|of| of.0 == config).copied();
    let (_, own) = find(config)?;
    let (holder, held) = holders.all().filter_map(find).last()?;
    let ratio = Ratio::new(own, held);
    (config != holder).then_some(Against {
        config: holder,
        ratio,
    })
}

/// The winner among finalists with their outcomes. Whoever holds the place loses it only to one who is faster by more than
/// noise, round by round, and by the margin; of others the fastest wins, and among those that tie with it the smallest
/// number. `None` if all of them failed.
pub fn decide(finals: &[(u64, Outcome)], holders: &Holders) -> Option<Decision> {
    let timed = timed(finals);
    let find = |config: u64| timed.iter().find(|of| of.0 == config).copied();
    let held = holders.all().filter_map(find).collect_vec();
    let beats = |one: &Sample, other: &Sample| Ratio::new(one, other).is_faster(holders.margin);
    let mut field = timed.clone();
    field.retain(|(_, sample)| held.iter().all(|(_, held)| beats(sample, held)));
    // Who left earlier was beaten. How fast the machine was in those rounds says nothing for it, nor against the others.
    let rounds = field.iter().map(|(_, sample)| sample.rounds.len());
    let last = rounds.max().unwrap_or(0);
    field.retain(|(_, sample)| sample.rounds.len() == last);
    let winner = |(config, sample): (u64, &Sample)| Winner {
        config,
        sample: sample.clone(),
    };
    let Some((best, sample)) = fastest(&field) else {
        let (first, others) = held.split_first()?;
        // The default, where that is clearly faster than the incumbent.
        let better = others.iter().find(|(_, sample)| beats(sample, first.1));
        return Some(Decision {
            tied: vec![winner(*better.unwrap_or(first))],
            stays: true,
        });
    };
    field.retain(|(config, other)| {
        let ties = || {
            let ratio = Ratio::new(other, sample);
            ratio.low <= 1.0 && ratio.middle <= TIE
        };
        *config == best || ties()
    });
    ascending(&mut field, &|(config, _)| *config as f64);
    Some(Decision {
        tied: field.into_iter().map(winner).collect_vec(),
        stays: false,
    })
}

#[cfg(test)]
mod tests;
