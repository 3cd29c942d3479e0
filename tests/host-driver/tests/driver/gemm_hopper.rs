//! `kernels/gemm_hopper.cu` and `glu_hopper.cu` at sizes off every tile, and what becomes of the former with faults.

use std::ffi::c_void;

use cudarc::driver::CudaSlice;

use crate::child::on;
use crate::hopper::{Kernel, argument, half, halves, matrix, number, picks};

const GEMM: &str = include_str!("../../../../kernels/kernels/gemm_hopper.cu");
const GLU: &str = include_str!("../../../../kernels/kernels/glu_hopper.cu");
/// What both consist of.
const SHARED: &str = include_str!("../../../../kernels/kernels/gemm_hopper.cuh");
/// An activation whose results are exact.
const SIGN: &str =
    "template <class T> static __device__ T act_sign(T v) { return v > 0 ? 1 : -1; }";

/// What is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Fp16,
    Bf16,
    /// x W with the sign of x V.
    Glu,
}

/// Multiples of 8 along n and k, as tensor maps ask for.
const SIZES: [[usize; 3]; 5] = [
    [1, 8, 8],
    [65, 72, 136],
    [200, 264, 72],
    [130, 520, 200],
    [513, 136, 64],
];

/// Long enough for four parts of k.
const LONG: [[usize; 3]; 2] = [[65, 72, 264], [200, 264, 456]];

/// A config; blocks are how many run at most, of which each then has several tiles.
#[derive(Debug, Clone, Copy)]
struct Config {
    tile: [usize; 3],
    consumers: usize,
    stages: usize,
    group: usize,
    cluster: [usize; 2],
    staged: bool,
    blocks: usize,
    /// Parts of k.
    splits: usize,
}

impl Config {
    fn name(&self, kind: Kind) -> String {
        let ([m, n, k], [below, beside]) = (self.tile, self.cluster);
        let Config {
            consumers,
            stages,
            group,
            staged,
            splits,
            ..
        } = self;
        let splits = match kind {
            Kind::Glu => String::new(),
            _ => format!(", {splits}"),
        };
        let kernel = match kind {
            Kind::Fp16 => "gemm_hopper_kernel<__half, ",
            Kind::Bf16 => "gemm_hopper_kernel<__nv_bfloat16, ",
            Kind::Glu => "glu_hopper_kernel<",
        };
        format!(
            "{kernel}{m}, {n}, {k}, {consumers}, {stages}, {group}, {below}, {beside}, {staged}{splits}>"
        )
    }

    fn shared(&self, factors: usize) -> usize {
        let [m, n, k] = self.tile;
        let results = if self.staged {
            128 * m * (n / 64).min(2)
        } else {
            0
        };
        2 * self.stages * k * (m + factors * n) + results + 1024
    }

    /// One of those that the attribute lets through, by a number without a pattern.
    fn random(seed: usize, factors: usize) -> Config {
        let mut of = picks(seed);
        loop {
            let consumers = of(&[1, 2, 3]);
            let config = Config {
                tile: [
                    consumers * of(&[64, 128]),
                    of(&[64, 128, 192, 256]),
                    of(&[64, 128]),
                ],
                consumers,
                stages: of(&[2, 3, 4, 5, 6, 7, 8]),
                group: of(&[1, 4, 8, 16]),
                cluster: [[1, 1], [2, 1], [1, 2]][of(&[0, 1, 2])],
                staged: of(&[0, 1]) == 1,
                blocks: of(&[2, 4, 6]),
                splits: if factors == 1 { of(&[1, 2, 4]) } else { 1 },
            };
            let sums = factors * config.tile[0] / consumers * config.tile[1] / 128;
            let most = if consumers == 3 { 96 } else { 128 };
            if sums <= most && config.tile[0] <= 256 && config.shared(factors) <= 232_448 {
                return config;
            }
        }
    }
}

/// What the kernel gets wrong of a product: the first element, or how the launch failed. `shared` is the header of both.
fn wrong(shared: &str, config: Config, kind: Kind, sizes: &[[usize; 3]]) -> Option<String> {
    let source = if kind == Kind::Glu { GLU } else { GEMM };
    let source = source.replace("#include \"gemm_hopper.cuh\"\n", shared);
    let kernel = Kernel::new(
        &format!("{SIGN}\n{source}"),
        &config.name(kind),
        &["-DACT=sign"],
    );
    // Each part has a step.
    let fits = |[_, _, k]: &&[usize; 3]| k.div_ceil(config.tile[2]) >= config.splits;
    let mut sizes = sizes.iter().filter(fits);
    sizes.find_map(|size| at(&kernel, config, kind, *size))
}

/// An element of a matrix, or of the second one of that shape.
fn element(row: usize, column: usize, seed: usize) -> i32 {
    number(row, column, seed) / 4
}

fn at(kernel: &Kernel, config: Config, kind: Kind, [m, n, k]: [usize; 3]) -> Option<String> {
    let stream = &kernel.stream;
    let bf16 = kind == Kind::Bf16;
    let factors = if kind == Kind::Glu { 2 } else { 1 };
    let of = |shape: [usize; 2], seed: usize| {
        matrix(stream, shape, |row, column| {
            half(element(row, column, seed), bf16)
        })
    };
    let a = of([m, k], 3);
    let b: Vec<CudaSlice<u16>> = (0..factors).map(|factor| of([k, n], 4 + factor)).collect();
    let c = stream.clone_htod(&vec![u16::MAX; m * n]).unwrap();
    let [tile_m, _, tile_k] = config.tile.map(|extent| extent as u32);
    let [below, beside] = config.cluster.map(|extent| extent as u32);
    let at = kernel.address(&c);
    let mut maps = vec![
        halves(at, [n, m], [64, tile_m / config.consumers as u32]),
        halves(kernel.address(&a), [k, m], [64, tile_m / beside]),
    ];
    maps.extend(
        b.iter()
            .map(|b| halves(kernel.address(b), [n, k], [64, tile_k / below])),
    );
    let numbers = [m, n, k].map(|size| size as u32);
    let mut arguments: Vec<*mut c_void> = maps.iter().map(argument).collect();
    arguments.push(argument(&at));
    arguments.extend(numbers.iter().map(argument));
    let cluster = config.cluster[0] * config.cluster[1];
    let tiles = m.div_ceil(config.tile[0] * config.cluster[0])
        * n.div_ceil(config.tile[1] * config.cluster[1]);
    let parts = tiles * cluster * config.splits * config.tile[0] * config.tile[1];
    let partials = stream.clone_htod(&vec![f32::NAN; parts]).unwrap();
    let locks = stream
        .clone_htod(&vec![0u32; tiles * cluster * config.consumers])
        .unwrap();
    let scratch = [kernel.address(&partials), kernel.address(&locks)];
    if kind != Kind::Glu {
        arguments.extend(scratch.iter().map(argument));
    }
    let blocks = (tiles * config.splits).min(config.blocks / cluster) * cluster;
    let launch = [
        blocks,
        cluster,
        128 * (config.consumers + 1),
        config.shared(factors),
    ];
    if let Err(error) = kernel.launch(launch.map(|of| of as u32), &mut arguments) {
        return Some(error.to_string());
    }
    if stream
        .clone_dtoh(&locks)
        .unwrap()
        .iter()
        .any(|lock| *lock != 0)
    {
        return Some(format!("{config:?} {m} x {n} x {k}: a lock is left"));
    }
    let got = stream.clone_dtoh(&c).unwrap();
    for row in 0..m {
        for column in 0..n {
            let sum = |seed: usize| -> i32 {
                (0..k)
                    .map(|p| element(row, p, 3) * element(p, column, seed))
                    .sum()
            };
            let sign = if factors == 1 || sum(5) > 0 { 1 } else { -1 };
            let (got, expected) = (got[row * n + column], half(sign * sum(4), bf16));
            // Two zeros are equal.
            if got != expected && (got | expected) & 0x7fff != 0 {
                return Some(format!(
                    "{kind:?} {config:?} {m} x {n} x {k}: {row}, {column}: {got:x}, not {expected:x}"
                ));
            }
        }
    }
    None
}

/// With consumers, stages and group.
const fn config(
    tile: [usize; 3],
    [consumers, stages, group]: [usize; 3],
    cluster: [usize; 2],
    staged: bool,
    blocks: usize,
) -> Config {
    Config {
        tile,
        consumers,
        stages,
        group,
        cluster,
        staged,
        blocks,
        splits: 1,
    }
}

/// Whose tiles are shared by parts of k.
const fn split(config: Config, splits: usize) -> Config {
    Config { splits, ..config }
}

const CONFIGS: [Config; 7] = [
    config([128, 128, 64], [2, 3, 8], [1, 1], true, 2),
    config([64, 64, 64], [1, 4, 1], [1, 1], false, 4),
    config([128, 64, 128], [1, 2, 4], [2, 1], true, 4),
    config([256, 128, 64], [2, 2, 4], [1, 2], true, 2),
    config([192, 192, 64], [3, 3, 16], [2, 1], false, 2),
    config([64, 256, 64], [1, 4, 8], [1, 2], true, 2),
    config([256, 64, 64], [2, 2, 4], [1, 2], true, 2),
];

const SPLIT: [Config; 4] = [
    split(CONFIGS[0], 2),
    split(CONFIGS[1], 4),
    split(CONFIGS[3], 2),
    split(CONFIGS[5], 3),
];

const KINDS: [Kind; 3] = [Kind::Fp16, Kind::Bf16, Kind::Glu];

#[test]
fn at_awkward_sizes() {
    on("H100", "", || {
        for (number, config) in CONFIGS.into_iter().enumerate() {
            assert_eq!(wrong(SHARED, config, KINDS[number % 2], &SIZES), None);
        }
        for (number, config) in SPLIT.into_iter().enumerate() {
            assert_eq!(wrong(SHARED, config, KINDS[number % 2], &LONG), None);
        }
        for config in [CONFIGS[1], CONFIGS[2], CONFIGS[6]] {
            assert_eq!(wrong(SHARED, config, Kind::Glu, &SIZES), None);
        }
    });
}

#[test]
#[ignore = "minutes: scripts/full host-hopper"]
fn three_hundred_random_configs() {
    on("H100", "", || {
        for seed in 0..600 {
            let kind = KINDS[[0, 2, 1, 2][seed % 4]];
            let config = Config::random(seed, if kind == Kind::Glu { 2 } else { 1 });
            let sizes = [&SIZES[..], &LONG].concat();
            assert_eq!(wrong(SHARED, config, kind, &sizes), None);
        }
    });
}

/// With a fault in it the product is not right: `from` stands in the source once, and is replaced.
fn fails(config: Config, from: &str, to: &str) {
    fails_at(config, &SIZES[1..4], from, to);
}

fn fails_at(config: Config, sizes: &[[usize; 3]], from: &str, to: &str) {
    assert_eq!(SHARED.matches(from).count(), 1, "{from}");
    on("H100", "", || {
        let shared = SHARED.replace(from, to);
        let said = wrong(&shared, config, Kind::Fp16, sizes);
        assert!(said.is_some(), "`{to}` in place of `{from}` is not seen");
    });
}

#[test]
fn no_wait_for_a_stage() {
    fails(
        CONFIGS[0],
        "barrier_wait(place.full + turn.stage, turn.parity);",
        "",
    );
}

#[test]
fn the_wrong_phase() {
    fails(
        CONFIGS[0],
        "place.full + turn.stage, turn.parity)",
        "place.full + turn.stage, turn.parity ^ 1)",
    );
}

#[test]
fn a_stage_that_is_free_too_early() {
    fails(CONFIGS[0], "warpgroup_wait<1>();", "");
}

#[test]
fn sums_that_nobody_waits_for() {
    fails(CONFIGS[1], "warpgroup_wait<0>();", "");
}

#[test]
fn the_wrong_descriptor() {
    fails(
        CONFIGS[0],
        "stage + S::A_BYTES, 128 * S::TILE_K, 1024",
        "stage + S::A_BYTES, 1024, 1024",
    );
}

#[test]
fn the_wrong_step_along_k() {
    fails(CONFIGS[0], "step % 4 * 32", "step % 4 * 16");
}

#[test]
fn the_wrong_swizzle() {
    fails(CONFIGS[0], "(j % 8 ^ down % 8)", "(j % 8)");
}

#[test]
fn results_that_are_overwritten_before_they_are_read() {
    let from = "          if (speaks)\n            tensor_wait<S::BUFFERS - 1>();\n          named_barrier(1 + group, 128);\n";
    fails(CONFIGS[0], from, "");
}

#[test]
fn results_that_are_stored_before_all_are_there() {
    fails(
        CONFIGS[0],
        "tensor_fence();\n          named_barrier(1 + group, 128);",
        "tensor_fence();",
    );
}

#[test]
fn parts_of_k_that_overlap() {
    fails_at(SPLIT[1], &LONG, "steps * (part + 1)", "steps * (part + 2)");
}

#[test]
fn parts_that_are_added_before_all_are_there() {
    fails_at(
        SPLIT[1],
        &LONG,
        "1u) == S::SPLITS - 1",
        "1u) == S::SPLITS - 2",
    );
}

#[test]
fn a_lock_that_stays() {
    fails_at(SPLIT[0], &LONG, "atomicExch(parts.locks + tile, 0u);", ";");
}

#[test]
fn a_part_that_no_block_of_the_cluster_brings() {
    fails(
        CONFIGS[2],
        "128 * (i * S::TILE_K + b_row)",
        "128 * (i * S::TILE_K)",
    );
}
