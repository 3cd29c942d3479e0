//! Whether two candidates' results agree: `verify(live = true)`.

use crate::rules::Tolerance;

/// An element of a buffer.
pub trait Number: Copy + PartialEq {
    /// Its value, rounded where it has more digits.
    fn real(self) -> f64;
}

macro_rules! numbers {
    ($($number:ty)*) => {$(
        impl Number for $number {
            fn real(self) -> f64 {
                self as f64
            }
        }
    )*};
}

numbers!(f32 f64 i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

/// Whether results lie within the tolerance of those compared with. What is the same agrees, whatever it is; two
/// that are no numbers agree.
pub fn agree<T: Number>(results: &[T], with: &[T], tolerance: Tolerance) -> bool {
    let atol = tolerance.atol.unwrap_or_else(|| {
        let squares = with.iter().map(|x| x.real() * x.real());
        let squares = squares.filter(|square| square.is_finite());
        tolerance.rtol * (squares.sum::<f64>() / with.len().max(1) as f64).sqrt()
    });
    results.len() == with.len()
        && results.iter().zip(with).all(|(&x, &r)| {
            let (same, x, r) = (x == r, x.real(), r.real());
            let close = || {
                (x.is_finite() && r.is_finite()) && (x - r).abs() <= atol + tolerance.rtol * r.abs()
            };
            same || (x.is_nan() && r.is_nan()) || close()
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn within(rtol: f64, atol: Option<f64>, x: &[f32], r: &[f32]) -> bool {
        agree(x, r, Tolerance { rtol, atol })
    }

    #[test]
    fn within_the_tolerance_and_no_further() {
        assert!(within(1e-3, Some(0.0), &[1.0005, -2.0], &[1.0, -2.0]));
        assert!(!within(1e-3, Some(0.0), &[1.002, -2.0], &[1.0, -2.0]));
        // Near zero by the size of the others.
        assert!(within(1e-3, None, &[1000.0, 0.5], &[1000.0, 0.0]));
        assert!(!within(1e-3, None, &[1000.0, 1.5], &[1000.0, 0.0]));
        assert!(agree(
            &[7u64],
            &[7],
            Tolerance {
                rtol: 0.0,
                atol: None
            }
        ));
        assert!(!agree(
            &[7u8],
            &[8],
            Tolerance {
                rtol: 0.0,
                atol: None
            }
        ));
        assert!(!within(1.0, None, &[1.0], &[]));
        assert!(within(1e-3, None, &[], &[]));
    }

    #[test]
    fn what_is_no_number_agrees_with_its_like_only() {
        let (nan, inf) = (f32::NAN, f32::INFINITY);
        assert!(within(1e-3, None, &[nan, inf, -inf], &[nan, inf, -inf]));
        assert!(!within(1e-3, None, &[nan], &[1.0]));
        assert!(!within(1e-3, None, &[1.0], &[nan]));
        assert!(!within(1e-3, None, &[inf], &[-inf]));
        assert!(!within(1e-3, Some(0.0), &[inf], &[1.0]));
    }
}
