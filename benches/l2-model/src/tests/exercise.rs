//! The exercise's own case: `cmk, ckn -> cmn`, 4 x 4096^3 in F16, tiles of 64 x 64 x 128.

use crate::{Launch, Mapping, Problem, Tile, device_bytes, predict};
use bico_contraction::{ContractionError, DataType, Schedule};

const SIDE: u64 = 4096;

/// The L2 form with groups of these sizes, which need not divide.
fn schedule(m_l2: u64, n_l2: u64) -> Result<Schedule, ContractionError> {
    let shape: &[u64] = &[4, SIDE, SIDE];
    let groups = |size: u64| 64u64.div_ceil(size);
    Schedule::from_einsum("cmk, ckn -> cmn", &[shape, shape], DataType::F16)?
        .split_dim("m", ("m", 64), ("m_prim", 64))?
        .pad_dim("m", groups(m_l2) * m_l2)?
        .split_dim("m", ("m_out", groups(m_l2)), ("m_l2", m_l2))?
        .split_dim("n", ("n", 64), ("n_prim", 64))?
        .pad_dim("n", groups(n_l2) * n_l2)?
        .split_dim("n", ("n_out", groups(n_l2)), ("n_l2", n_l2))?
        .split_dim("k", ("k_out", 32), ("k_prim", 128))?
        .permute_dims(&[
            "c", "m_out", "n_out", "m_l2", "n_l2", "k_out", "m_prim", "n_prim", "k_prim",
        ])?
        .make_executable()
}

#[test]
fn the_order_of_a_schedule_is_read() -> Result<(), ContractionError> {
    let plain = Mapping::row_major(4, 64, 64);
    assert_eq!(
        Mapping::of_schedule(&schedule(32, 16)?)?,
        plain.grouped(32, 16)
    );
    // Padded to 72 x 72 tiles: the groups at the edges are smaller instead.
    let launch = Launch::of_schedule(&schedule(24, 24)?, 132, 50 << 20)?;
    assert_eq!(launch.mapping, plain.grouped(24, 24));
    assert_eq!(
        (launch.problem.m, launch.problem.n, launch.problem.k),
        (SIDE, SIDE, SIDE)
    );
    assert_eq!(
        launch.tile,
        Tile {
            m: 64,
            n: 64,
            k: 128
        }
    );
    assert_eq!(launch.problem.input_bytes, 2);
    // Down instead of to the right.
    let turned = schedule(32, 16)?.permute_dims(&[
        "c", "n_out", "m_out", "n_l2", "m_l2", "k_out", "m_prim", "n_prim", "k_prim",
    ])?;
    assert_eq!(
        Mapping::of_schedule(&turned)?,
        plain.grouped(32, 16).walked(false, false)
    );
    Ok(())
}

#[test]
fn other_orders_are_named() -> Result<(), ContractionError> {
    let mixed = schedule(32, 16)?.permute_dims(&[
        "m_out", "c", "n_out", "m_l2", "n_l2", "k_out", "m_prim", "n_prim", "k_prim",
    ])?;
    let error = Mapping::of_schedule(&mixed).unwrap_err().to_string();
    assert!(error.contains("`m_out, c, n_out, m_l2, n_l2`"), "{error}");
    Ok(())
}

/// A panel of 64 rows is 512 KiB, so that 48 of them are 24 MiB: the exercise's reckoning.
#[test]
fn the_reckoning_of_the_exercise() {
    let rows = 24 + 24;
    assert_eq!(rows * 64 * SIDE * 2, 24 << 20);
}

/// On each of these, for one to four blocks on a multiprocessor, and where only half of the cache is of use.
#[test]
fn the_best_group_is_at_least_as_good_as_row_major() -> Result<(), ContractionError> {
    let gpus = [(108, 40), (132, 50), (128, 72), (24, 24)];
    for (multiprocessors, mebibytes) in gpus {
        for (resident, part) in [(1, 1), (2, 1), (4, 1), (1, 2), (2, 2), (4, 2)] {
            let launch = Launch::of_schedule(
                &schedule(1, 64)?,
                multiprocessors * resident,
                (mebibytes << 20) / part,
            )?;
            let plain = device_bytes(&launch);
            let grouped = [1, 2, 4, 8, 12, 16, 24, 32, 48, 64]
                .into_iter()
                .flat_map(|m| [1, 2, 4, 8, 12, 16, 24, 32, 48, 64].map(|n| (m, n)))
                .filter(|(m, n)| *m > 1 && *n < 64)
                .map(|(m, n)| device_bytes(&launch.mapped(launch.mapping.grouped(m, n))))
                .fold(f64::INFINITY, f64::min);
            assert!(
                grouped <= plain * 1.000_001,
                "{multiprocessors} {resident} {part}: {grouped} {plain}"
            );
        }
    }
    Ok(())
}

/// 15.14 TFLOP/s for the plain kernel and 5.66 for the grouped one: bytes of the memory alone make the difference only on a
/// GPU of 276 GB/s or less, and there only if blocks found nothing at all in the cache.
#[test]
fn bytes_alone_hardly_explain_the_speeds() {
    let problem = Problem {
        batches: 4,
        m: SIDE,
        n: SIDE,
        k: SIDE,
        input_bytes: 2,
        output_bytes: 2,
        last_bytes: 0,
    };
    let launch = Launch::new(
        problem,
        Tile {
            m: 64,
            n: 64,
            k: 128,
        },
        1,
        1,
    );
    let seconds = problem.flops() as f64 / 5.66e12 - problem.flops() as f64 / 15.14e12;
    let most = predict(&launch).requested_bytes - problem.compulsory_bytes() as f64;
    assert!((most / seconds - 276e9).abs() < 1e9, "{}", most / seconds);
}
