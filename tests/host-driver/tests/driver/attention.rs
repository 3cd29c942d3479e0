//! `kernels/attention.cu` and `attention_hopper.cu` at sizes off every tile, and what becomes of the latter with faults.

use std::ffi::c_void;

use crate::child::on;
use crate::hopper::{Kernel, argument, half, halves, matrix, number, picks};

const AMPERE: &str = include_str!("../../../../kernels/kernels/attention.cu");
const HOPPER: &str = include_str!("../../../../kernels/kernels/attention_hopper.cu");

/// Heads, those of K and V, rows and columns: fewer columns than rows are rows that see nothing, if causal.
const SIZES: [[usize; 4]; 6] = [
    [1, 1, 1, 1],
    [2, 1, 70, 130],
    [2, 2, 65, 63],
    [1, 1, 130, 33],
    [3, 1, 5, 300],
    [4, 2, 129, 257],
];

const SCALE: f32 = 0.125;

/// A config of one of the kernels.
#[derive(Debug, Clone, Copy)]
enum Config {
    /// BLOCK_N, WARPS, ROWS, STAGES, HELD
    Ampere([usize; 4], bool),
    /// BLOCK_N, CONSUMERS, STAGES, AHEAD
    Hopper([usize; 3], bool),
}

impl Config {
    fn name(self, bf16: bool) -> String {
        let kind = if bf16 { "__nv_bfloat16" } else { "__half" };
        match self {
            Config::Ampere([columns, warps, rows, stages], held) => {
                format!(
                    "attention_kernel<{kind}, {columns}, {warps}, {rows}, {stages}, {held}, {held}>"
                )
            }
            Config::Hopper([columns, consumers, stages], ahead) => {
                format!(
                    "attention_hopper_kernel<{kind}, {columns}, {consumers}, {stages}, {ahead}, {}>",
                    stages % 2 == 0
                )
            }
        }
    }

    /// Rows of a block, threads, bytes of shared memory.
    fn block(self, head: usize) -> [usize; 3] {
        match self {
            Config::Ampere([columns, warps, rows, stages], _) => {
                let block = 16 * rows * warps;
                [block, 32 * warps, 2 * head * (block + 2 * stages * columns)]
            }
            Config::Hopper([columns, consumers, stages], _) => {
                let block = 64 * consumers;
                let shared = 2 * head * (block + 2 * stages * columns) + 1024;
                [block, 128 * (consumers + 1), shared]
            }
        }
    }

    /// One of those that the attribute lets through, by a number without a pattern.
    fn random(seed: usize, head: usize) -> Config {
        let mut of = picks(seed);
        loop {
            let config = if seed.is_multiple_of(3) {
                let numbers = [
                    of(&[16, 32, 64, 128]),
                    of(&[1, 2, 4, 8]),
                    of(&[1, 2]),
                    of(&[1, 2, 3]),
                ];
                Config::Ampere(numbers, of(&[0, 1]) == 1)
            } else {
                let numbers = [
                    of(&[64, 96, 128, 160, 192]),
                    of(&[1, 2, 3]),
                    of(&[1, 2, 3, 4]),
                ];
                Config::Hopper(numbers, of(&[0, 1]) == 1)
            };
            if config.block(head)[2] <= 232_448 {
                return config;
            }
        }
    }
}

/// What the kernel gets wrong: an element, or how the launch failed.
fn wrong(
    source: &str,
    config: Config,
    [head, later]: [usize; 2],
    bf16: bool,
    sizes: &[[usize; 4]],
) -> Option<String> {
    let definitions = [format!("-DHEAD={head}"), format!("-DCAUSAL={later}")];
    let definitions: Vec<&str> = definitions.iter().map(String::as_str).collect();
    let kernel = Kernel::new(source, &config.name(bf16), &definitions);
    sizes
        .iter()
        .find_map(|size| at(&kernel, config, [head, later], bf16, *size))
}

fn at(
    kernel: &Kernel,
    config: Config,
    [head, later]: [usize; 2],
    bf16: bool,
    [heads, kv_heads, m, n]: [usize; 4],
) -> Option<String> {
    let stream = &kernel.stream;
    let of = |rows: usize, seed: usize| {
        matrix(stream, [rows, head], |row, d| {
            let four = half(number(row, d, seed), bf16);
            // A quarter has an exponent that is less by two.
            if four & 0x7fff == 0 {
                four
            } else {
                four - if bf16 { 2 << 7 } else { 2 << 10 }
            }
        })
    };
    let (q, k, v) = (of(heads * m, 5), of(kv_heads * n, 6), of(kv_heads * n, 7));
    let o = stream
        .clone_htod(&vec![u16::MAX; heads * m * head])
        .unwrap();
    let [o_at, q_at, k_at, v_at] = [&o, &q, &k, &v].map(|of| kernel.address(of));
    let numbers = [heads, kv_heads, m, n].map(|size| size as u32);
    let mut maps = Vec::new();
    let mut arguments: Vec<*mut c_void> = Vec::new();
    match config {
        Config::Ampere(..) => arguments.extend([&o_at, &q_at, &k_at, &v_at].map(argument)),
        Config::Hopper([columns, ..], _) => {
            let tile = |rows: usize| [64, rows as u32, 1];
            maps.push(halves(q_at, [head, m, heads], tile(64)));
            maps.push(halves(k_at, [head, n, kv_heads], tile(columns)));
            maps.push(halves(v_at, [head, n, kv_heads], tile(columns)));
            arguments.extend(maps.iter().map(argument));
            arguments.push(argument(&o_at));
        }
    }
    arguments.extend(numbers.iter().map(argument));
    arguments.push(argument(&SCALE));
    let [block, threads, shared] = config.block(head);
    let launch = [m.div_ceil(block) * heads, 1, threads, shared].map(|of| of as u32);
    if let Err(error) = kernel.launch(launch, &mut arguments) {
        return Some(error.to_string());
    }
    let got = stream.clone_dtoh(&o).unwrap();
    let got: Vec<f64> = got.into_iter().map(|bits| float(bits, bf16)).collect();
    // Weights have 11 or 8 bits, and so have results.
    let most = if bf16 { 2e-2 } else { 3e-3 };
    let said = difference(&got, [head, later], [heads, kv_heads, m, n], most)?;
    Some(format!(
        "{config:?} {head} {later} {bf16} {heads} {kv_heads} {m} {n}: {said}"
    ))
}

/// What is put in: quarters, which 16 bits have exactly, wide enough apart that scores tell rows apart.
fn value(row: usize, d: usize, seed: usize) -> f64 {
    f64::from(number(row, d, seed)) / 4.0
}

/// The first element that is farther from the exact one than it may be.
fn difference(
    got: &[f64],
    [head, later]: [usize; 2],
    [heads, kv_heads, m, n]: [usize; 4],
    most: f64,
) -> Option<String> {
    for row in 0..heads * m {
        let first = row / m / (heads / kv_heads) * n;
        let seen = if later == 1 {
            (row % m + n + 1).saturating_sub(m)
        } else {
            n
        };
        let scores = (0..seen).map(|column| {
            let products = (0..head).map(|d| value(row, d, 5) * value(first + column, d, 6));
            products.sum::<f64>() * f64::from(SCALE)
        });
        let scores: Vec<f64> = scores.collect();
        let highest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = scores.iter().map(|score| (score - highest).exp()).collect();
        let sum: f64 = weights.iter().sum();
        for d in (0..head).step_by(7) {
            let products = weights
                .iter()
                .enumerate()
                .map(|(at, weight)| weight * value(first + at, d, 7));
            let expected = if seen == 0 {
                0.0
            } else {
                products.sum::<f64>() / sum
            };
            let got = got[row * head + d];
            let is_near = (got - expected).abs() <= most * (1.0 + expected.abs());
            if !is_near {
                return Some(format!("row {row}, {d}: {got}, not {expected}"));
            }
        }
    }
    None
}

/// A 16-bit float by its bits.
fn float(bits: u16, bf16: bool) -> f64 {
    if bf16 {
        return f64::from(f32::from_bits(u32::from(bits) << 16));
    }
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 0x3ff));
    let size = match exponent {
        0 => fraction * f64::exp2(-24.0),
        31 => f64::NAN,
        _ => (1024.0 + fraction) * f64::exp2(f64::from(exponent - 25)),
    };
    if bits >> 15 == 1 { -size } else { size }
}

#[test]
fn at_awkward_sizes() {
    on("H100", "", || {
        for (at, config) in [
            Config::Ampere([32, 2, 1, 2], true),
            Config::Ampere([64, 4, 1, 1], false),
            Config::Ampere([16, 1, 2, 3], false),
            Config::Hopper([64, 1, 2], true),
            Config::Hopper([128, 2, 2], false),
            Config::Hopper([64, 3, 1], false),
            Config::Hopper([160, 2, 1], true),
        ]
        .into_iter()
        .enumerate()
        {
            let source = if matches!(config, Config::Ampere(..)) {
                AMPERE
            } else {
                HOPPER
            };
            let kind = [64 << (at % 2), at / 2 % 2];
            assert_eq!(wrong(source, config, kind, at % 3 == 1, &SIZES), None);
        }
    });
}

#[test]
#[ignore = "minutes: scripts/full host-hopper"]
fn three_hundred_random_configs() {
    on("H100", "", || {
        for seed in 0..300 {
            let kind = [64 << (seed % 2), seed / 2 % 2];
            let config = Config::random(seed, kind[0]);
            let source = if matches!(config, Config::Ampere(..)) {
                AMPERE
            } else {
                HOPPER
            };
            assert_eq!(wrong(source, config, kind, seed % 5 == 0, &SIZES), None);
        }
    });
}

/// With a fault in it the result is not right: `from` stands in the source so many times, and is replaced.
fn fails(config: Config, times: usize, from: &str, to: &str) {
    assert_eq!(HOPPER.matches(from).count(), times, "{from}");
    on("H100", "", || {
        let source = HOPPER.replace(from, to);
        let said = wrong(&source, config, [128, 1], false, &SIZES[1..]);
        assert!(said.is_some(), "`{to}` in place of `{from}` is not seen");
    });
}

const SIMPLE: Config = Config::Hopper([64, 2, 2], false);
const AHEAD: Config = Config::Hopper([64, 2, 2], true);

#[test]
fn no_wait_for_values() {
    fails(
        AHEAD,
        3,
        "barrier_wait(full_v + before.stage, before.parity);",
        "",
    );
}

#[test]
fn the_wrong_phase_of_keys() {
    let from = "barrier_wait(full_k + turn.stage, turn.parity);";
    fails(
        SIMPLE,
        2,
        from,
        "barrier_wait(full_k + turn.stage, turn.parity ^ 1);",
    );
}

#[test]
fn weights_of_scores_that_are_under_way() {
    fails(AHEAD, 1, "warpgroup_wait<1>();", "");
}

#[test]
fn results_that_are_multiplied_under_way() {
    let from = "        weigh_scores(step);\n        warpgroup_wait<0>();";
    fails(AHEAD, 1, from, "        weigh_scores(step);");
}

#[test]
fn the_wrong_descriptor_of_values() {
    fails(
        SIMPLE,
        1,
        "values + stage * TILE, 128 * BLOCK_N, 1024",
        "values + stage * TILE, 1024, 1024",
    );
}

#[test]
fn the_wrong_rows_of_queries() {
    fails(SIMPLE, 1, "queries + group * QUERY, 16", "queries, 16");
}
