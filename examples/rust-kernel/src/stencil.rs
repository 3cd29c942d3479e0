//! Steps of a five-point stencil in safe Rust: several of them at once, over blocks that stay in a cache.

/// `STEPS` times: each inner point becomes the mean of itself and its four neighbours, in equal parts; points of the border stay.
///
/// All of the steps are made over blocks of `ROWS` rows, each with as many rows around it as there are steps, which are
/// computed twice: so a point comes from memory once, and not once a step.
#[bico::tunable(
    space(ISA in ["x86-64-v2", "x86-64-v3", "x86-64-v4"], ROWS in [4, 8, 16, 32, 64, 128, 256, 1024], WIDTH in [64, 256, 1024, 4096]),
    require(device.has(ISA)),
    flags = ["-Ctarget-cpu={ISA}", "-Ctarget-feature=-prefer-256-bit"],
    ship = measured,
    problem(width = 2048, height = 2048, steps = 4),
    work(flops = 5 * width * height * steps),
    default = { ISA: "x86-64-v2", ROWS: 1024, WIDTH: 4096 },
    verify(reference = "plain", rtol = 1e-5),
    budget(evaluations = 24, seconds = 30),
)]
pub(crate) fn stencil<const ROWS: usize, const WIDTH: usize>(
    #[len(width * height)] to: &mut [f32],
    #[len(width * height)] from: &[f32],
    width: usize,
    height: usize,
    steps: usize,
) {
    blocked::<ROWS, WIDTH>(to, from, width, height, steps);
}

/// What is tuned, for callers that choose for themselves.
pub(crate) fn blocked<const ROWS: usize, const WIDTH: usize>(
    to: &mut [f32],
    from: &[f32],
    width: usize,
    height: usize,
    steps: usize,
) {
    let (mut old, mut new) = (Vec::new(), Vec::new());
    for first in (0..height).step_by(ROWS) {
        for left in (0..width).step_by(WIDTH) {
            // The block, and what its points depend on.
            let rows = first.saturating_sub(steps)..(first + ROWS + steps).min(height);
            let columns = left.saturating_sub(steps)..(left + WIDTH + steps).min(width);
            let wide = columns.len();
            old.clear();
            for row in rows.clone() {
                old.extend_from_slice(&from[row * width..][columns.clone()]);
            }
            for _ in 0..steps {
                new.clear();
                new.extend_from_slice(&old);
                step(&mut new, &old, wide);
                std::mem::swap(&mut old, &mut new);
            }
            let count = WIDTH.min(width - left);
            for row in first..(first + ROWS).min(height) {
                let own = &old[(row - rows.start) * wide + left - columns.start..][..count];
                to[row * width + left..][..count].copy_from_slice(own);
            }
        }
    }
}

/// One step over all points of a block but those at its sides: the image's stay, others are nobody's result.
fn step(new: &mut [f32], old: &[f32], wide: usize) {
    let high = old.len() / wide.max(1);
    if wide < 3 {
        return;
    }
    for row in 1..high.max(1) - 1 {
        let new = &mut new[row * wide + 1..][..wide - 2];
        let [above, here, below] = [row - 1, row, row + 1].map(|row| &old[row * wide..][..wide]);
        let sides = here[..wide - 2].iter().zip(&here[1..]).zip(&here[2..]);
        let around = above[1..wide - 1].iter().zip(&below[1..wide - 1]);
        for ((new, ((left, own), right)), (up, down)) in new.iter_mut().zip(sides).zip(around) {
            *new = 0.2 * (own + left + right + up + down);
        }
    }
}

/// Step by step over everything.
fn plain(to: &mut [f32], from: &[f32], width: usize, height: usize, steps: usize) {
    to.copy_from_slice(from);
    for _ in 0..steps {
        let old = to.to_vec();
        for row in 1..height.max(1) - 1 {
            for column in 1..width.max(1) - 1 {
                let at = row * width + column;
                to[at] =
                    0.2 * (old[at] + old[at - 1] + old[at + 1] + old[at - width] + old[at + width]);
            }
        }
    }
}
