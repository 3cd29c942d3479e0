//! How much two parameters explain together that they do not explain alone.

use super::variance::{around_mean, omega, within};

/// Rounds of fitting, at most.
const ROUNDS: usize = 100;

/// ω² of what a mean for each pair explains beyond the sum of an effect of each. `None` where that cannot be told.
pub(super) fn share(a: &[usize], b: &[usize], numbers: &[f64]) -> Option<f64> {
    let columns = b.iter().max()? + 1;
    let cells: Vec<usize> = a.iter().zip(b).map(|(a, b)| a * columns + b).collect();
    let (unexplained, count) = within(&cells, numbers);
    let mut pairs: Vec<(usize, usize)> = a.iter().copied().zip(b.iter().copied()).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let total = around_mean(numbers);
    let parameters = parameters(&pairs);
    // Known before anything is fitted.
    omega(total, unexplained, 0.0, count, parameters, numbers.len())?;
    let gained = added(a, b, numbers) - unexplained;
    omega(total, unexplained, gained, count, parameters, numbers.len())
}

/// The free parameters of the sum of two effects: one for each value, less one for each part of the table that shares no row and
/// no column with the others.
fn parameters(pairs: &[(usize, usize)]) -> usize {
    let rows = pairs
        .iter()
        .map(|pair| pair.0)
        .max()
        .map_or(0, |most| most + 1);
    let columns = pairs
        .iter()
        .map(|pair| pair.1)
        .max()
        .map_or(0, |most| most + 1);
    let mut part: Vec<usize> = (0..rows + columns).collect();
    fn root(part: &mut [usize], mut at: usize) -> usize {
        while part[at] != at {
            part[at] = part[part[at]];
            at = part[at];
        }
        at
    }
    let mut seen = vec![false; rows + columns];
    let mut count = 0;
    for (row, column) in pairs {
        for at in [*row, rows + column] {
            count += usize::from(!std::mem::replace(&mut seen[at], true));
        }
        let (row, column) = (root(&mut part, *row), root(&mut part, rows + column));
        part[row] = column;
    }
    let parts = (0..part.len()).filter(|at| seen[*at] && root(&mut part, *at) == *at);
    count - parts.count()
}

/// The squares that the best sum of two effects leaves: each in turn is fitted to what the other one leaves.
fn added(a: &[usize], b: &[usize], numbers: &[f64]) -> f64 {
    let mut left = numbers.to_vec();
    let mut squares = f64::INFINITY;
    for _ in 0..ROUNDS {
        take_means(a, &mut left);
        take_means(b, &mut left);
        let now: f64 = left.iter().map(|number| number * number).sum();
        if squares - now <= 1e-7 * now {
            return now;
        }
        squares = now;
    }
    squares
}

fn take_means(groups: &[usize], numbers: &mut [f64]) {
    let most = groups.iter().max().map_or(0, |most| most + 1);
    let mut sums = vec![(0.0, 0.0); most];
    for (group, number) in groups.iter().zip(numbers.iter()) {
        sums[*group].0 += number;
        sums[*group].1 += 1.0;
    }
    for (group, number) in groups.iter().zip(numbers) {
        *number -= sums[*group].0 / sums[*group].1;
    }
}
