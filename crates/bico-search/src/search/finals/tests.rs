//! Who comes into the finals, and who wins them.

use super::*;
use crate::search::Failure;

fn sample(seconds: f64, half: f64) -> Sample {
    Sample::new(seconds, seconds - half, seconds + half, 5)
}

fn field(times: &[(u64, f64, f64)]) -> Vec<Contender> {
    let trials: Vec<_> = times
        .iter()
        .map(|(c, s, h)| (*c, Outcome::Timed(sample(*s, *h))))
        .collect();
    contenders(&trials, false, None)
}

fn chosen(times: &[(u64, f64, f64)], incumbent: Option<u64>) -> Vec<u64> {
    let mut field = field(times);
    let seats = incumbent.into_iter().collect::<Vec<_>>();
    let count = choose(&mut field, &seats, None);
    field[..count].iter().map(|(config, _)| *config).collect()
}

#[test]
fn finalists_overlap_or_are_near() {
    assert_eq!(
        chosen(
            &[
                (1, 10.0, 0.1),
                (2, 10.4, 0.1),
                (3, 10.8, 0.9),
                (4, 20.0, 1.0)
            ],
            None
        ),
        [1, 2, 3]
    );
    assert_eq!(chosen(&[(1, 10.0, 0.1), (2, 12.0, 0.1)], None), [1]);
    // One that is slower but so uncertain that it may be as fast.
    assert_eq!(
        chosen(&[(1, 10.0, 0.1), (2, 12.0, 0.1), (3, 13.0, 2.95)], None),
        [1, 3]
    );
    // One that was disturbed: its median is far off, but a tenth of its runs were as fast.
    let mut disturbed = field(&[(1, 10.0, 0.1), (2, 14.0, 0.1)]);
    disturbed[1].1.decile = 10.9;
    assert_eq!(choose(&mut disturbed.clone(), &[], None), 2);
    disturbed[1].1.decile = 11.1;
    assert_eq!(choose(&mut disturbed, &[], None), 1);
    assert!(chosen(&[], None).is_empty());
    let many: Vec<_> = (0..12).map(|i| (i, 10.0 + i as f64 / 100.0, 0.1)).collect();
    assert_eq!(chosen(&many, None), [0, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn the_incumbent_has_a_seat_while_it_is_close() {
    let many: Vec<_> = (0..12).map(|i| (i, 10.0 + i as f64 / 100.0, 0.1)).collect();
    assert_eq!(chosen(&many, Some(11)), [0, 1, 2, 3, 4, 5, 6, 11]);
    assert_eq!(chosen(&many, Some(2)), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(chosen(&[(1, 10.0, 0.1), (2, 12.0, 0.1)], Some(2)), [1]);
}

#[test]
fn cut_and_same_configs_are_no_contenders() {
    let cut = Sample {
        cut: true,
        ..sample(10.1, 1.0)
    };
    let trials = [
        (1, Outcome::Timed(sample(10.0, 1.0))),
        (2, Outcome::Timed(cut)),
        (3, Outcome::Same(1, sample(10.0, 1.0))),
        (4, Outcome::Failed(Failure::Crash("SIGSEGV".into()))),
    ];
    assert_eq!(contenders(&trials, false, None).len(), 1);
    assert_eq!(contenders(&trials, true, None).len(), 2);
    assert_eq!(contenders(&trials, false, Some(2)).len(), 2);
}

#[test]
fn deciles_decide_where_medians_do_not() {
    let of = |seconds, half, decile| {
        Outcome::Timed(Sample {
            decile,
            ..sample(seconds, half)
        })
    };
    // The same noise hit one of them more often; the other one's median is another call's.
    let hit = [(1, of(10.0, 3.0, 9.0)), (2, of(9.5, 3.0, 9.2))];
    assert_eq!(winner(&hit, None), 1);
    // Fast now and then, and most calls are slow.
    let moody = [(1, of(10.0, 0.2, 9.0)), (2, of(9.5, 0.2, 9.2))];
    assert_eq!(winner(&moody, None), 2);
}

fn held(incumbent: Option<u64>, default: Option<u64>) -> Holders {
    Holders {
        incumbent,
        default,
        margin: 0.01,
    }
}

fn winner(finals: &[(u64, Outcome)], incumbent: Option<u64>) -> u64 {
    decide(finals, &held(incumbent, None)).unwrap().tied[0].config
}

fn timed(seconds: f64, half: f64) -> Outcome {
    Outcome::Timed(sample(seconds, half))
}

#[test]
fn the_fastest_wins_unless_the_incumbent_ties() {
    let finals = [
        (1, timed(10.0, 0.2)),
        (2, timed(9.7, 0.2)),
        (3, Outcome::Failed(Failure::Timeout("10 s".into()))),
    ];
    assert_eq!(winner(&finals, None), 2);
    assert_eq!(winner(&finals, Some(1)), 1);
    assert_eq!(winner(&finals, Some(3)), 2);
    let clear = [(1, timed(10.0, 0.01)), (2, timed(9.8, 0.01))];
    assert_eq!(winner(&clear, Some(1)), 2);
    assert_eq!(decide(&finals[2..], &held(Some(3), None)), None);
}

#[test]
fn ties_go_to_the_smaller_number() {
    let finals = [
        (7, timed(9.9, 0.2)),
        (4, timed(10.0, 0.2)),
        (2, timed(10.3, 0.2)),
    ];
    let decision = decide(&finals, &Holders::default()).unwrap();
    let tied: Vec<u64> = decision.tied.iter().map(|of| of.config).collect();
    // The third one's interval overlaps, but it is 4 % slower.
    assert_eq!((tied, decision.stays), (vec![4, 7], false));
    // Sure of 1 %: no tie.
    let finals = [(7, timed(9.9, 0.01)), (4, timed(10.0, 0.01))];
    assert_eq!(winner(&finals, None), 7);
}

#[test]
fn who_left_early_does_not_win() {
    let of = |first: [f64; 5], then: f64, more: usize| {
        let rounds = [&first[..], &vec![then; more]].concat();
        let mut sorted = rounds.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let middle = sorted[sorted.len() / 2];
        Outcome::Timed(Sample {
            rounds,
            ..sample(middle, 0.1)
        })
    };
    let beaten = [3.10, 3.09, 3.09, 3.10, 3.08];
    let stayed = [3.09, 3.08, 3.10, 3.05, 3.09];
    // The machine became faster since, or slower.
    for then in [2.31, 4.62] {
        let finals = [(1, of(beaten, 0.0, 0)), (9, of(stayed, then, 195))];
        assert_eq!(winner(&finals, None), 9, "{then}");
        // Where that fails, it does.
        let failed = (9, Outcome::Failed(Failure::Wrong("y[0]".into())));
        assert_eq!(winner(&[finals[0].clone(), failed], None), 1);
    }
}

#[test]
fn a_default_stays_unless_it_is_clearly_beaten() {
    let stays = |finals: &[(u64, Outcome)], incumbent, default| {
        let decision = decide(finals, &held(incumbent, default)).unwrap();
        (decision.tied[0].config, decision.stays)
    };
    // By less than the margin, though surely; within noise; clearly.
    let sure = [(1, timed(10.0, 0.01)), (2, timed(9.95, 0.01))];
    assert_eq!(stays(&sure, None, Some(1)), (1, true));
    let noisy = [(1, timed(10.0, 0.3)), (2, timed(9.6, 0.3))];
    assert_eq!(stays(&noisy, None, Some(1)), (1, true));
    let clear = [(1, timed(10.0, 0.1)), (2, timed(9.6, 0.1))];
    assert_eq!(stays(&clear, None, Some(1)), (2, false));
    // Who holds the place must be beaten, both must.
    let both = [
        (1, timed(10.0, 0.01)),
        (2, timed(9.5, 0.01)),
        (3, timed(9.45, 0.01)),
    ];
    assert_eq!(stays(&both, Some(1), Some(2)), (2, true));
    assert_eq!(stays(&both, Some(2), Some(1)), (2, true));
    assert_eq!(stays(&both, Some(1), None), (3, false));
    let near = [(1, timed(10.0, 0.01)), (2, timed(9.95, 0.01))];
    assert_eq!(stays(&near, Some(1), Some(2)), (1, true));
    // A default that failed holds nothing.
    let failed = [
        (1, Outcome::Failed(Failure::Crash("SIGSEGV".into()))),
        (2, timed(9.5, 0.01)),
    ];
    assert_eq!(stays(&failed, None, Some(1)), (2, false));
}

#[test]
fn a_default_has_a_seat_wherever_it_is() {
    let many = |count: u64| -> Vec<(u64, f64, f64)> {
        (0..count)
            .map(|i| (i, 10.0 + i as f64 / 100.0, 0.1))
            .collect()
    };
    let seated = |mut times: Vec<(u64, f64, f64)>, seats: &[u64], default| {
        times.push((50, 90.0, 0.1));
        let mut field = field(&times);
        let count = choose(&mut field, seats, default);
        field[..count]
            .iter()
            .map(|(config, _)| *config)
            .collect::<Vec<_>>()
    };
    assert_eq!(seated(many(1), &[], Some(50)), [0, 50]);
    assert_eq!(seated(many(1), &[50], None), [0]);
    assert_eq!(
        seated(many(12), &[11], Some(50)),
        [0, 1, 2, 3, 4, 5, 50, 11]
    );
    assert_eq!(
        seated(many(12), &[11, 9], Some(50)),
        [0, 1, 2, 3, 4, 50, 9, 11]
    );
}
