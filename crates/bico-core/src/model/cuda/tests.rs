use super::*;
use crate::device::Facts;
use crate::device::cuda::tests::a100;
use crate::model::predict;
use proptest::prelude::*;

/// A streaming kernel of blocks of 256 threads.
fn launch() -> Launch {
    Launch {
        blocks: 10_000.0,
        threads: 256,
        width: 256,
        ..Launch::default()
    }
}

fn seconds(launch: Launch) -> f64 {
    let work = Work {
        flops: Some(1e10),
        bytes: Some(1e9),
        launch: Some(launch),
        ..Work::default()
    };
    predict(&Facts::Cuda(a100()), &work)
}

#[test]
fn what_every_author_knows() {
    let usual = seconds(launch());
    // Whole warps, wide rows, enough threads.
    assert!(
        usual
            < seconds(Launch {
                threads: 250,
                ..launch()
            })
    );
    assert!(
        usual
            < seconds(Launch {
                width: 4,
                ..launch()
            })
    );
    assert!(
        usual
            < seconds(Launch {
                threads: 32,
                blocks: 80_000.0,
                ..launch()
            })
    );
    // Registers and shared memory cost occupancy.
    assert!(
        usual
            < seconds(Launch {
                registers: Some(250),
                ..launch()
            })
    );
    let shared = |bytes| {
        seconds(Launch {
            shared_bytes: bytes,
            ..launch()
        })
    };
    assert!(shared(20 << 10) < shared(100 << 10));
    // 109 blocks on 108 multiprocessors take two rounds.
    let of = |blocks| {
        seconds(Launch {
            blocks,
            threads: 1024,
            ..launch()
        })
    };
    assert!(of(109.0) > 1.3 * of(108.0));
}

#[test]
fn what_cannot_run_comes_last() {
    let slow = seconds(Launch {
        threads: 1,
        width: 1,
        ..launch()
    });
    assert!(
        seconds(Launch {
            threads: 1025,
            ..launch()
        }) > slow
    );
    assert!(
        seconds(Launch {
            shared_bytes: 200 << 10,
            ..launch()
        }) > slow
    );
    // Registers that do not fit are spilled, or fail: worse than half the registers.
    let wide = |registers| {
        seconds(Launch {
            threads: 1024,
            width: 256,
            registers: Some(registers),
            ..launch()
        })
    };
    assert!(wide(65) > 2.0 * wide(64));
}

#[test]
fn without_a_launch_it_is_a_roofline() {
    let at = |flops, bytes| {
        let work = Work {
            flops: Some(flops),
            bytes: Some(bytes),
            ..Work::default()
        };
        predict(&Facts::Cuda(a100()), &work)
    };
    assert!((at(0.0, 1.555e12) - 1.0).abs() < 1e-9);
    assert!((at(19.5e12, 0.0) - 1.0).abs() < 0.01);
    assert!(at(1e12, 1e9) < at(1e12, 1e12));
    assert_eq!(at(0.0, 0.0), 0.0);
}

fn any_amount() -> impl Strategy<Value = f64> {
    prop_oneof![
        0.0..1e15,
        prop::sample::select(vec![
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            -1.0,
            0.0,
            f64::MAX,
            1e-300
        ]),
    ]
}

fn any_launch() -> impl Strategy<Value = Launch> {
    let small = || prop_oneof![1i64..2000, any::<i64>()];
    (
        (any_amount(), small(), small(), small()),
        (any::<bool>(), prop::option::of(small()), any::<bool>()),
    )
        .prop_map(
            |((blocks, threads, width, shared_bytes), (wide, registers, spills))| Launch {
                grid_width: wide.then_some(blocks / 7.0),
                blocks,
                threads,
                width,
                shared_bytes,
                registers,
                spills,
            },
        )
}

fn gpus() -> impl Strategy<Value = CudaFacts> {
    let odd = CudaFacts {
        multiprocessors: -1,
        clock_hz: 0,
        memory_bytes_per_second: i64::MIN,
        warp_size: 0,
        max_threads_per_multiprocessor: 0,
        shared_memory_per_multiprocessor: -5,
        registers_per_multiprocessor: i64::MAX,
        ..a100()
    };
    prop::sample::select(vec![
        a100(),
        odd,
        CudaFacts::typical("AMD", "gfx90a", 0),
        CudaFacts::typical("AMD", "gfx1032", 0),
        CudaFacts::typical("NVIDIA", "", 75),
    ])
}

proptest! {
    #[test]
    fn any_launch_has_a_time(
        gpu in gpus(), launch in any_launch(), flops in any_amount(), bytes in any_amount(),
    ) {
        let facts = Facts::Cuda(gpu);
        let work = Work { flops: Some(flops), bytes: Some(bytes), launch: Some(launch), ..Work::default() };
        for work in [work, Work { launch: None, ..work }] {
            let seconds = predict(&facts, &work);
            prop_assert!(seconds.is_finite() && seconds >= 0.0, "{seconds}");
        }
    }

    #[test]
    fn more_work_never_takes_less_time(
        gpu in gpus(), launch in any_launch(),
        amounts in prop::array::uniform2(0.0..1e15f64), more in prop::array::uniform2(1.0..100.0f64),
    ) {
        let facts = Facts::Cuda(gpu);
        let time = |[flops, bytes]: [f64; 2]| {
            let launched = Work { flops: Some(flops), bytes: Some(bytes), launch: Some(launch), ..Work::default() };
            let bare = Work { launch: None, ..launched };
            [predict(&facts, &launched), predict(&facts, &bare)]
        };
        let before = time(amounts);
        for kind in 0..2 {
            let mut larger = amounts;
            larger[kind] *= more[kind];
            for (after, before) in time(larger).into_iter().zip(before) {
                // Rounding of the powers.
                prop_assert!(after >= before * (1.0 - 1e-12), "{after} < {before}");
            }
        }
    }
}

#[test]
fn blocks_that_run_together_share_the_second_level() {
    let gpu = a100();
    let of = |grid_width, footprint| {
        let work = Work {
            bytes: Some(1e10),
            footprint,
            ..Work::default()
        };
        let launch = Launch {
            blocks: 4096.0,
            grid_width: Some(grid_width),
            ..Launch::default()
        };
        // 216 blocks at a time.
        from_memory(&gpu, &work, &launch, 2.0)
    };
    // A row of 4096 blocks shares only what belongs to the row; 15 by 14 blocks share nearly all.
    let (row, square) = (of(4096.0, 1e8), of(15.0, 1e8));
    assert!((row - 1e10 * 217.0 / 432.0).abs() < 1.0, "{row}");
    assert!(
        (square - 1e10 * (15.0 + 14.4) / 432.0).abs() < 1.0,
        "{square}"
    );
    // What fits is read once; nothing is read less than once, nor more than is asked for.
    assert_eq!(of(4096.0, 1e6), 1e6);
    assert_eq!(of(15.0, 9e9), 9e9);
    assert_eq!(of(15.0, 2e10), 1e10);
}
