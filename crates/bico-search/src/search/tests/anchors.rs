//! A range of sizes with anchors, against a search at each of fifty sizes.

use super::told::Told;
use super::*;
use crate::anchors::{Anchors, share};

const BUDGET: u64 = 64;
/// What a search has to find at each size, beside the kind of kernel.
const OTHERS: u64 = 8;

/// 4 kinds of kernel, each with 64 settings.
struct Kernels(Vec<String>);

impl Kernels {
    fn parts(config: u64) -> [u64; 3] {
        [
            config / OTHERS / OTHERS,
            config / OTHERS % OTHERS,
            config % OTHERS,
        ]
    }
}

impl Configs for Kernels {
    fn len(&self) -> u64 {
        4 * OTHERS * OTHERS
    }

    fn names(&self) -> &[String] {
        &self.0
    }

    fn values(&self, config: u64) -> Vec<Value> {
        Kernels::parts(config)
            .map(|part| Value::Int(part as i64))
            .to_vec()
    }

    fn neighbours(&self, _: u64) -> Vec<u64> {
        Vec::new()
    }
}

/// Each kind has more to do before it begins, and less for each element: 27, 900 and 5000 are where the best one changes.
/// Its settings cost up to 60 %.
fn seconds(config: u64, size: i64) -> f64 {
    let [kind, one, other] = Kernels::parts(config);
    let (begin, each) = [(1.0, 1.0), (20.0, 0.3), (200.0, 0.1), (600.0, 0.02)][kind as usize];
    let off = one.abs_diff(2 + kind) + other.abs_diff(6 - kind);
    (begin + each * size as f64) * (1.0 + 0.06 * off as f64)
}

/// The winner at a size, its best trials, and what was measured for it.
struct Tuned {
    found: Found,
    evaluations: u64,
}

impl Tuned {
    fn at(size: i64, evaluations: u64, starts: &[u64], priors: &[Prior]) -> Tuned {
        let configs = Kernels(["KIND", "ONE", "OTHER"].map(String::from).to_vec());
        let ranked = Ranked::blind(configs.len());
        let mut told = Told::new((0..configs.len()).map(|config| (config, seconds(config, size))));
        let search = Search {
            starts,
            priors,
            ..Search::new(&configs, &ranked, budget(evaluations))
        };
        let mut strategy = by_name(DEFAULT, 0).unwrap();
        let found = run(&search, &mut *strategy, &mut told, &mut ());
        let evaluations = found.trail.evaluated().count() as u64;
        Tuned { found, evaluations }
    }

    fn winner(&self) -> u64 {
        self.found.winner.as_ref().unwrap().config
    }

    fn prior(&self) -> Prior {
        let top = self.found.trail.top(12).into_iter();
        Prior {
            device: "at another size".into(),
            kinship: Kinship::Architecture,
            trials: top
                .map(|(config, sample)| (config, sample.seconds))
                .collect(),
        }
    }
}

/// Both ends, and the middles of what lies between, five times.
fn grid(last: i64) -> Vec<(i64, Option<[usize; 2]>)> {
    let mut points: Vec<(i64, Option<[usize; 2]>)> = vec![(1, None), (last, None)];
    let mut gaps = vec![[0, 1]];
    for _ in 0..5 {
        for [low, high] in std::mem::take(&mut gaps) {
            let mean = (points[low].0 as f64 * points[high].0 as f64)
                .sqrt()
                .round() as i64;
            if points[low].0 < mean && mean < points[high].0 {
                gaps.extend([[low, points.len()], [points.len(), high]]);
                points.push((mean, Some([low, high])));
            }
        }
    }
    points
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn anchors_lose_little_against_a_search_at_each_of_fifty_sizes() {
    let points = grid(8192);
    let mut anchors = Anchors::new(points.clone());
    let mut tuned: Vec<Option<Tuned>> = Vec::new();
    let mut spent = 0;
    for (at, (size, between)) in points.iter().enumerate() {
        let neighbours = anchors.neighbours(at);
        let winner = |of: &usize| tuned[*of].as_ref().map(Tuned::winner);
        let winners: Vec<u64> = match between {
            None => Vec::new(),
            Some(_) => neighbours.iter().filter_map(winner).collect(),
        };
        let priors: Vec<Prior> = tuned.iter().flatten().map(Tuned::prior).collect();
        if between.is_some() && !anchors.is_open(at, winners[0] == winners[1]) {
            tuned.push(None);
            continue;
        }
        let evaluations = between.map_or(BUDGET, |_| share(BUDGET));
        let here = Tuned::at(*size, evaluations, &winners, &priors);
        spent += here.evaluations;
        let mut is_anchor = true;
        if between.is_some() {
            let losses = winners.iter().map(|neighbour| {
                let (own, best) = here.found.trail.both(*neighbour, here.winner())?;
                Some(own.seconds / best.seconds - 1.0)
            });
            let losses: Vec<Option<f64>> = losses.collect();
            is_anchor = anchors.judge(at, [losses[0], losses[1]]);
        }
        tuned.push(is_anchor.then_some(here));
    }

    let (mut lost, mut each) = (0.0, 0);
    for step in 0..50 {
        let size = 8192.0_f64.powf(f64::from(step) / 49.0).round() as i64;
        let alone = Tuned::at(size, BUDGET, &[], &[]);
        each += alone.evaluations;
        let distance = |at: &usize| (points[*at].0 as f64 / size as f64).ln().abs();
        let anchored = (0..points.len()).filter(|at| tuned[*at].is_some());
        let nearest = anchored
            .min_by(|a, b| distance(a).total_cmp(&distance(b)))
            .unwrap();
        let winner = tuned[nearest].as_ref().unwrap().winner();
        lost += seconds(winner, size) / seconds(alone.winner(), size) - 1.0;
    }
    let (lost, estimate) = (lost / 50.0, anchors.estimate());
    println!(
        "{:?}: {lost:.4} lost, {spent} of {each} evaluations, {estimate:?}",
        anchors.sizes()
    );
    assert!(lost <= 0.02, "{lost}");
    assert!(5 * spent <= each, "{spent} of {each}");
    // What it says of itself is not far from what is so.
    assert!(
        (estimate.mean - lost.max(0.0)).abs() <= 0.02 && estimate.measured > 0,
        "{estimate:?}"
    );
}

#[test]
fn where_one_config_is_best_everywhere_few_sizes_are_looked_at() {
    let mut anchors = Anchors::new(grid(8192));
    let mut looked = 0;
    for at in 2..grid(8192).len() {
        if anchors.is_open(at, true) {
            looked += 1;
            anchors.judge(at, [Some(0.0), Some(0.0)]);
        }
    }
    // Programs take what is further than a factor of four from each for unknown.
    let sizes = anchors.sizes();
    assert!(sizes.windows(2).all(|of| of[1] <= 16 * of[0]), "{sizes:?}");
    assert_eq!((sizes.len(), looked), (5, 7));
    let estimate = anchors.estimate();
    assert_eq!(
        (estimate.mean, estimate.worst, estimate.measured),
        (0.0, 0.0, 4)
    );
}
