//! Which sizes share what they know: those that round to the same powers of two.

/// A bucket of sizes, of one combination of compile-time constants.
pub(crate) struct Bucket {
    pub(crate) variant: u16,
    /// The logarithm of each size, by [`octave`].
    pub(crate) logs: Box<[i64]>,
}

/// The logarithm to base two of a size, rounded: 86 to 170 are one octave, around 128. Zero and negative numbers are
/// far from all others.
#[inline(always)]
pub(crate) fn octave(size: i64) -> i64 {
    // Half as much again, cut: rounding at two thirds and four thirds of a power of two.
    let more = (size as u64).wrapping_add(size as u64 >> 1);
    match size {
        1.. => i64::from(63 - more.leading_zeros()),
        0 => -64,
        _ => -128,
    }
}

impl Bucket {
    pub(crate) fn new(variant: u16, sizes: &[i64]) -> Bucket {
        let logs = sizes.iter().map(|&size| octave(size)).collect();
        Bucket { variant, logs }
    }

    /// Whether sizes belong to it.
    pub(crate) fn holds(&self, variant: u16, sizes: &[i64]) -> bool {
        let logs = sizes.iter().map(|&size| octave(size));
        self.variant == variant && logs.eq(self.logs.iter().copied())
    }

    /// The squared distance to another one of the same constants, in octaves.
    pub(crate) fn distance(&self, variant: u16, logs: &[i64]) -> Option<f64> {
        let same = self.variant == variant && self.logs.len() == logs.len();
        let apart = |(a, b): (&i64, &i64)| (a.saturating_sub(*b) as f64).powi(2);
        same.then(|| self.logs.iter().zip(logs).map(apart).sum())
    }
}

/// What tells buckets apart; its upper bits are spread best. Two of one variant that share it (one pair in 10^19) share what they learn.
#[inline(always)]
pub(crate) fn hash(variant: u16, sizes: &[i64]) -> u64 {
    let mut hash = u64::from(variant);
    for &size in sizes {
        hash = (hash ^ octave(size) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_octave_around_each_power_of_two() {
        let of = |size| Bucket::new(0, &[size]);
        assert!(of(128).holds(0, &[86]) && of(128).holds(0, &[170]));
        assert!(!of(128).holds(0, &[85]) && !of(128).holds(0, &[171]));
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
                seen.insert(hash(0, &[1 << m, 1 << n]) >> 58);
            }
        }
        assert!(seen.len() > 24, "{}", seen.len());
    }
}
