
/// A function that a call of costs as much as calling does.
#[bico::tunable(
    space(STEP in [1, 2, 4]),
    problem(n = 16),
    budget(evaluations = 3, seconds = 20),
)]
pub fn tiny<const STEP: usize>(
    #[len(n)]
    #[init(zeros)]
    y: &mut [u64],
    n: usize,
) {
    add::<STEP>(y, n);
}

fn add<const STEP: usize>(y: &mut [u64], n: usize) {
    for y in y[..n].iter_mut().step_by(STEP) {
        *y += 1;
    }
    for other in 1..STEP {
        for y in y[other..n].iter_mut().step_by(STEP) {
            *y += 1;
        }
    }
}

/// Seconds of a call: of the fastest of many rounds.
fn fastest(rounds: usize, calls: usize, mut call: impl FnMut()) -> f64 {
    let mut fastest = f64::INFINITY;
    for _ in 0..rounds {
        let start = std::time::Instant::now();
        for _ in 0..calls {
            call();
        }
        fastest = fastest.min(start.elapsed().as_secs_f64() / calls as f64);
    }
    fastest
}

fn main() {
    use std::hint::black_box;

    let n = 256;
    let values = |seed: usize| -> Vec<f32> { (0..n * n).map(|i| ((i * 7919 + seed) % 17) as f32).collect() };
    let (a, b, mut c) = (values(1), values(2), vec![0.0; n * n]);
    let product = fastest(40, 1, || product(black_box(&mut c), &a, &b, n).unwrap());
    let mut y = [0; 16];
    let step = match tiny_tunable() {
        tunable => bico::config_of(tunable, &[16]).unwrap().to_string(),
    };
    let wrapped = fastest(200, 10_000, || tiny(black_box(&mut y), black_box(16)).unwrap());
    let direct = match () {
        () if step.contains("STEP=1") => fastest(200, 10_000, || add::<1>(black_box(&mut y), black_box(16))),
        () if step.contains("STEP=2") => fastest(200, 10_000, || add::<2>(black_box(&mut y), black_box(16))),
        () => fastest(200, 10_000, || add::<4>(black_box(&mut y), black_box(16))),
    };
    println!("{product} {} {}", 1e9 * wrapped, 1e9 * direct);
}
