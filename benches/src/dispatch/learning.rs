//! What a call costs where the lock knows nothing: while calls teach, and once it is settled.

use super::{CALLS, ROUNDS, direct, time, touch, two_threads};
use bico::__private::learn::bandit::{Bandit, Prior};
use bico::{Reason, State};
use serde_json::{Value, json};
use std::hint::black_box;
use std::process::Command;
use std::time::Instant;

/// Of these the program carries several, to choose among.
#[bico::tunable(
    source = "kernels/choose.c",
    space(VARIANT in 1..=14),
    problem(m = 1, n = 1),
    budget(evaluations = 14, seconds = 5, strategy = "sequential"),
)]
fn choose(#[len(1)] out: &mut [f32], #[len(1)] input: &[f32], m: u32, n: u32) -> bico::Result<()>;

/// Sizes of as many buckets as are measured while they explore.
const BUCKETS: u32 = 14;
/// Calls that settle a bucket at the latest.
const PATIENCE: u32 = 1_000_000;
/// Arms of the bandit that is measured by itself: what a binary carries at most, and a first and a top-ranked config.
const ARMS: usize = 14;

/// Runs [`run`] where nothing is known and nothing is kept.
pub(super) fn in_a_new_process() -> Result<Value, String> {
    let own = std::env::current_exe().map_err(|e| e.to_string())?;
    let output = Command::new(own)
        .arg("dispatch-new")
        .env("BICO_RUNTIME", "anew")
        .env("BICO_CACHE", "off")
        .output()
        .map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let last = text.lines().last().unwrap_or_default();
    serde_json::from_str(last).map_err(|e| {
        let errors = String::from_utf8_lossy(&output.stderr);
        format!("the process that learns: {e}\n{errors}")
    })
}

pub(crate) fn run() -> Result<Value, String> {
    let direct = direct()?;
    let exploring = exploring()?;
    // A tuned size, and one that no problem is near to.
    let (exact, far) = (1, 1 << 20);
    for size in [exact, far] {
        settle(size, size)?;
    }
    let mut out = [0.0];
    let input = [1.0];
    let mut fastest = [f64::INFINITY; 5];
    for _ in 0..ROUNDS {
        let (m, n) = (black_box(exact), black_box(exact));
        let (far_m, far_n) = (black_box(far), black_box(far));
        let times = [
            // SAFETY: both buffers hold the one element that `touch` reads or writes.
            time(|| unsafe { direct(out.as_mut_ptr(), input.as_ptr(), m, n) }),
            time(|| touch(&mut out, &input, m, n).expect("it has the right sizes")),
            two_threads(exact),
            time(|| touch(&mut out, &input, far_m, far_n).expect("it has the right sizes")),
            two_threads(far),
        ];
        for (fastest, time) in fastest.iter_mut().zip(times) {
            *fastest = fastest.min(time / (CALLS / ROUNDS) as f64);
        }
    }
    let rounded = |ns: f64| (ns * 1000.0).round() / 1000.0;
    let [direct, learned, learned_two, far, far_two] = fastest.map(rounded);
    Ok(json!({
        "new_direct_ns": direct,
        "learned_ns": learned,
        "learned_2threads_ns": learned_two,
        "learned_far_ns": far,
        "learned_far_2threads_ns": far_two,
        "exploring_ns": rounded(exploring.0),
        "exploring_calls": exploring.1,
        "exploring_arms": choose_tunable().candidates().count(),
        "bandit_14_arms_ns": rounded(bandit()),
    }))
}

/// Nanoseconds of a call that explores, the median of short sequences, and how many were timed. Each bucket's first call, which makes it, is left out.
fn exploring() -> Result<(f64, u64), String> {
    let mut out = [0.0];
    let input = [1.0];
    let mut times = Vec::new();
    for (m, n) in (6..6 + BUCKETS).flat_map(|a| (6..6 + BUCKETS).map(move |b| (1 << a, 1 << b))) {
        let mut call = || choose(&mut out, &input, m, n).map_err(|e| e.to_string());
        call()?;
        let open = || !settled(choose_tunable(), m, n);
        // In short sequences, each counted only if the bucket was exploring at its end too.
        while open() {
            let start = Instant::now();
            for _ in 0..8 {
                call()?;
            }
            let time = start.elapsed().as_nanos() as f64 / 8.0;
            if !open() {
                break;
            }
            times.push(time);
        }
    }
    times.sort_by(f64::total_cmp);
    let middle = times.get(times.len() / 2).copied().unwrap_or(f64::NAN);
    Ok((middle, times.len() as u64 * 8))
}

fn settled(tunable: &bico::Tunable, m: u32, n: u32) -> bool {
    let choice = tunable.config_of(&[m.into(), n.into()]);
    choice.is_ok_and(|choice| matches!(choice.reason, Reason::Learned { .. }))
}

fn settle(m: u32, n: u32) -> Result<(), String> {
    let mut out = [0.0];
    for call in 0..PATIENCE {
        touch(&mut out, &[1.0], m, n).map_err(|e| e.to_string())?;
        // With one candidate there is nothing to choose from, and `config_of` says so.
        let is_here = |status: &bico::Status| {
            status.state == State::Settled && status.sizes[0].1 == i64::from(m)
        };
        if call % 64 == 0 && bico::status(super::touch_tunable()).iter().any(is_here) {
            return Ok(());
        }
    }
    Err(format!("m = n = {m} is not settled after {PATIENCE} calls"))
}

/// Nanoseconds that a bandit of [`ARMS`] equal arms takes for one turn and its answer, while it explores.
fn bandit() -> f64 {
    let mut fastest = f64::INFINITY;
    let mut random = fastrand::Rng::with_seed(1);
    let times: Vec<f64> = (0..4096).map(|_| 0.05 * (random.f64() - 0.5)).collect();
    for _ in 0..200 {
        let mut bandit = Bandit::new(&[Prior::default(); ARMS]);
        let start = Instant::now();
        let mut turns = 0;
        for time in &times {
            let Some(turn) = bandit.next(|_| true) else {
                break;
            };
            if turn.timed {
                bandit.observe(turn.arm, *time);
            }
            if bandit.settled().is_some() {
                break;
            }
            turns += 1;
        }
        if turns > 0 {
            fastest = fastest.min(start.elapsed().as_nanos() as f64 / f64::from(turns));
        }
    }
    fastest
}

pub(super) fn print(new: &Value, known: &Value) {
    let ns = |of: &Value, key: &str| of[key].as_f64().unwrap_or(f64::NAN);
    let own = ns(new, "new_direct_ns");
    let wrapper = ns(known, "wrapper_ns");
    println!("\nin a process to which every device is new\n");
    println!("direct call of the C function     {own:6.2}");
    for (what, key) in [
        ("learned, a tuned size", "learned_ns"),
        ("the same, two threads at once", "learned_2threads_ns"),
        ("learned, far from tuned sizes", "learned_far_ns"),
        ("the same, two threads at once", "learned_far_2threads_ns"),
    ] {
        let time = ns(new, key);
        let more = time - wrapper;
        println!("{what:<33} {time:6.2}  (+{more:.2} over a known device)");
    }
    println!(
        "exploring, {} arms                 {:6.1}  (median of sequences of 8, {} calls)",
        new["exploring_arms"],
        ns(new, "exploring_ns"),
        new["exploring_calls"]
    );
    println!(
        "of that, a bandit of {ARMS} arms       {:6.1}",
        ns(new, "bandit_14_arms_ns")
    );
}
