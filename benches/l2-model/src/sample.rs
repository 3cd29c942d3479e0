//! Random launches, on which the model is held to the simulation.

use crate::{Launch, Problem, Tile, device_bytes, simulate};
use bico_search::rank::spearman;
use fastrand::Rng;

/// Orders of the blocks of one problem.
const MAPPINGS: usize = 8;

/// Tiles are never touched more often than this in one launch: it keeps a simulation below a tenth of a second, and is
/// the only reason for which a launch is drawn anew.
const MOST_ROWS: u64 = 600_000;

/// A launch, and by how many steps the blocks of its first wave begin late.
#[derive(Debug, Clone)]
pub struct Case {
    /// Which problem it belongs to: those with the same number differ in the order of blocks only.
    pub problem: usize,
    /// The launch.
    pub launch: Launch,
    /// Per slot.
    pub delays: Vec<u64>,
}

/// Random launches with this seed: sizes of 64 to 1000, in one of three not a multiple of 64; tiles of 16 to 64; from four
/// blocks in flight to all; a cache of a fiftieth of all bytes (not even the panels of a wave fit) to all of them;
/// groups of any size and shape, in either direction, each problem once in row-major order. With `drift`, blocks begin up
/// to three steps late.
pub fn cases(seed: u64, problems: usize, drift: bool) -> Vec<Case> {
    let mut rng = Rng::with_seed(seed);
    let mut cases = Vec::new();
    for problem in 0..problems {
        let base = draw(&mut rng);
        for number in 0..MAPPINGS {
            let mut launch = base;
            if number > 0 {
                let row_major = base.mapping;
                let rows = log_uniform(&mut rng, 1, row_major.rows);
                let columns = log_uniform(&mut rng, 1, row_major.columns);
                launch = launch.mapped(
                    row_major
                        .grouped(rows, columns)
                        .walked(rng.bool(), rng.bool()),
                );
            }
            let late = if drift { rng.u64(0..=3) } else { 0 };
            // The mean difference of two numbers from 0 to `late`.
            launch.drift = (late * (late + 2)) as f64 / (3 * (late + 1)) as f64;
            let delays = (0..launch.in_flight()).map(|_| rng.u64(0..=late)).collect();
            cases.push(Case {
                problem,
                launch,
                delays,
            });
        }
    }
    cases
}

fn draw(rng: &mut Rng) -> Launch {
    loop {
        let input_bytes = [2, 4][rng.usize(..2)];
        let mut size = || {
            let any = log_uniform(rng, 64, 1000);
            if rng.usize(..3) > 0 {
                any.next_multiple_of(64)
            } else {
                any
            }
        };
        let (m, n, k) = (size(), size(), size());
        let problem = Problem {
            batches: rng.u64(1..=3),
            m,
            n,
            k,
            input_bytes,
            output_bytes: [2, 4][rng.usize(..2)],
            last_bytes: if rng.usize(..4) == 0 { input_bytes } else { 0 },
        };
        let tile = Tile {
            m: [16, 32, 64][rng.usize(..3)],
            n: [32, 64][rng.usize(..2)],
            // Half a line at least.
            k: if input_bytes == 2 {
                [32, 64][rng.usize(..2)]
            } else {
                [16, 32, 64][rng.usize(..3)]
            },
        };
        let blocks = problem.batches * m.div_ceil(tile.m) * n.div_ceil(tile.n);
        let all = problem.compulsory_bytes();
        let slots = log_uniform(rng, 4, blocks.max(4));
        let l2_bytes = log_uniform(rng, all / 50, all + all / 5);
        let rows = blocks * k.div_ceil(tile.k) * (tile.m + tile.k);
        if rows <= MOST_ROWS && blocks >= 16 {
            return Launch::new(problem, tile, slots, l2_bytes);
        }
    }
}

/// A whole number between two, its logarithm as likely here as there.
fn log_uniform(rng: &mut Rng, least: u64, most: u64) -> u64 {
    let ratio = most as f64 / least as f64;
    let drawn = least as f64 * ratio.powf(rng.f64());
    (drawn.round() as u64).clamp(least, most)
}

/// How well the model orders launches as the simulation does: rank correlations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Agreement {
    /// Launches.
    pub cases: usize,
    /// Correlation of the bytes of all launches.
    pub bytes: f64,
    /// Correlation of the bytes over those that nobody can save: the size of a problem is no longer a help.
    pub excess: f64,
    /// Correlation of the bytes over the mean of the same problem's (geometric): nothing is left but the order of blocks.
    pub order: f64,
    /// The median of the correlations within each problem where orders differ by more than 5 %.
    pub median: f64,
    /// How many these are, and how many in all.
    pub problems: (usize, usize),
    /// How much more than with the best of its orders is moved with the one that the model prefers: the mean of the
    /// problems, 0 is best.
    pub regret: f64,
    /// How much more is moved in row-major order.
    pub row_major: f64,
}

/// Simulates and predicts all cases.
pub fn agreement(cases: &[Case]) -> Agreement {
    let simulated: Vec<f64> = cases
        .iter()
        .map(|case| simulate(&case.launch, &case.delays).device_bytes() as f64)
        .collect();
    let predicted: Vec<f64> = cases
        .iter()
        .map(|case| device_bytes(&case.launch))
        .collect();
    let over = |bytes: &[f64]| -> Vec<f64> {
        let least = cases
            .iter()
            .map(|case| case.launch.problem.compulsory_bytes() as f64);
        bytes
            .iter()
            .zip(least)
            .map(|(bytes, least)| bytes / least)
            .collect()
    };
    let (mut orders, mut medians) = ((Vec::new(), Vec::new()), Vec::new());
    let (mut regret, mut row_major) = (0.0, 0.0);
    let mut problems = 0;
    let mut start = 0;
    for problem in cases.chunk_by(|a, b| a.problem == b.problem) {
        let range = start..start + problem.len();
        start = range.end;
        problems += 1;
        let (sim, model) = (&simulated[range.clone()], &predicted[range]);
        orders.0.extend(over_mean(sim));
        orders.1.extend(over_mean(model));
        let least = sim.iter().copied().fold(f64::INFINITY, f64::min);
        let most = sim.iter().copied().fold(0.0, f64::max);
        if most > 1.05 * least {
            medians.push(spearman(sim, model).unwrap_or(0.0));
        }
        let choice = (0..model.len()).min_by(|a, b| model[*a].total_cmp(&model[*b]));
        regret += choice.map_or(0.0, |choice| sim[choice] / least - 1.0);
        row_major += sim[0] / least - 1.0;
    }
    medians.sort_by(f64::total_cmp);
    let correlation = |a: &[f64], b: &[f64]| spearman(a, b).unwrap_or(0.0);
    Agreement {
        cases: cases.len(),
        bytes: correlation(&simulated, &predicted),
        excess: correlation(&over(&simulated), &over(&predicted)),
        order: correlation(&orders.0, &orders.1),
        median: medians.get(medians.len() / 2).copied().unwrap_or(0.0),
        problems: (medians.len(), problems),
        regret: regret / problems as f64,
        row_major: row_major / problems as f64,
    }
}

/// Logarithms less their mean, rounded so that equal ones stay equal.
fn over_mean(bytes: &[f64]) -> Vec<f64> {
    let mean = bytes.iter().map(|bytes| bytes.ln()).sum::<f64>() / bytes.len() as f64;
    bytes
        .iter()
        .map(|bytes| ((bytes.ln() - mean) * 1e9).round())
        .collect()
}
