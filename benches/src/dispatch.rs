//! What a call costs: the wrapper against a direct call of the same C function.
//!
//! Sequences of calls are timed in turns, and the fastest of each counts: interruptions only add.
//!
//! What calls cost on a device that the lock does not know is measured in a process of its own, to which every
//! device is new (`BICO_RUNTIME=anew`), beside the same direct call.

#[cfg(feature = "capture")]
mod captured;
mod learning;

#[cfg(feature = "capture")]
pub(crate) use captured::calls as run_captured;
pub(crate) use learning::run as run_new;

use serde_json::{Value, json};
use std::hint::black_box;
use std::sync::Barrier;
use std::time::Instant;

const CALLS: u64 = 100_000_000;
/// The calls are made in this many sequences, in turns with the other contenders.
const ROUNDS: u64 = 20;

#[bico::tunable(
    source = "kernels/touch.c",
    space(VARIANT in [1, 2]),
    problem(m = 1, n = 1),
    budget(evaluations = 2, seconds = 2),
)]
fn touch(#[len(1)] out: &mut [f32], #[len(1)] input: &[f32], m: u32, n: u32) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/touch.c",
    entry = "touch",
    space(VARIANT in [1, 2]),
    problem(m = 1, n = 1),
    problem(m = 64, n = 64),
    problem(m = 4096, n = 64),
    budget(evaluations = 2, seconds = 2),
)]
fn touch3(#[len(1)] out: &mut [f32], #[len(1)] input: &[f32], m: u32, n: u32) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/touch.c",
    entry = "touch",
    space(VARIANT in [1, 2]),
    problem(m = 1, n = 1),
    budget(evaluations = 2, seconds = 2),
)]
fn touch_product(
    #[len(m * n)] out: &mut [f32],
    #[len(m * n + 1)] input: &[f32],
    m: u32,
    n: u32,
) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/touch_scratch.c",
    space(VARIANT in [1, 2]),
    problem(m = 1, n = 1),
    scratch(PACKED: f32, len = 16 * m * n),
    budget(evaluations = 2, seconds = 2),
)]
fn touch_scratch(
    #[len(1)] out: &mut [f32],
    #[len(1)] input: &[f32],
    m: u32,
    n: u32,
) -> bico::Result<()>;

/// Of two kernels the winner is called.
#[bico::tunable(
    variant(one, source = "kernels/touch.c", entry = "touch", flags = ["-DVARIANT=1"]),
    variant(two, source = "kernels/touch.c", entry = "touch", flags = ["-DVARIANT=2"], space(STEP in [1, 2])),
    problem(m = 1, n = 1),
    budget(evaluations = 3, seconds = 2),
)]
fn touch_variants(
    #[len(1)] out: &mut [f32],
    #[len(1)] input: &[f32],
    m: u32,
    n: u32,
) -> bico::Result<()>;

/// Sizes in a range have the winner of the nearest anchor.
#[bico::tunable(
    source = "kernels/touch.c",
    entry = "touch",
    space(VARIANT in [1, 2]),
    problem(m = 1..=64, n = 1),
    budget(evaluations = 2, seconds = 2),
)]
fn touch_range(
    #[len(1)] out: &mut [f32],
    #[len(1)] input: &[f32],
    m: u32,
    n: u32,
) -> bico::Result<()>;

/// The same anchors, each named.
#[bico::tunable(
    source = "kernels/touch.c",
    entry = "touch",
    space(VARIANT in [1, 2]),
    problem(m = 1, n = 1),
    problem(m = 8, n = 1),
    problem(m = 64, n = 1),
    budget(evaluations = 2, seconds = 2),
)]
fn touch_near(
    #[len(1)] out: &mut [f32],
    #[len(1)] input: &[f32],
    m: u32,
    n: u32,
) -> bico::Result<()>;

/// The direct contender: the C function as every Rust program calls one, through a pointer that the
/// compiler cannot see through, as a linked symbol would be.
type Touch = unsafe extern "C" fn(*mut f32, *const f32, u32, u32);

pub(crate) fn run(json: bool) -> Result<Value, String> {
    let known = known(json)?;
    let new = learning::in_a_new_process()?;
    if !json {
        learning::print(&new, &known);
    }
    let mut all = known;
    #[cfg(feature = "capture")]
    if let Value::Object(all) = &mut all {
        all.insert("captured_ns".to_string(), captured::run(json)?);
    }
    if let (Value::Object(all), Value::Object(new)) = (&mut all, new) {
        all.extend(new);
    }
    Ok(all)
}

/// On a device that the lock knows.
fn known(json: bool) -> Result<Value, String> {
    let direct = direct()?;
    let mut out = [0.0];
    let input = [1.0, 1.0];
    let mut fastest = [f64::INFINITY; CONTENDERS.len()];
    for _ in 0..ROUNDS {
        let per_call = |nanoseconds: f64| nanoseconds / (CALLS / ROUNDS) as f64;
        // Anew in every call: else what a wrapper makes of the sizes is done once, before the loop.
        let size = || black_box(1);
        let times = [
            time(|| {
                // SAFETY: both buffers hold the one element that `touch` reads or writes.
                unsafe { direct(out.as_mut_ptr(), input.as_ptr(), size(), size()) }
            }),
            time(|| touch(&mut out, &input, size(), size()).expect("it has the right sizes")),
            time(|| touch3(&mut out, &input, size(), size()).expect("it has the right sizes")),
            two_threads(1),
            time(|| {
                touch_product(&mut out, &input, size(), size()).expect("it has the right sizes")
            }),
            time(|| {
                touch_scratch(&mut out, &input, size(), size()).expect("it has the right sizes")
            }),
            time(|| {
                touch_variants(&mut out, &input, size(), size()).expect("it has the right sizes")
            }),
            time(|| {
                touch_near(&mut out, &input, black_box(40), size()).expect("it has the right sizes")
            }),
            time(|| {
                touch_range(&mut out, &input, black_box(40), size())
                    .expect("it has the right sizes")
            }),
        ];
        for (fastest, time) in fastest.iter_mut().zip(times) {
            *fastest = fastest.min(per_call(time));
        }
    }
    let fastest = fastest.map(|ns| (ns * 1000.0).round() / 1000.0);
    if !json {
        let sequences = CALLS / ROUNDS;
        println!("nanoseconds a call, fastest of {ROUNDS} rounds of {sequences} calls\n");
        for ((_, name), ns) in CONTENDERS.iter().zip(fastest) {
            println!("{name:<32}  {ns:6.2}  ({:+.2})", ns - fastest[0]);
        }
    }
    let of = CONTENDERS.iter().zip(fastest);
    let all: serde_json::Map<String, Value> = of
        .map(|((key, _), ns)| ((*key).to_string(), json!(ns)))
        .collect();
    Ok(all.into())
}

/// What is timed: its key, and what it is called.
const CONTENDERS: [(&str, &str); 9] = [
    ("direct_ns", "direct call of the C function"),
    ("wrapper_ns", "wrapper, one problem"),
    ("wrapper_3problems_ns", "wrapper, three problems"),
    ("wrapper_2threads_ns", "wrapper, two threads at once"),
    ("wrapper_product_ns", "wrapper, lengths of products"),
    ("wrapper_scratch_ns", "wrapper, a scratch buffer"),
    ("wrapper_variants_ns", "wrapper, two variants"),
    ("wrapper_near_ns", "wrapper, a size near problems"),
    ("wrapper_range_ns", "wrapper, a size between anchors"),
];

fn time(mut call: impl FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..CALLS / ROUNDS {
        call();
    }
    start.elapsed().as_nanos() as f64
}

/// The slower of two threads that call at the same time.
fn two_threads(size: u32) -> f64 {
    let barrier = Barrier::new(2);
    let thread = || {
        let mut out = [0.0];
        let input = [1.0];
        let size = || black_box(size);
        barrier.wait();
        time(|| touch(&mut out, &input, size(), size()).expect("it has the right sizes"))
    };
    std::thread::scope(|scope| {
        let other = scope.spawn(thread);
        let mine = thread();
        mine.max(other.join().expect("the thread does not panic"))
    })
}

/// Compiles the kernel as a shared object and loads it.
fn direct() -> Result<Touch, String> {
    let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
    let object = dir.path().join("touch.so");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/touch.c");
    let status = std::process::Command::new("cc")
        .args(["-O3", "-shared", "-fPIC", "-DVARIANT=1", source, "-o"])
        .arg(&object)
        .status()
        .map_err(|e| format!("cc: {e}"))?;
    if !status.success() {
        return Err(format!("cc: {status}"));
    }
    // SAFETY: the object has no initialisers, and the type is that of `touch`. It stays loaded.
    unsafe {
        let library = libloading::Library::new(&object).map_err(|e| e.to_string())?;
        let touch = *library.get::<Touch>(b"touch").map_err(|e| e.to_string())?;
        std::mem::forget(library);
        Ok(black_box(touch))
    }
}
