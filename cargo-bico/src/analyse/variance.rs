//! How much of a variance groups explain.

/// Squares that are smaller than this part of all are rounding.
const ROUNDING: f64 = 1e-12;

/// ω² of a one-way analysis of variance: `(SSb - dfb MSw) / (SSt + MSw)`, at least 0. `None` where there is one group only, no
/// group has two numbers, or all numbers are equal.
pub(super) fn share(groups: &[usize], numbers: &[f64]) -> Option<f64> {
    let total = around_mean(numbers);
    let (within, count) = within(groups, numbers);
    omega(total, within, total - within, count, 1, numbers.len())
}

/// ω² of what `larger` groups' means explain, beyond a model with so many parameters that leaves `left` more unexplained.
pub(super) fn omega(
    total: f64,
    within: f64,
    explained: f64,
    larger: usize,
    smaller: usize,
    numbers: usize,
) -> Option<f64> {
    let (more, rest) = (larger.checked_sub(smaller)?, numbers.checked_sub(larger)?);
    if more == 0 || rest == 0 || total <= 0.0 {
        return None;
    }
    let noise = within / rest as f64;
    let explained = explained - more as f64 * noise;
    Some((explained / (total + noise)).clamp(0.0, 1.0))
}

/// The squares around the mean.
pub(super) fn around_mean(numbers: &[f64]) -> f64 {
    let mean = numbers.iter().sum::<f64>() / numbers.len().max(1) as f64;
    let squares = numbers.iter().map(|number| (number - mean).powi(2)).sum();
    match squares > ROUNDING * numbers.iter().map(|number| number * number).sum::<f64>() {
        true => squares,
        false => 0.0,
    }
}

/// The squares around the mean of each group, and how many groups there are.
pub(super) fn within(groups: &[usize], numbers: &[f64]) -> (f64, usize) {
    let most = groups.iter().max().map_or(0, |most| most + 1);
    let mut sums = vec![(0.0, 0usize); most];
    for (group, number) in groups.iter().zip(numbers) {
        sums[*group].0 += number;
        sums[*group].1 += 1;
    }
    let mean = |group: usize| sums[group].0 / sums[group].1 as f64;
    let squares = groups.iter().zip(numbers);
    let squares = squares.map(|(group, number)| (number - mean(*group)).powi(2));
    (squares.sum(), sums.iter().filter(|sum| sum.1 > 0).count())
}
