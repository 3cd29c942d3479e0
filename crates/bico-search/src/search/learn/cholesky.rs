//! Triangular matrices, row by row: all that the model needs of linear algebra.
//!
//! Here, and where else the model computes most, loops count and take elements of slices: a build script is compiled without
//! optimisation, and each element that an iterator gives costs some calls there.

/// Factors a symmetric matrix, of which only the lower triangle is read, in place. `false` if it is
/// not positive definite.
pub(super) fn factor(rows: &mut [Vec<f64>]) -> bool {
    for i in 0..rows.len() {
        let (above, rest) = rows.split_at_mut(i);
        let row = &mut rest[0];
        for (j, other) in above.iter().enumerate() {
            let product = dot(&row[..j], &other[..j]);
            row[j] = (row[j] - product) / other[j];
        }
        let left = row[i] - dot(&row[..i], &row[..i]);
        if left.is_nan() || left <= 0.0 {
            return false;
        }
        row[i] = left.sqrt();
    }
    true
}

/// Solves `L x = b` in place.
pub(super) fn solve(rows: &[Vec<f64>], b: &mut [f64]) {
    for (i, row) in rows.iter().enumerate().take(b.len()) {
        b[i] = (b[i] - dot(&row[..i], &b[..i])) / row[i];
    }
}

/// The sum of products, in four parts that a processor adds up at once.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (mut sums, mut at) = ([0.0; 4], 0);
    let count = a.len();
    let b = &b[..count];
    while at + 4 <= count {
        sums[0] += a[at] * b[at];
        sums[1] += a[at + 1] * b[at + 1];
        sums[2] += a[at + 2] * b[at + 2];
        sums[3] += a[at + 3] * b[at + 3];
        at += 4;
    }
    let mut sum = sums[0] + sums[1] + sums[2] + sums[3];
    while at < count {
        sum += a[at] * b[at];
        at += 1;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_and_solves() {
        let mut rows = vec![vec![4.0], vec![2.0, 5.0], vec![0.0, 4.0, 5.0]];
        assert!(factor(&mut rows));
        assert_eq!(rows, [vec![2.0], vec![1.0, 2.0], vec![0.0, 2.0, 1.0]]);
        let mut b = [2.0, 5.0, 5.0];
        solve(&rows, &mut b);
        assert_eq!(b, [1.0, 2.0, 1.0]);
    }

    #[test]
    fn says_what_is_not_positive_definite() {
        assert!(!factor(&mut [vec![1.0], vec![1.0, 1.0]]));
        assert!(!factor(&mut [vec![f64::NAN]]));
    }
}
