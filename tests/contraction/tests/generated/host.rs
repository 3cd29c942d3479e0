//! On the tests' host driver, or a GPU where there is one: results against f64.

use crate::case::{self, Tunable};
use crate::gpu::Gpu;
use crate::space::Written;
use bico_contraction::DataType::{F16, F32};
use bico_contraction::cuda::Tiling;
use bico_contraction::{DataType, DimType, Schedule};
use bico_contraction_tests::random;
use bico_l2_model::Mapping;
use bico_search::space::Draw;
use fastrand::Rng;

/// Kernels of random schedules.
pub(crate) fn random_schedules(count: u64) {
    let mut gpu = Gpu::new();
    for seed in 0..count {
        let mut rng = Rng::with_seed(seed);
        let schedule = random::schedule(&mut rng, 3000);
        gpu.check(&case::of_schedule(
            format!("seed {seed}"),
            &schedule,
            None,
            &mut rng,
        ));
    }
}

/// Layouts of A, B, C and D: contiguous along each of their indices, and along none that is tiled.
pub(crate) const EINSUMS: &[&str] = &[
    "mk, kn -> mn",
    "mk, nk -> mn",
    "km, kn -> mn",
    "km, nk -> mn",
    "mk, kn -> nm",
    "km, nk -> nm",
    "cmk, ckn -> cmn",
    "cmk, ckn, cmn -> cmn",
    "km, kn, nm -> nm",
    // Batches inside, so that nothing is contiguous.
    "mkc, knc -> mnc",
    // Two indices of K, of which one is not tiled; two of M that are one; two of N that are not.
    "mqk, kqn -> mn",
    "abk, kn -> abn",
    "mk, xky -> xmy",
    "apmk, akpn, namp -> apmn",
];

/// Tiles and parts with which small sizes have several tiles, an edge and all stages.
pub(crate) fn tilings(input: DataType) -> Vec<Tiling> {
    let tiling = |tile, part, stages| Tiling { tile, part, stages };
    match input {
        F16 => vec![
            tiling([32, 32, 32], [32, 32], 2),
            tiling([64, 32, 64], [32, 32], 3),
            tiling([64, 128, 32], [32, 64], 4),
        ],
        F32 => vec![
            tiling([32, 32, 16], [4, 4], 2),
            tiling([32, 64, 16], [4, 8], 3),
            tiling([64, 32, 32], [8, 4], 4),
        ],
    }
}

/// Kernels of all sizes, at sizes that no tile divides and at such that loads can be wide for. `all`: every einsum with
/// every type and several tilings, else with one of each family.
pub(crate) fn tunables(all: bool) {
    let mut gpu = Gpu::new();
    let mut rng = Rng::with_seed(7);
    for (number, einsum) in EINSUMS.iter().enumerate() {
        for (input, output) in [(F16, F16), (F16, F32), (F32, F32)] {
            if !all && input == F16 && (output == F16) != (number % 2 == 0) {
                continue;
            }
            let tunable = Tunable::new(einsum, input, output);
            let widest = if input == F16 { 8 } else { 4 };
            let choices = tilings(input);
            let forms = [
                ([2, 3], "mn", widest),
                ([3, 1], "nm", widest / 2),
                ([1, 1], "nm", widest),
            ];
            for form in 0..if all { 3 } else { 1 } {
                let tiling = &choices[(number + form) % 3];
                let (groups, order, vector) = forms[(number / 3 + form) % 3];
                (tiling.check(&tunable.nest)).unwrap_or_else(|error| panic!("{einsum}: {error}"));
                let defines = tunable.defines(tiling, groups, order, vector);
                for sizes in sizes(&tunable, tiling, &mut rng) {
                    gpu.check(&tunable.case(tiling, defines.clone(), &sizes, &mut rng));
                }
            }
        }
    }
}

/// Sizes of the letters: ones, primes, one off the tile, multiples of 8, and nothing to sum.
fn sizes(tunable: &Tunable, tiling: &Tiling, rng: &mut Rng) -> Vec<Vec<u32>> {
    let letters = tunable.einsum.letters();
    let groups = tunable.einsum.plan().groups;
    let mut all = Vec::new();
    for kind in 0..6 {
        let mut of_letters = Vec::new();
        for (letter, dim_type) in &letters {
            let group = groups
                .iter()
                .find(|group| group.letters.contains(letter))
                .expect("a group");
            let side = ["M", "N", "K"]
                .iter()
                .position(|name| *name == dim_type.name());
            let tile = side.map_or(1, |side| tiling.tile[side]) as u32;
            let last = group.tiled && group.letters.last() == Some(letter);
            of_letters.push(match (kind, last) {
                (0, _) => 1,
                (5, _) if *dim_type == DimType::K => 0,
                (1, true) => *rng.choice(&[3, 7, 37, 67]).unwrap(),
                (2, true) => 2 * tile - 1,
                (3, true) => tile + 1,
                (_, true) => 8 * rng.u32(1..=3 * tile / 8),
                (4, false) => 2,
                (_, false) => rng.u32(1..=3),
            });
        }
        all.push(of_letters);
    }
    all
}

/// The exercise's form at small sizes: L2 groups, a padded K, whole tiles.
pub(crate) fn l2_form() {
    let mut gpu = Gpu::new();
    for (data_type, [m, n, k]) in [(F16, [256, 192, 64]), (F32, [128, 128, 48])] {
        let schedule =
            Schedule::from_einsum("cmk, ckn -> cmn", &[&[2, m, k], &[2, k, n]], data_type)
                .and_then(|schedule| schedule.split_dim("m", ("m_out", m / 64), ("m_in", 64)))
                .and_then(|schedule| schedule.split_dim("m_in", ("m_l2", 2), ("m_prim", 32)))
                .and_then(|schedule| schedule.split_dim("n", ("n_out", n / 64), ("n_in", 64)))
                .and_then(|schedule| schedule.split_dim("n_in", ("n_l2", 2), ("n_prim", 32)))
                .and_then(|schedule| schedule.split_dim("k", ("k_out", k / 16), ("k_prim", 16)))
                .and_then(|schedule| schedule.make_executable())
                .unwrap_or_else(|error| panic!("{error}"));
        let mut rng = Rng::with_seed(k);
        gpu.check(&case::of_schedule(
            "the form for L2".into(),
            &schedule,
            None,
            &mut rng,
        ));
    }
}

/// Configs of the space, as the tunable's own text compiles with them, at sizes off their tiles.
pub(crate) fn spaces(count: usize) {
    let mut gpu = Gpu::new();
    let mut rng = Rng::with_seed(11);
    let einsum = "cmk, ckn -> cmn";
    for types in [[F16, F16], [F16, F32], [F32, F32]] {
        let written = Written::new(
            einsum,
            types,
            80,
            |letter| if letter == 'c' { 2 } else { 256 },
        );
        let tunable = Tunable {
            source: written.source(),
            ..Tunable::new(einsum, types[0], types[1])
        };
        for config in Draw::new(written.space.len(), rng.fork()).take(count) {
            // c, m, k, n: in order of appearance.
            let wide = [
                2,
                8 * rng.u32(1..40),
                8 * rng.u32(1..12),
                8 * rng.u32(1..40),
            ];
            for sizes in [wide, [1, 257, 67, 131]] {
                let (tiling, defines) = (written.tiling(config), written.defines(config));
                gpu.check(&tunable.case(&tiling, defines, &sizes, &mut rng));
            }
        }
    }
}

/// The order of the generated blocks is the one that the model of the second-level cache is about.
pub(crate) fn order() {
    let mut gpu = Gpu::new();
    let tunable = Tunable::new("cmk, ckn -> cmn", F32, F32);
    let source = format!(
        "{}\nextern \"C\" __global__ void order(unsigned *places, unsigned tiles_m, unsigned tiles_n) {{\n  \
         place_of_block(blockIdx.x, tiles_m, tiles_n, places[2 * blockIdx.x], places[2 * blockIdx.x + 1]);\n}}\n",
        tunable.source
    );
    for (order, along_n) in [("mn", true), ("nm", false)] {
        for groups in [[1, 1], [4, 1], [1, 3], [3, 2], [8, 16]] {
            let defines = tunable.defines(&tilings(F32)[0], groups, order, 4);
            for [rows, columns] in [[1, 1], [7, 5], [16, 32], [3, 50]] {
                let mapping = Mapping::row_major(1, rows, columns)
                    .grouped(groups[0], groups[1])
                    .walked(along_n, along_n);
                let expected: Vec<u32> = (0..mapping.blocks())
                    .map(|number| mapping.block(number))
                    .flat_map(|block| [block.row as u32, block.column as u32])
                    .collect();
                let found = gpu.order(&source, &defines, [rows as u32, columns as u32]);
                assert_eq!(found, expected, "{order} {groups:?} of {rows} x {columns}");
            }
        }
    }
}

/// Padded dimensions that no tile is cut from: beyond their ends nothing may be read, far from all guards.
pub(crate) fn padded_loops() {
    let mut gpu = Gpu::new();
    for data_type in [F16, F32] {
        for (split, padded) in [("m", "m0"), ("n", "n0"), ("k", "k0"), ("c", "c")] {
            let shapes: [&[u64]; 2] = [&[3, 6, 300], &[3, 6, 300]];
            let schedule = Schedule::from_einsum("cmk, cnk -> cmn", &shapes, data_type)
                .and_then(|schedule| match split {
                    "c" => Ok(schedule),
                    "k" => schedule.split_dim("k", 3, 100),
                    _ => schedule.split_dim(split, 3, 2),
                })
                .and_then(|schedule| schedule.pad_dim(padded, 4))
                .and_then(|schedule| schedule.make_executable())
                .unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(schedule.bounds.len(), 1);
            let mut rng = Rng::with_seed(1);
            gpu.check(&case::of_schedule(
                format!("{padded} padded"),
                &schedule,
                None,
                &mut rng,
            ));
        }
    }
}
