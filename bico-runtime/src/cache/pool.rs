//! Evidence put together and taken apart: numbers, means and variances of calls.

use super::record::ArmRecord;

/// A number of observations, their mean and the sum of their squared distances from it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Moments {
    pub(super) count: u64,
    pub(super) mean: f64,
    pub(super) squares: f64,
}

impl Moments {
    pub(super) fn of(arm: &ArmRecord) -> Moments {
        Moments {
            count: arm.pulls,
            mean: arm.mean,
            squares: arm.variance * arm.pulls as f64,
        }
    }

    pub(super) fn variance(&self) -> f64 {
        self.squares / self.count as f64
    }

    /// Those of both sets of observations (Chan, Golub and LeVeque 1983).
    pub(super) fn plus(self, other: Moments) -> Moments {
        let count = self.count.saturating_add(other.count);
        let (a, b, n) = (self.count as f64, other.count as f64, count as f64);
        let distance = other.mean - self.mean;
        Moments {
            count,
            mean: self.mean + distance * b / n,
            squares: self.squares + other.squares + distance * distance * a * b / n,
        }
    }

    /// Those of the observations that are not in `part`; `None` if there are none.
    pub(super) fn less(self, part: Moments) -> Option<Moments> {
        let count = self.count.saturating_sub(part.count);
        if count == 0 {
            return None;
        }
        let (a, b, n) = (part.count as f64, count as f64, self.count as f64);
        let mean = self.mean + (self.mean - part.mean) * a / b;
        let distance = mean - part.mean;
        let squares = self.squares - part.squares - distance * distance * a * b / n;
        // Up to rounding, no squares are negative: else the part is none of the whole. A learner that saw all
        // its arms become slower has moved what it knew of them, say. Then the rest is like the whole.
        let is_part = squares >= -1e-6 * (self.squares + part.squares) - 1e-12 * n;
        Some(match is_part {
            true => Moments {
                count,
                mean,
                squares: squares.max(0.0),
            },
            false => Moments {
                count,
                squares: self.variance() * b,
                ..self
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(times: &[f64]) -> Moments {
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        Moments {
            count: times.len() as u64,
            mean,
            squares: times.iter().map(|time| (time - mean).powi(2)).sum(),
        }
    }

    fn close(a: Moments, b: Moments) -> bool {
        a.count == b.count
            && (a.mean - b.mean).abs() < 1e-7
            && (a.squares - b.squares).abs() < 1e-7 * (1.0 + a.squares)
    }

    proptest! {
        #[test]
        fn plus_is_as_if_all_were_seen_at_once(
            a in prop::collection::vec(-30.0..5.0, 1..50),
            b in prop::collection::vec(-30.0..5.0, 1..50),
        ) {
            let both = of(&[a.clone(), b.clone()].concat());
            prop_assert!(close(of(&a).plus(of(&b)), both));
            prop_assert!(close(of(&b).plus(of(&a)), both));
        }

        #[test]
        fn less_gives_back_what_was_added(
            a in prop::collection::vec(-30.0..5.0, 1..50),
            b in prop::collection::vec(-30.0..5.0, 1..50),
        ) {
            let rest = of(&a).plus(of(&b)).less(of(&a)).unwrap();
            prop_assert!(close(rest, of(&b)), "{rest:?} {:?}", of(&b));
        }
    }

    #[test]
    fn nothing_is_less_than_nothing() {
        let some = of(&[-9.0, -9.1]);
        assert_eq!(some.less(some), None);
        assert_eq!(some.less(some.plus(some)), None);
    }

    #[test]
    fn what_was_moved_is_no_part() {
        // A thousand calls, all moved by ln 2 when everything became slower, and one more.
        let before = Moments {
            count: 1000,
            mean: -9.0,
            squares: 10.0,
        };
        let after = Moments {
            count: 1001,
            mean: -9.0 + core::f64::consts::LN_2,
            squares: 10.0,
        };
        let rest = after.less(before).unwrap();
        assert_eq!((rest.count, rest.mean), (1, after.mean));
        assert!(rest.squares >= 0.0 && rest.squares < 0.02, "{rest:?}");
    }
}
