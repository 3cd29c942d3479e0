//! What all candidates share with observations: a column for each of these.

use bico_core::Lists;

/// What a candidate shares with some observations.
pub(super) fn row(shared: &[Vec<f32>], candidate: usize) -> Vec<f64> {
    let shared = shared.iter();
    shared
        .map(|shared| f64::from(shared[candidate]))
        .collect_vec()
}

/// The sum of products, in eight parts that a processor adds up at once.
pub(super) fn product(a: &[f32], b: &[f32]) -> f32 {
    let (eights, rest) = a.as_chunks::<8>();
    let (others, other_rest) = b.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for (a, b) in eights.iter().zip(others) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    let rest = rest.iter().zip(other_rest).map(|(a, b)| a * b);
    sums.into_iter().chain(rest).sum()
}

/// Takes off what candidates (`rest`, from the first on) share with some observations before one, given what that one
/// shares with each of them.
pub(super) fn reduce(row: &[f64], earlier: &[Vec<f32>], first: usize, rest: &mut [f32]) {
    add(&taken(row), earlier, first, rest);
}

/// What is added to take off what is shared.
pub(super) fn taken(row: &[f64]) -> Vec<f32> {
    row.iter().map(|share| -(*share as f32)).collect_vec()
}

/// Adds multiples of columns, from an entry on, to sums. Four columns are read at a time and added one after the other, so
/// that the sums are written less often.
pub(super) fn add(factors: &[f32], columns: &[Vec<f32>], first: usize, sums: &mut [f32]) {
    let fours = factors.chunks(4).zip(columns.chunks(4));
    for (factors, columns) in fours {
        if let ([f, g, h, i], [a, b, c, d]) = (factors, columns) {
            let abc = a[first..].iter().zip(&b[first..]).zip(&c[first..]);
            for (sum, (((a, b), c), d)) in sums.iter_mut().zip(abc.zip(&d[first..])) {
                *sum = *sum + f * a + g * b + h * c + i * d;
            }
            continue;
        }
        for (factor, column) in factors.iter().zip(columns) {
            for (sum, entry) in sums.iter_mut().zip(&column[first..]) {
                *sum += factor * entry;
            }
        }
    }
}

/// Scales what is left to candidates by an observation's own part, and takes it off their variance.
pub(super) fn scale(own: f64, first: usize, rest: &mut [f32], left: &mut [f64]) {
    let inverse = (1.0 / own) as f32;
    for (rest, left) in rest.iter_mut().zip(&mut left[first..]) {
        *rest *= inverse;
        *left -= f64::from(*rest * *rest);
    }
}
