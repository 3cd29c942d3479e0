//! Invented worlds, of kinds that recordings don't show: the strategies side by side.
//!
//! Regret is counted in the arms' expected times, so that it is none of the noise.

use super::play::{HORIZONS, normal};
use super::rivals::{Named, STRATEGIES};
use fastrand::Rng;
use serde_json::{Map, Value, json};
use std::collections::VecDeque;
use std::fmt::Write;

/// A kind of world.
struct Kind {
    name: &'static str,
    /// The widest gap of an arm, as a natural logarithm.
    gap: f64,
    noise: f64,
    /// The share of calls that something else delays, 3 to 30 times.
    tail: f64,
    /// Arms that take 3 times as long in four calls of ten.
    bimodal: bool,
    /// All arms take twice as long from some call on.
    drift: bool,
    /// The first call of an arm takes up to so many times as long.
    cold: f64,
    /// Times arrive so many calls later.
    delay: usize,
    /// Whether the first arm is the best, or the worst.
    first: First,
    /// Two to eight arms: the first, one of them perhaps as fast within 3 %, and all others 2 to 20 times as slow.
    few: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum First {
    Any,
    Best,
    Worst,
}

const PLAIN: Kind = Kind {
    name: "plain",
    gap: 1.1,
    noise: 0.05,
    tail: 0.0,
    bimodal: false,
    drift: false,
    cold: 1.0,
    delay: 0,
    first: First::Any,
    few: false,
};

const KINDS: [Kind; 20] = [
    PLAIN,
    Kind {
        name: "quiet",
        noise: 0.01,
        ..PLAIN
    },
    Kind {
        name: "noisy",
        noise: 0.3,
        ..PLAIN
    },
    Kind {
        name: "gaps to 30x",
        gap: 3.4,
        ..PLAIN
    },
    Kind {
        name: "gaps to 30x, noisy",
        gap: 3.4,
        noise: 0.3,
        ..PLAIN
    },
    Kind {
        name: "near equal",
        gap: 0.1,
        ..PLAIN
    },
    Kind {
        name: "near equal, noisy",
        gap: 0.1,
        noise: 0.3,
        ..PLAIN
    },
    Kind {
        name: "heavy tails",
        tail: 0.02,
        ..PLAIN
    },
    Kind {
        name: "heavy tails, noisy",
        tail: 0.02,
        noise: 0.2,
        ..PLAIN
    },
    Kind {
        name: "bimodal arms",
        bimodal: true,
        ..PLAIN
    },
    Kind {
        name: "all slow down",
        drift: true,
        ..PLAIN
    },
    Kind {
        name: "cold first calls",
        cold: 20.0,
        ..PLAIN
    },
    Kind {
        name: "late times",
        delay: 200,
        ..PLAIN
    },
    Kind {
        name: "first is best",
        first: First::Best,
        ..PLAIN
    },
    Kind {
        name: "few, first is best",
        first: First::Best,
        few: true,
        ..PLAIN
    },
    Kind {
        name: "few, quiet",
        first: First::Best,
        few: true,
        noise: 0.01,
        ..PLAIN
    },
    Kind {
        name: "few, noisy",
        first: First::Best,
        few: true,
        noise: 0.3,
        ..PLAIN
    },
    Kind {
        name: "few, heavy tails",
        first: First::Best,
        few: true,
        noise: 0.1,
        tail: 0.02,
        ..PLAIN
    },
    Kind {
        name: "first is worst",
        first: First::Worst,
        gap: 2.0,
        ..PLAIN
    },
    Kind {
        name: "all at once",
        gap: 3.4,
        noise: 0.15,
        tail: 0.02,
        bimodal: true,
        drift: true,
        cold: 5.0,
        delay: 20,
        ..PLAIN
    },
];

/// One arm of a world.
struct Arm {
    seconds: f64,
    bimodal: bool,
}

const SLOW_MODE: f64 = 3.0;
const SLOW_SHARE: f64 = 0.4;

impl Arm {
    fn mean(&self) -> f64 {
        let factor = if self.bimodal {
            1.0 + SLOW_SHARE * (SLOW_MODE - 1.0)
        } else {
            1.0
        };
        self.seconds * factor
    }
}

fn arms(kind: &Kind, rng: &mut Rng) -> Vec<Arm> {
    if kind.few {
        return few(rng);
    }
    let count = rng.usize(2..=20);
    let shape = 0.5 + 2.0 * rng.f64();
    let arm = |rng: &mut Rng| Arm {
        seconds: 1e-4 * (kind.gap * rng.f64().powf(shape)).exp(),
        bimodal: kind.bimodal && rng.f64() < 0.3,
    };
    let mut arms: Vec<Arm> = (0..count).map(|_| arm(rng)).collect();
    let by_mean = |a: &usize, b: &usize| arms[*a].mean().total_cmp(&arms[*b].mean());
    let first = match kind.first {
        First::Any => 0,
        First::Best => (0..count).min_by(by_mean).unwrap_or(0),
        First::Worst => (0..count).max_by(by_mean).unwrap_or(0),
    };
    arms.swap(0, first);
    arms
}

/// Arms of which the first is the best, or in every other world another one by up to 3 %.
fn few(rng: &mut Rng) -> Vec<Arm> {
    let count = rng.usize(2..=8);
    let slower = |rng: &mut Rng| 2.0 * 10f64.powf(rng.f64());
    let mut over: Vec<f64> = (0..count).map(|_| slower(rng)).collect();
    over[0] = 1.0;
    if rng.bool() && count > 2 {
        over[rng.usize(1..count)] = 1.0 / (1.0 + 0.03 * rng.f64());
    }
    let arm = |over| Arm {
        seconds: 1e-4 * over,
        bimodal: false,
    };
    over.into_iter().map(arm).collect()
}

/// The calls of a life.
const LAST: usize = HORIZONS[HORIZONS.len() - 1];

/// Regret at each horizon.
fn live(kind: &Kind, strategy: &Named, seed: u64) -> [f64; HORIZONS.len()] {
    let mut rng = Rng::with_seed(seed);
    let arms = arms(kind, &mut rng);
    let best = arms.iter().map(Arm::mean).fold(f64::INFINITY, f64::min);
    let drift = if kind.drift {
        rng.usize(1..LAST)
    } else {
        usize::MAX
    };
    let mut player = (strategy.new)(arms.len(), seed);
    let mut ran = vec![false; arms.len()];
    let mut late: VecDeque<(usize, f64)> = VecDeque::new();
    let (mut total, mut ideal) = (0.0, 0.0);
    let mut regret = [0.0; HORIZONS.len()];
    for call in 1..=LAST {
        let turn = player.next();
        let arm = &arms[turn];
        let drifted = if call >= drift { 2.0 } else { 1.0 };
        let mut factor = drifted * (kind.noise * normal(&mut rng)).exp();
        if rng.f64() < kind.tail {
            factor *= 3.0 * 10f64.powf(rng.f64());
        }
        if arm.bimodal && rng.f64() < SLOW_SHARE {
            factor *= SLOW_MODE;
        }
        let cold = kind.cold.powf(rng.f64());
        let mut extra = 0.0;
        if !std::mem::replace(&mut ran[turn], true) {
            factor *= cold;
            extra = cold - 1.0;
        }
        total += drifted * arm.mean() * (1.0 + extra);
        ideal += drifted * best;
        if extra > 0.0 && arm.mean() == best {
            ideal += drifted * best * extra;
        }
        late.push_back((turn, arm.seconds * factor));
        while late.len() > kind.delay {
            if let Some((arm, took)) = late.pop_front() {
                player.took(arm, took);
            }
        }
        for (at, horizon) in HORIZONS.iter().enumerate() {
            if call == *horizon {
                regret[at] = total / ideal - 1.0;
            }
        }
    }
    regret
}

pub(super) fn run(worlds: u64, first: u64, json: bool, rivals: bool) -> Result<Value, String> {
    let mut object = Map::new();
    let mut text = format!(
        "{worlds} invented worlds of each kind\n\n{:22}{:24}",
        "", ""
    );
    for calls in HORIZONS {
        for what in ["median", "9 of 10", "worst"] {
            let _ = write!(text, "{:>16}", format!("{what} {calls}"));
        }
    }
    text.push('\n');
    let strategies = if rivals {
        &STRATEGIES[..]
    } else {
        &STRATEGIES[..1]
    };
    for kind in &KINDS {
        let mut rows = Map::new();
        for strategy in strategies {
            let mut regrets = [0; HORIZONS.len()].map(|_| Vec::new());
            for seed in first..first + worlds {
                let found = live(kind, strategy, seed);
                for (regrets, found) in regrets.iter_mut().zip(found) {
                    regrets.push(found);
                }
            }
            let mut keys = Map::new();
            let _ = write!(text, "{:22}{:24}", kind.name, strategy.name);
            for (calls, regrets) in HORIZONS.iter().zip(&mut regrets) {
                regrets.sort_by(f64::total_cmp);
                let at = |share: f64| regrets[((regrets.len() - 1) as f64 * share) as usize];
                for (what, share) in [("median", 0.5), ("nine_of_ten", 0.9), ("worst", 1.0)] {
                    keys.insert(format!("{what}_{calls}"), json!(at(share)));
                    let _ = write!(text, "{:>16}", format!("{:.2} %", 100.0 * at(share)));
                }
            }
            text.push('\n');
            rows.insert(strategy.name.into(), keys.into());
        }
        object.insert(kind.name.into(), rows.into());
    }
    if !json {
        println!("{text}");
    }
    Ok(object.into())
}
