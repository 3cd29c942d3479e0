//! How well a ranking agrees with what was measured.

use crate::ascending;
use bico_core::Lists;

/// Spearman's rank correlation of two rows of numbers; equal numbers share their mean rank.
///
/// `None` for fewer than two pairs, or where one side is all equal.
pub fn spearman(a: &[f64], b: &[f64]) -> Option<f64> {
    let n = a.len().min(b.len());
    if n < 2 {
        return None;
    }
    let (a, b) = (ranks(&a[..n]), ranks(&b[..n]));
    // The mean rank is the same on both sides, ties or not.
    let mean = (n as f64 + 1.0) / 2.0;
    let product = |x: &[f64], y: &[f64]| -> f64 {
        x.iter().zip(y).map(|(x, y)| (x - mean) * (y - mean)).sum()
    };
    let spread = (product(&a, &a) * product(&b, &b)).sqrt();
    (spread > 0.0).then(|| product(&a, &b) / spread)
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect_vec();
    ascending(&mut order, &|at| values[*at]);
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    for equal in order.chunk_by(|a, b| values[*a] == values[*b]) {
        for at in equal {
            ranks[*at] = start as f64 + (equal.len() as f64 + 1.0) / 2.0;
        }
        start += equal.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_all_that_counts() {
        assert_eq!(spearman(&[1.0, 2.0, 3.0], &[1.0, 10.0, 11.0]), Some(1.0));
        assert_eq!(spearman(&[1.0, 2.0, 3.0], &[3.0, 2.0, -8.0]), Some(-1.0));
        assert_eq!(spearman(&[1.0], &[3.0]), None);
        assert_eq!(spearman(&[1.0, 1.0], &[3.0, 4.0]), None);
    }

    #[test]
    fn ties_share_their_rank() {
        assert_eq!(ranks(&[5.0, 1.0, 5.0, 9.0]), [2.5, 1.0, 2.5, 4.0]);
        // By hand: ranks 1, 2.5, 2.5, 4 against 1, 3, 2, 4.
        let r = spearman(&[1.0, 2.0, 2.0, 3.0], &[1.0, 3.0, 2.0, 4.0]).unwrap();
        assert!((r - 4.5 / (4.5f64 * 5.0).sqrt()).abs() < 1e-12);
    }
}
