//! Whether results are right: |x - r| <= atol + rtol |r|, element by element.

use super::data::by_type;
use super::half::Half;
use super::tolerance::Tolerance;
use bico_device::measure::numbers;
use bico_syntax::Element;

/// Root mean square of the finite elements, the yardstick of the default absolute tolerance.
#[allow(clippy::unnecessary_cast)] // Not for every type.
pub(super) fn magnitude(element: Element, bytes: &[u8]) -> f64 {
    fn of<T: Copy>(values: &[T], to_f64: impl Fn(T) -> f64) -> f64 {
        let squares = |values: &[T]| {
            let (mut sum, mut at) = (0.0, 0);
            while at < values.len() {
                let value = to_f64(values[at]);
                sum += value * value;
                at += 1;
            }
            sum
        };
        let (mut sum, mut count) = (0.0, 0);
        let mut add = |part: &[T]| {
            let of = squares(part);
            if of.is_finite() {
                sum += of;
                count += part.len();
            }
            of.is_finite()
        };
        // A question for each element takes longer than the rest, in unoptimised builds.
        for part in values.chunks(1024) {
            if !add(part) {
                part.chunks(1).for_each(|one| _ = add(one));
            }
        }
        (sum / f64::max(count as f64, 1.0)).sqrt()
    }
    if let Some(half) = Half::of(element) {
        return of(numbers::<u16>(bytes), |v| half.value(v).into());
    }
    by_type!(
        element,
        Number => of(numbers::<Number>(bytes), |v| v as f64),
        _ => of(bytes, f64::from)
    )
}

/// Whether there is nothing but NaN in these.
pub(super) fn is_blank(element: Element, bytes: &[u8]) -> bool {
    fn of<T: Copy>(values: &[T], is_nan: impl Fn(T) -> bool) -> bool {
        !values.is_empty() && values.iter().all(|value| is_nan(*value))
    }
    match (Half::of(element), element) {
        (Some(half), _) => of(numbers::<u16>(bytes), |v| half.value(v).is_nan()),
        (_, Element::F32) => of(numbers::<f32>(bytes), f32::is_nan),
        (_, Element::F64) => of(numbers::<f64>(bytes), f64::is_nan),
        _ => false,
    }
}

/// What is wrong with `got`, for people; `None`: nothing. `magnitude` is that of `want`, `place` says where a number stands.
#[allow(clippy::unnecessary_cast)] // Not for every type.
pub(super) fn difference(
    place: &dyn Fn(usize) -> String,
    element: Element,
    got: &[u8],
    want: &[u8],
    tolerance: Tolerance,
    magnitude: f64,
) -> Option<String> {
    if got == want {
        return None;
    }
    let rtol = tolerance.rtol;
    let atol = tolerance.least(magnitude);
    let float = |x: f64, r: f64| {
        if tolerance.finite && !r.is_finite() {
            return true;
        }
        // Nearly always enough, and cheap in unoptimised builds; never true of a NaN or infinity.
        let off = x - r;
        if off <= atol && off >= -atol {
            return true;
        }
        // Infinities equal themselves; a NaN is right only where the reference has one.
        let close = off.abs() <= atol + rtol * r.abs() && r.is_finite();
        close || x == r || (x.is_nan() && r.is_nan())
    };
    let integer =
        |x: i128, r: i128| (x - r).unsigned_abs() as f64 <= atol + rtol * r.unsigned_abs() as f64;
    if let Some(half) = Half::of(element) {
        let value = |bits| half.value(bits);
        let close = |x, r| x == r || float(value(x).into(), value(r).into());
        return look(place, numbers::<u16>(got), numbers(want), value, close);
    }
    let (is_float, is_whole) = (element.is_float(), element.is_integer());
    by_type!(
        element,
        Number => {
            let close = |x: Number, r: Number| match is_float {
                true => float(x as f64, r as f64),
                // Truth values are exact.
                false => x == r || is_whole && integer(x as i128, r as i128),
            };
            look(place, numbers(got), numbers(want), |x| x, close)
        },
        _ => look(place, got, want, |x| x, |x, r| x == r)
    )
}

/// `value` is what people are shown.
fn look<T: Copy, V: std::fmt::Debug>(
    place: &dyn Fn(usize) -> String,
    got: &[T],
    want: &[T],
    value: impl Fn(T) -> V,
    close: impl Fn(T, T) -> bool,
) -> Option<String> {
    let (mut first, mut count, mut at) = (None, 0_usize, 0);
    while at < got.len() {
        if !close(got[at], want[at]) {
            first = first.or(Some(at));
            count += 1;
        }
        at += 1;
    }
    let first = first?;
    let others = match count {
        1 => String::new(),
        _ => format!(" ({count} of {} elements differ)", got.len()),
    };
    Some(format!(
        "{} is {:?}, expected {:?}{others}",
        place(first),
        value(got[first]),
        value(want[first])
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bico_device::measure::{Bytes, numbers_mut};

    fn floats(values: &[f32]) -> Bytes {
        let mut bytes = Bytes::zeroed(4 * values.len());
        numbers_mut::<f32>(bytes.as_mut_slice()).copy_from_slice(values);
        bytes
    }

    fn check(got: &[f32], want: &[f32], rtol: f64, atol: Option<f64>) -> Option<String> {
        let (got, want) = (floats(got), floats(want));
        let magnitude = magnitude(Element::F32, want.as_slice());
        difference(
            &|at| format!("c[{at}]"),
            Element::F32,
            got.as_slice(),
            want.as_slice(),
            Tolerance {
                rtol,
                atol,
                finite: false,
            },
            magnitude,
        )
    }

    #[test]
    fn tolerances() {
        assert_eq!(check(&[1.0, 2.0], &[1.0, 2.0], 0.0, None), None);
        assert_eq!(check(&[1.001], &[1.0], 0.0, Some(0.01)), None);
        assert_eq!(check(&[100.5], &[100.0], 0.01, Some(0.0)), None);
        // A tiny element beside large ones: the root mean square is the yardstick.
        assert_eq!(check(&[100.0, 0.01], &[100.0, 0.0], 1e-3, None), None);
        let said = check(&[1.0, 2.5, 9.0], &[1.0, 2.0, 3.0], 1e-3, None).unwrap();
        assert_eq!(said, "c[1] is 2.5, expected 2.0 (2 of 3 elements differ)");
    }

    #[test]
    fn floats_of_16_bits() {
        for element in [Element::F16, Element::Bf16] {
            let half = Half::of(element).unwrap();
            let check = |got: &[f64], want: &[f64], rtol| {
                let [got, want] = [got, want].map(|values| {
                    let mut bytes = Bytes::zeroed(2 * values.len());
                    for (to, value) in numbers_mut(bytes.as_mut_slice()).iter_mut().zip(values) {
                        *to = half.bits(*value);
                    }
                    bytes
                });
                let (got, want) = (got.as_slice(), want.as_slice());
                let magnitude = magnitude(element, want);
                let tolerance = Tolerance {
                    rtol,
                    atol: None,
                    finite: false,
                };
                difference(
                    &|at| format!("c[{at}]"),
                    element,
                    got,
                    want,
                    tolerance,
                    magnitude,
                )
            };
            let said = check(&[1.5, 1.0], &[2.0, 1.0], 1e-2);
            assert_eq!(said.as_deref(), Some("c[0] is 1.5, expected 2.0"));
            // The last bit, and less than the yardstick.
            assert_eq!(check(&[1.0078125], &[1.0], 1e-2), None);
            assert!(check(&[1.0078125], &[1.0], 1e-3).is_some());
            assert_eq!(check(&[100.0, 0.25], &[100.0, 0.0], 1e-2), None);
            assert_eq!(check(&[0.0], &[-0.0], 0.0), None);
            let (nan, inf) = (f64::NAN, f64::INFINITY);
            assert_eq!(check(&[nan, inf], &[-nan, inf], 1e-3), None);
            assert!(check(&[nan], &[1.0], 1e9).is_some());
            assert!(check(&[inf], &[1.0], 1e9).is_some());
        }
    }

    #[test]
    fn nan_and_infinity() {
        let (nan, inf) = (f32::NAN, f32::INFINITY);
        assert_eq!(
            check(&[nan, inf, -inf], &[-nan, inf, -inf], 1e-3, None),
            None
        );
        assert!(check(&[nan], &[1.0], 1e9, Some(1e9)).is_some());
        assert!(check(&[1.0], &[nan], 1e9, Some(1e9)).is_some());
        assert!(check(&[inf], &[-inf], 1.0, None).is_some());
        assert!(check(&[1.0], &[inf], 1.0, None).is_some());
    }

    #[test]
    fn integers_are_exact_by_default() {
        let bytes = |values: &[i64]| {
            let mut bytes = Bytes::zeroed(8 * values.len());
            numbers_mut::<i64>(bytes.as_mut_slice()).copy_from_slice(values);
            bytes
        };
        let exact = Tolerance {
            rtol: 0.0,
            atol: None,
            finite: false,
        };
        let differ = |got: i64, want: i64, tolerance| {
            difference(
                &|at| format!("n[{at}]"),
                Element::I64,
                bytes(&[got]).as_slice(),
                bytes(&[want]).as_slice(),
                tolerance,
                1.0,
            )
            .is_some()
        };
        assert!(differ(i64::MAX, i64::MAX - 1, exact));
        assert!(!differ(i64::MIN, i64::MIN, exact));
        assert!(!differ(
            10,
            11,
            Tolerance {
                rtol: 0.0,
                atol: Some(1.0),
                finite: false,
            }
        ));
        assert!(differ(
            i64::MIN,
            i64::MAX,
            Tolerance {
                rtol: 0.5,
                atol: None,
                finite: false,
            }
        ));
    }
}
