//! Whole tunings in noise, simulated: trials and finals take their runs as the worker does.

use super::stats::{FEW, Run, is_beaten, is_look, is_lost, is_narrow, may_reject, median, summary};
use bico_core::Lists;
use bico_search::rank::Ranked;
use bico_search::search::{
    Budget, Caches, Measure, Outcome, Sample, Search, by_name, run as search,
};
use bico_search::space::Space;
use fastrand::Rng;

/// A machine on which each run of each config is off by its own 3 %, beside what meets a whole round.
struct Machine<'a> {
    random: &'a mut Rng,
    seconds: &'a [f64],
}

impl Machine<'_> {
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.random.f64()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.random.f64()).cos()
    }

    fn run(&mut self, config: u64) -> Run {
        Run {
            seconds: self.seconds[config as usize] * (1.0 + 0.03 * self.normal()),
            disturbed: false,
        }
    }
}

impl Measure for Machine<'_> {
    fn spent(&self) -> f64 {
        0.0
    }

    fn announce(&mut self, _: &[u64]) {}

    fn measure(&mut self, config: u64, best: Option<f64>) -> Outcome {
        let mut runs = Vec::new();
        let interval = if best.is_some() { 0.015 } else { 0.05 };
        while runs.len() < 100 {
            runs.push(self.run(config));
            let is_lost = best.is_some_and(|best| is_lost(&runs, best));
            let is_known = is_look(runs.len()) && is_narrow(&runs, interval);
            if runs.len() >= FEW && (is_lost || is_known) {
                break;
            }
        }
        Outcome::Timed(summary(&runs, Caches::Warm).sample)
    }

    fn finals(&mut self, configs: &[u64]) -> Vec<Outcome> {
        let mut runs: Vec<Vec<Run>> = vec![Vec::new(); configs.len()];
        let mut inside = vec![true; configs.len()];
        for round in 1..=200 {
            for (at, config) in configs.iter().enumerate().filter(|(at, _)| inside[*at]) {
                runs[at].push(self.run(*config));
            }
            let open = || runs.iter().zip(&inside).filter(|(_, inside)| **inside);
            if is_look(round) && open().all(|(runs, _)| is_narrow(runs, 0.02)) {
                break;
            }
            if may_reject(round) {
                let open = open().map(|(runs, _)| runs);
                let best = open.min_by(|a, b| median(a).total_cmp(&median(b)));
                let best = best.unwrap().clone();
                inside = runs
                    .iter()
                    .zip(&inside)
                    .map(|(runs, of)| *of && !is_beaten(runs, &best))
                    .collect_vec();
            }
        }
        let outcome = |runs: &Vec<Run>| {
            let rounds = runs.iter().map(|run| run.seconds);
            Outcome::Timed(Sample {
                rounds: rounds.collect_vec(),
                ..summary(runs, Caches::Warm).sample
            })
        };
        runs.iter().map(outcome).collect_vec()
    }
}

/// The config that a tuning picks of such a space.
fn pick(seed: u64, seconds: &[f64], default: Option<u64>, incumbent: Option<u64>) -> u64 {
    let space = Space::parse(&format!("space(A in 0..{})", seconds.len())).unwrap();
    let ranked = Ranked::blind(seconds.len() as u64);
    let mut random = Rng::with_seed(seed);
    let budget = Budget {
        evaluations: seconds.len() as u64,
        patience: None,
        ..Budget::default()
    };
    let search_for = Search {
        default,
        incumbent,
        ..Search::new(&*space, &ranked, budget)
    };
    let mut machine = Machine {
        random: &mut random,
        seconds,
    };
    let mut strategy = by_name("random", seed).unwrap();
    let found = search(&search_for, &mut *strategy, &mut machine, &mut ());
    found.winner.unwrap().config
}

const SEEDS: std::ops::Range<u64> = 0..100;

/// How many of 100 tunings pick this config.
fn picks(config: u64, seconds: &[f64], default: Option<u64>) -> usize {
    let pick = |seed: &u64| pick(*seed, seconds, default, None) == config;
    SEEDS.filter(pick).count()
}

/// How many of 100 pairs of equal machines, with noise of their own, pick the same.
fn agree(seconds: &[f64], default: Option<u64>) -> usize {
    let agree = |seed: &u64| {
        pick(*seed, seconds, default, None) == pick(1_000 + *seed, seconds, default, None)
    };
    SEEDS.filter(agree).count()
}

#[test]
fn in_a_flat_space_the_default_stays_and_equal_machines_agree() {
    let flat = [1.0; 40];
    // All are as fast: another one costs nothing but agreement.
    assert!(picks(17, &flat, Some(17)) >= 97);
    assert!(agree(&flat, Some(17)) >= 95);
    assert!(agree(&flat, None) >= 95, "{}", agree(&flat, None));
    // Nobody is faster than the default, and some are slower by less than noise shows.
    let mut random = Rng::with_seed(3);
    let slower: Vec<f64> = (0..40).map(|_| 1.0 + 0.05 * random.f64()).collect();
    let fastest = slower.iter().copied().fold(f64::MAX, f64::min);
    let default = slower.iter().position(|of| *of == fastest).unwrap() as u64;
    for seed in SEEDS {
        let pick = pick(seed, &slower, Some(default), None);
        assert!(slower[pick as usize] <= 1.01 * fastest, "{seed}: {pick}");
    }
}

#[test]
fn what_is_three_percent_faster_is_picked() {
    let mut seconds = [1.0; 40];
    seconds[23] = 0.97;
    for default in [None, Some(17)] {
        let (picked, agree) = (picks(23, &seconds, default), agree(&seconds, default));
        assert!(
            picked >= 90 && agree >= 95,
            "{default:?}: {picked}, {agree}"
        );
    }
    // Once it is in the lock it stays, on whichever machine.
    let stays = |seed: &u64| pick(*seed, &seconds, Some(17), Some(23)) == 23;
    assert!(SEEDS.filter(stays).count() >= 98);
}
