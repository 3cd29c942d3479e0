use super::table::time;
use super::*;
use crate::settle::tests::{data, problem, tunable};

static NAMES: [&str; 4] = ["ISA", "KC", "MR", "PF_A"];

fn config(mr: i64, kc: i64) -> Config {
    let values = [
        Value::Str("x86-64-v4"),
        Value::Int(kc),
        Value::Int(mr),
        Value::Int(16),
    ];
    Config::new(&NAMES, Vec::leak(values.to_vec()))
}

fn arm(config: Config, pulls: u64, seconds: f64, standing: Standing) -> Arm {
    let ran = pulls > 0;
    Arm {
        config,
        pulls,
        seconds: ran.then_some(seconds),
        interval: ran.then_some([seconds * 0.97, seconds * 1.04]),
        standing,
    }
}

fn example() -> Status {
    Status {
        tunable: "gemm",
        device: "AMD EPYC (AuthenticAMD family 25 model 17, x86-64-v4)".to_string(),
        ordinal: 0,
        sizes: vec![("m", 1024), ("n", 1024), ("k", 1024)],
        consts: vec![("ACT", Value::Str("silu"))],
        state: State::Exploring { tried: 2, of: 4 },
        config: Some(config(8, 512)),
        from: None,
        arms: vec![
            arm(config(8, 512), 20, 11.2e-3, Standing::Open),
            arm(config(6, 512), 3, 14.5e-3, Standing::Dropped),
            arm(config(6, 32), 0, 0.0, Standing::Untried),
            arm(config(1, 32), 0, 0.0, Standing::Failed),
        ],
        calls: 27,
        timed: 25,
        regret: 1.5,
    }
}

#[test]
fn prints_a_table() {
    let expected = "\
gemm at m=1024, n=1024, k=1024, ACT=silu
on AMD EPYC (AuthenticAMD family 25 model 17, x86-64-v4): exploring, 2 of 4 tried
27 calls, 25 of them timed; exploring cost 1.5 calls of the best (5.3 % of the time)
all with ISA=x86-64-v4, PF_A=16
     pulls       mean   interval                     config
  >     20    11.2 ms   10.9 ms - 11.6 ms            KC=512, MR=8
         3    14.5 ms   14.1 ms - 15.1 ms   dropped  KC=512, MR=6
         0                                  untried  KC=32, MR=6
         0                                  failed   KC=32, MR=1";
    assert_eq!(example().to_string(), expected);
}

#[test]
fn prints_what_has_no_arms() {
    let mut status = example();
    status.arms.clear();
    (status.calls, status.timed, status.regret) = (0, 0, 0.0);
    status.state = State::Winner;
    (status.ordinal, status.device) = (1, "NVIDIA H200 (sm_90)".to_string());
    let expected = "\
gemm at m=1024, n=1024, k=1024, ACT=silu
on NVIDIA H200 (sm_90) (number 1): its winner in the lock
serves ISA=x86-64-v4, KC=512, MR=8, PF_A=16";
    assert_eq!(status.to_string(), expected);
    status.from = Some(vec![("m", 64), ("n", 1024), ("k", 1024)]);
    let far = "\nthe winner at m=64, n=1024, k=1024, further away than a factor of two";
    assert_eq!(status.to_string(), format!("{expected}{far}"));
    (status.config, status.from) = (None, None);
    status.state = State::Fixed;
    assert!(status.to_string().ends_with(": not tuned there, fixed"));
}

#[test]
fn stays_within_a_hundred_columns() {
    let names: Vec<&'static str> = (0..24)
        .map(|i| &*Box::leak(format!("PARAMETER_{i}").into_boxed_str()))
        .collect();
    let names: &'static [&'static str] = names.leak();
    for count in 1..=names.len() {
        for same in [true, false] {
            let of = |at: i64| {
                let values = (0..count).map(|i| Value::Int(1000 * i as i64 + at));
                Config::new(&names[..count], Vec::leak(values.collect()))
            };
            let mut status = example();
            let second = of(if same { 0 } else { 1 });
            status.arms = vec![
                arm(of(0), 12_345, 999.6e-6, Standing::Open),
                arm(second, 2, 12.0, Standing::Dropped),
            ];
            status.config = Some(of(0));
            let text = status.to_string();
            for line in text.lines() {
                assert!(line.chars().count() <= 100, "{text}");
                assert_eq!(line, line.trim_end(), "{text}");
            }
            for name in &names[..count] {
                assert!(text.contains(&format!("{name}=")), "{text}");
            }
        }
    }
}

#[test]
fn times_have_three_digits_and_a_unit() {
    assert_eq!(time(4.0e-10), "0.40 ns");
    assert_eq!(time(12.345e-9), "12.3 ns");
    assert_eq!(time(999.6e-9), "1.00 µs");
    assert_eq!(time(9.996e-6), "10.0 µs");
    assert_eq!(time(0.123_4), "123 ms");
    assert_eq!(time(0.999_9), "1.00 s");
    assert_eq!(time(4321.0), "4321 s");
    assert_eq!(time(1.0e30), "1.0e30 s");
}

/// The other device has anchors of its own: this one's nearest serves there.
#[test]
fn tells_whose_winner_serves_from_afar() {
    let other: &[(u16, u16)] = &[(1, 2)];
    let problems = vec![
        problem(&[100], &[(0, 1)], &[1, 0, 2]),
        problem(&[200], other, &[2, 1, 0]),
        problem(&[300], other, &[2, 1, 0]),
    ];
    let tunable = tunable(data(problems), &[], &[]);
    for size in [100, 200, 300] {
        let choice = tunable.config_of(&[size]).unwrap();
        assert_eq!(choice.config, tunable.config(1));
        assert_eq!(
            (choice.is_far(), choice.problem),
            (size == 300, vec![("m", 100)])
        );
    }
    let from: Vec<_> = tunable.status().into_iter().map(|of| of.from).collect();
    assert_eq!(from, [None, None, Some(vec![("m", 100)])]);
}

/// The device of index 0 is this one: it knows 100, nobody knows of a million.
#[test]
fn tells_what_calls_have_met() {
    let problems = vec![
        problem(&[100], &[(0, 1)], &[1, 0, 2]),
        problem(&[1_000_000], &[], &[0, 1, 2]),
    ];
    let tunable = tunable(data(problems), &[], &[]);
    assert_eq!(tunable.status(), []);
    let here = bico_host::this_cpu_key().as_str();
    assert_eq!(tunable.winners(&[99]), Ok(vec![(here, tunable.config(1))]));
    assert_eq!(tunable.winners(&[1_000_000]), Ok(vec![]));
    tunable.config_of(&[100]).unwrap();
    let [winner] = <[Status; 1]>::try_from(status(tunable)).unwrap();
    assert_eq!(winner.state, State::Winner);
    assert_eq!(winner.sizes, [("m", 100)]);
    assert_eq!(winner.config, Some(tunable.config(1)));
    assert_eq!((winner.arms.len(), winner.calls, winner.timed), (0, 0, 0));

    // By candidate: the second is the best.
    let time = |candidate: usize| [3e-3, 1e-3, 2e-3][candidate];
    let call = || {
        let pull = tunable.pull(&[1_000_000], &[]).unwrap();
        let seconds = time(pull.candidate());
        pull.took(seconds);
    };
    call();
    let [_, exploring] = <[Status; 2]>::try_from(tunable.status()).unwrap();
    assert_eq!(exploring.state, State::Exploring { tried: 1, of: 3 });
    assert_eq!(exploring.sizes, [("m", 1_000_000)]);
    assert_eq!((exploring.calls, exploring.timed), (1, 1));
    let standings: Vec<Standing> = exploring.arms.iter().map(|arm| arm.standing).collect();
    assert_eq!(
        standings,
        [Standing::Open, Standing::Untried, Standing::Untried]
    );
    assert_eq!(exploring.arms[1].seconds, None);

    for _ in 0..2000 {
        call();
    }
    let [_, settled] = <[Status; 2]>::try_from(tunable.status()).unwrap();
    assert_eq!(settled.state, State::Settled, "{settled}");
    assert_eq!(settled.config, Some(tunable.config(1)));
    let choice = tunable.config_of(&[1_000_000]).unwrap();
    assert_eq!(settled.config, Some(choice.config));
    for (arm, candidate) in settled.arms.iter().zip([1, 2, 0]) {
        assert_eq!(arm.config, tunable.config(candidate));
        let (Some(seconds), Some([low, high])) = (arm.seconds, arm.interval) else {
            panic!("{arm:?} has run");
        };
        // One that was called but once is known roughly.
        assert!((seconds / time(candidate)).ln().abs() < 0.3, "{arm:?}");
        assert!(low < seconds && seconds < high, "{arm:?}");
    }
    assert!(
        settled.regret > 0.0 && settled.regret_share() < 0.2,
        "{settled}"
    );
}

#[test]
fn tells_what_fails() {
    let tunable = tunable(data(vec![problem(&[100], &[], &[0, 1, 2])]), &[], &[]);
    let first = tunable.pull(&[100], &[]).unwrap();
    let gone = tunable.config(first.candidate());
    first.failed();
    let [status] = <[Status; 1]>::try_from(tunable.status()).unwrap();
    let last = status.arms.last().unwrap();
    assert_eq!((last.config, last.standing), (gone, Standing::Failed));
    assert_eq!((last.pulls, last.seconds, last.interval), (0, None, None));
    assert!(
        status.config.is_some_and(|config| config != gone),
        "{status}"
    );
}
