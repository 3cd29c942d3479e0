//! The closed form, where the answer is known.

use crate::model::evaluate;
use crate::{Launch, Mapping, Problem, Tile, cases, device_bytes, predict};
use proptest::prelude::*;

/// Panels of A and B that are read if each wave reads each of its own once: no panel outlives a wave.
const ONCE_PER_WAVE: &str = "blocks_ * (2 \
     - (1 - again_a_) * (1 - apart_a0_) - (again_a_ - first_a_) * (1 - apart_a1_) \
     - (1 - again_b_) * (1 - apart_b0_) - (again_b_ - first_b_) * (1 - apart_b1_))";

fn problem(batches: u64, m: u64, n: u64, k: u64) -> Problem {
    Problem {
        batches,
        m,
        n,
        k,
        input_bytes: 2,
        output_bytes: 4,
        last_bytes: 0,
    }
}

fn inputs(problem: &Problem) -> u64 {
    problem.batches * problem.input_bytes * problem.k * (problem.m + problem.n)
}

fn launches() -> impl Strategy<Value = Launch> {
    let sizes = (1u64..4, 1u64..600, 1u64..600, 1u64..600);
    let groups = (1u64..40, 1u64..40, any::<bool>(), any::<bool>());
    (sizes, groups, 1u64..200, 10u32..24).prop_map(|(sizes, groups, slots, bits)| {
        let problem = problem(sizes.0, sizes.1, sizes.2, sizes.3);
        let tile = Tile {
            m: 16,
            n: 16,
            k: 16,
        };
        let launch = Launch {
            line_bytes: 1,
            ..Launch::new(problem, tile, slots, 1 << bits)
        };
        launch.mapped(
            launch
                .mapping
                .grouped(groups.0, groups.1)
                .walked(groups.2, groups.3),
        )
    })
}

proptest! {
    /// Between what nobody can save and what all blocks ask for.
    #[test]
    fn is_between_the_bounds(launch in launches()) {
        let traffic = predict(&launch);
        let least = launch.problem.compulsory_bytes() as f64;
        let written = launch.problem.compulsory_bytes() - inputs(&launch.problem);
        let most = traffic.requested_bytes + written as f64;
        prop_assert!(traffic.device_bytes >= least * (1.0 - 1e-9), "{traffic:?} {least}");
        prop_assert!(traffic.device_bytes <= most * (1.0 + 1e-9), "{traffic:?}");
    }

    #[test]
    fn a_larger_cache_never_reads_more(launch in launches()) {
        let larger = Launch { l2_bytes: 2 * launch.l2_bytes, ..launch };
        prop_assert!(device_bytes(&larger) <= device_bytes(&launch) * (1.0 + 1e-9));
    }

    /// Exchanging A and B, rows and columns changes nothing.
    #[test]
    fn m_and_n_are_alike(launch in launches()) {
        let Launch { problem, mapping, .. } = launch;
        let turned = Launch {
            problem: Problem { m: problem.n, n: problem.m, ..problem },
            mapping: Mapping {
                rows: mapping.columns,
                columns: mapping.rows,
                m_l2: mapping.n_l2,
                n_l2: mapping.m_l2,
                groups_along_n: !mapping.groups_along_n,
                blocks_along_n: !mapping.blocks_along_n,
                ..mapping
            },
            ..launch
        };
        let (a, b) = (device_bytes(&launch), device_bytes(&turned));
        prop_assert!((a - b).abs() <= 1e-6 * a, "{a} {b}");
    }
}

#[test]
fn everything_is_read_once_where_it_fits() {
    let tile = Tile {
        m: 64,
        n: 64,
        k: 32,
    };
    let launch = Launch {
        line_bytes: 1,
        ..Launch::new(problem(3, 640, 512, 256), tile, 7, 1 << 30)
    };
    let bytes = device_bytes(&launch);
    assert!((bytes / launch.problem.compulsory_bytes() as f64 - 1.0).abs() < 1e-9);
}

/// Panels that are read, each once per wave that uses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Loads {
    /// Row panels of A.
    a: u64,
    /// Column panels of B.
    b: u64,
}

/// Walks through all waves of a launch and counts the different panels of each.
fn loads(launch: &Launch) -> Loads {
    let mapping = &launch.mapping;
    let (blocks, in_flight) = (mapping.blocks(), launch.in_flight());
    // The last wave that used the panel.
    let mut last_a = vec![0; (mapping.batches * mapping.rows) as usize];
    let mut last_b = vec![0; (mapping.batches * mapping.columns) as usize];
    let (mut a, mut b) = (0, 0);
    for number in 0..blocks {
        let wave = number / in_flight + 1;
        let block = mapping.block(number);
        let row = &mut last_a[(block.batch * mapping.rows + block.row) as usize];
        a += u64::from(std::mem::replace(row, wave) != wave);
        let column = &mut last_b[(block.batch * mapping.columns + block.column) as usize];
        b += u64::from(std::mem::replace(column, wave) != wave);
    }
    Loads { a, b }
}

/// With a cache that holds the steps of a wave and nothing else: each panel once per wave, as counted by walking
/// through all of them.
#[test]
fn waves_are_counted_well() {
    let mut sum = 0.0;
    let cases = cases(5, 50, false);
    for case in &cases {
        let launch = Launch {
            line_bytes: 1,
            ..case.launch
        };
        let counted = loads(&launch);
        let predicted = evaluate(ONCE_PER_WAVE, &launch);
        let ratio = predicted / (counted.a + counted.b) as f64;
        assert!(
            (0.6..1.67).contains(&ratio),
            "{ratio} {counted:?} {launch:?}"
        );
        sum += (ratio - 1.0).abs();
    }
    let mean = sum / cases.len() as f64;
    assert!(mean < 0.05, "{mean}");
}
