//! Which sizes are worth a search: those around which a program spends its time, as far apart as one winner serves.
//!
//! A call is served by the winner of the tuned problem whose sizes are nearest in their logarithms. How much it loses to a
//! winner of its own is not known before somebody has measured it, but grows with that distance.

use bico_core::Lists;

/// Sizes within this factor, each, are taken to be served by one winner.
const SERVED: f64 = 1.25;

/// Sizes that take no more than this share of the time, together, are not worth a search.
const REST: f64 = 0.01;

/// Sizes with the time that their calls took.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Weighted {
    pub(super) sizes: Vec<i64>,
    pub(super) weight: f64,
}

/// How far apart sizes are: the sum of the squares of their logarithms' differences, as a program has it.
pub(super) fn distance(a: &[i64], b: &[i64]) -> f64 {
    let apart = a.iter().zip(b).map(|(&a, &b)| log(a) - log(b));
    apart.map(|apart| apart * apart).sum()
}

/// The logarithm to base two; zero and what is below it is far from all else.
fn log(size: i64) -> f64 {
    match size > 0 {
        true => (size as f64).log2(),
        false => size as f64 - 1e6,
    }
}

/// The place of the sizes that are nearest, the first in a tie.
pub(super) fn nearest<'a>(
    sizes: &[i64],
    among: impl IntoIterator<Item = &'a [i64]>,
) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for (at, other) in among.into_iter().enumerate() {
        let apart = distance(sizes, other);
        if best.is_none_or(|(_, least)| apart < least) {
            best = Some((at, apart));
        }
    }
    best.map(|(at, _)| at)
}

/// Whether one winner is taken to serve both.
fn is_served(sizes: &[i64], by: &[i64]) -> bool {
    let near = |(&a, &b): (&i64, &i64)| (log(a) - log(b)).abs() <= SERVED.log2() + 1e-9;
    sizes.iter().zip(by).all(near)
}

/// Sizes to tune beside those that are tuned, most time first, each with the time of those calls that it is to serve.
pub(super) fn propose(calls: &[Weighted], tuned: &[Vec<i64>]) -> Vec<Weighted> {
    let total: f64 = calls.iter().map(|of| of.weight).sum();
    let mut left: Vec<&Weighted> = calls.iter().collect_vec();
    left.retain(|of| !tuned.iter().any(|by| is_served(&of.sizes, by)));
    let mut chosen: Vec<&Weighted> = Vec::new();
    let weight = |of: &[&Weighted]| of.iter().map(|of| of.weight).sum::<f64>();
    while weight(&left) > REST * total {
        // What it would take off the others, where each is a size that is called.
        let gain = |by: &Weighted| {
            let served = left.iter().filter(|of| is_served(&of.sizes, &by.sizes));
            served.map(|of| of.weight).sum::<f64>()
        };
        let best = left.iter().copied().reduce(|best, of| {
            let (own, others) = (gain(of), gain(best));
            // Of those that serve alike the one that is called most: it gets its very own winner.
            match own > others || own == others && of.weight > best.weight {
                true => of,
                false => best,
            }
        });
        let Some(best) = best else { break };
        left.retain(|of| !is_served(&of.sizes, &best.sizes));
        chosen.push(best);
    }
    let centres = tuned.iter().chain(chosen.iter().map(|of| &of.sizes));
    let centres: Vec<&[i64]> = centres.map(Vec::as_slice).collect();
    let mut proposals: Vec<Weighted> = chosen
        .iter()
        .map(|of| Weighted {
            sizes: of.sizes.clone(),
            weight: 0.0,
        })
        .collect();
    for of in calls {
        let at = nearest(&of.sizes, centres.iter().copied());
        let own = at.and_then(|at| at.checked_sub(tuned.len()));
        if let Some(proposal) = own.and_then(|at| proposals.get_mut(at)) {
            proposal.weight += of.weight;
        }
    }
    proposals.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    proposals
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Simulated seconds of a blocked product: whole tiles, waves of them, what a tile reuses, and a launch.
    fn seconds(tile: [i64; 2], sizes: &[i64]) -> f64 {
        let [m, n, k] = [sizes[0], sizes[1], sizes[2]];
        let tiles = (m as u64).div_ceil(tile[0] as u64) * (n as u64).div_ceil(tile[1] as u64);
        let waves = tiles as f64 / 64.0;
        // Waves overlap in part.
        let waves = 0.7 * waves.max(1.0) + 0.3 * waves.ceil();
        let reuse = 1.0 / tile[0] as f64 + 1.0 / tile[1] as f64;
        let area = (tile[0] * tile[1]) as f64;
        5e-6 + waves * area * k as f64 * (1.0 + 24.0 * reuse) * 4e-11
    }

    const TILES: [i64; 6] = [8, 16, 32, 64, 128, 256];

    fn best(sizes: &[i64]) -> [i64; 2] {
        let pairs = TILES.iter().flat_map(|&a| TILES.map(|b| [a, b]));
        let by = |a: &[i64; 2], b: &[i64; 2]| seconds(*a, sizes).total_cmp(&seconds(*b, sizes));
        pairs.min_by(by).unwrap()
    }

    /// What a mix of calls loses with the winners of `tuned` alone, as a share of what it takes with its own.
    fn lost(mix: &[(Vec<i64>, f64)], tuned: &[Vec<i64>]) -> f64 {
        let (mut own, mut served) = (0.0, 0.0);
        for (sizes, count) in mix {
            let by = nearest(sizes, tuned.iter().map(Vec::as_slice)).unwrap();
            own += count * seconds(best(sizes), sizes);
            served += count * seconds(best(&tuned[by]), sizes);
        }
        served / own - 1.0
    }

    fn mixes() -> Vec<Vec<(Vec<i64>, f64)>> {
        let mut mixes = Vec::new();
        // Batches of requests between few and many, at three layers.
        let mut batches = Vec::new();
        for layer in [[768, 768], [3072, 768], [768, 3072]] {
            for m in (1..=60).map(|step| step * 32) {
                let common = 1000.0 / f64::from(step_of(m));
                batches.push((vec![m, layer[0], layer[1]], common.ceil()));
            }
        }
        mixes.push(batches);
        // Lengths of texts: many sizes around a few, with a long tail.
        let mut random = 7u64;
        let mut draw = || {
            random = random
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (random >> 33) as i64
        };
        let mut lengths = Vec::new();
        for _ in 0..300 {
            let centre = [96, 512, 2000][draw() as usize % 3];
            let length = centre + draw() % (centre / 4);
            lengths.push((vec![length, 1024, 1024], (1 + draw() % 50) as f64));
        }
        mixes.push(lengths);
        mixes
    }

    fn step_of(m: i64) -> u32 {
        (m / 32) as u32
    }

    #[test]
    fn a_known_mix_loses_little_with_few_problems() {
        for mix in mixes() {
            // As a program would have taken before any tuning: the first config for all.
            let taken = |(sizes, count): &(Vec<i64>, f64)| Weighted {
                sizes: sizes.clone(),
                weight: count * seconds([8, 8], sizes),
            };
            let calls: Vec<Weighted> = mix.iter().map(taken).collect();
            let proposals = propose(&calls, &[]);
            let tuned: Vec<Vec<i64>> = proposals.iter().map(|of| of.sizes.clone()).collect();
            let lost = lost(&mix, &tuned);
            println!(
                "{} sizes, {} proposed, {:.2} % lost",
                mix.len(),
                tuned.len(),
                lost * 100.0
            );
            assert!(lost <= 0.03, "{} problems lose {lost}", tuned.len());
            assert!(
                tuned.len() * 4 <= mix.len(),
                "{} of {}",
                tuned.len(),
                mix.len()
            );
            // One problem alone would lose more: the mix is no easy one.
            assert!(super::tests::lost(&mix, &tuned[..1]) > 0.03);
            let total: f64 = calls.iter().map(|of| of.weight).sum();
            let given: f64 = proposals.iter().map(|of| of.weight).sum();
            assert!((given - total).abs() < 1e-6 * total);
            assert!(proposals.is_sorted_by(|a, b| a.weight >= b.weight));
            // Once these are tuned there is nothing more to propose.
            assert_eq!(propose(&calls, &tuned), []);
        }
    }

    #[test]
    fn what_is_near_a_tuned_problem_is_not_proposed() {
        let of = |size, weight| Weighted {
            sizes: vec![size],
            weight,
        };
        let calls = [
            of(1000, 5.0),
            of(1100, 3.0),
            of(64, 2.0),
            of(0, 1.0),
            of(7, 0.01),
        ];
        let proposed = propose(&calls, &[vec![1024]]);
        let sizes: Vec<i64> = proposed.iter().map(|of| of.sizes[0]).collect();
        assert_eq!(sizes, [64, 0]);
        assert_eq!(propose(&[], &[]), []);
    }
}
