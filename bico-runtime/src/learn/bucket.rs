//! Which sizes share what they know: those that round to the same powers of two.

use crate::dispatch::log2;

/// A bucket of sizes, of one combination of compile-time constants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bucket {
    pub(crate) variant: u16,
    /// The rounded logarithm to base two of each size, by [`rounded`].
    pub(crate) logs: Box<[i64]>,
}

/// The logarithm of a size in whole octaves: 96 to 191 are one bucket. Zero and negative numbers are far from all others.
#[inline]
fn octave(size: i64) -> i64 {
    // `log2` counts from a constant; rounding is at one and a half powers of two, which is near enough
    // to the middle.
    (log2(size) - log2(1) + (1 << 15)) >> 16
}

impl Bucket {
    pub(crate) fn new(variant: u16, sizes: &[i64]) -> Bucket {
        let logs = sizes.iter().map(|&size| octave(size)).collect();
        Bucket { variant, logs }
    }

    /// Whether sizes belong to it.
    #[inline]
    pub(crate) fn holds(&self, variant: u16, sizes: &[i64]) -> bool {
        self.variant == variant
            && self.logs.len() == sizes.len()
            && self
                .logs
                .iter()
                .zip(sizes)
                .all(|(log, size)| *log == octave(*size))
    }

    /// The squared distance to another one of the same constants, in octaves.
    pub(crate) fn distance(&self, variant: u16, logs: &[i64]) -> Option<f64> {
        let same = self.variant == variant && self.logs.len() == logs.len();
        let apart = |(a, b): (&i64, &i64)| (a.saturating_sub(*b) as f64).powi(2);
        same.then(|| self.logs.iter().zip(logs).map(apart).sum())
    }
}

/// Where to look for a bucket first, in a table of `2^bits` places.
#[inline]
pub(crate) fn hash(variant: u16, sizes: &[i64], bits: u32) -> usize {
    let mut hash = u64::from(variant);
    for &size in sizes {
        hash = (hash.rotate_left(5) ^ octave(size) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
    (hash >> (64 - bits)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_octave_around_each_power_of_two() {
        let of = |size| Bucket::new(0, &[size]);
        assert!(of(128).holds(0, &[96]) && of(128).holds(0, &[191]));
        assert!(!of(128).holds(0, &[95]) && !of(128).holds(0, &[192]));
        assert!(!of(128).holds(1, &[128]) && !of(128).holds(0, &[128, 1]));
        assert_eq!(of(1 << 40).logs[0], 40);
        for odd in [0, -1, -1024, i64::MIN, i64::MAX, 1] {
            assert!(of(odd).holds(0, &[odd]), "{odd}");
            assert!(!of(128).holds(0, &[odd]));
        }
        assert_eq!(of(1024).distance(0, &of(256).logs), Some(4.0));
        assert_eq!(of(1024).distance(1, &of(256).logs), None);
    }

    #[test]
    fn hashes_spread() {
        let mut seen = std::collections::BTreeSet::new();
        for m in 0..8 {
            for n in 0..8 {
                seen.insert(hash(0, &[1 << m, 1 << n], 6));
            }
        }
        assert!(seen.len() > 24, "{}", seen.len());
    }
}
