//! What each operation of an expression means: the one definition, for the macro's closures and
//! for the build's interpreter.
//!
//! Integers are `i64` and every result that does not fit is an error. Real numbers follow IEEE 754
//! as long as the result is finite; infinity and NaN are errors, so that nothing downstream has to
//! think of them. `Int` and `Float` do not mix but in comparisons, which compare the numbers. On
//! whole numbers the real counterpart of a method gives the same number.

use crate::Value;
use crate::{EvalError, Fault, Operation};
use core::cmp::Ordering;

type Outcome = Result<Value, EvalError>;

// Errors are made in place: what throws them away (`long_enough`) then has nothing left of them, and
// where they are kept, what turns them into words is the cold part.

#[inline(always)]
fn fail2(operation: Operation, a: Value, b: Value, fault: Fault) -> EvalError {
    EvalError {
        operation,
        left: a,
        right: Some(b),
        fault,
    }
}

#[inline(always)]
fn fail1(operation: Operation, a: Value, fault: Fault) -> EvalError {
    EvalError {
        operation,
        left: a,
        right: None,
        fault,
    }
}

/// For operands that are not two numbers of one kind.
#[inline(always)]
fn mixed(operation: Operation, a: Value, b: Value) -> EvalError {
    let number = |v| matches!(v, Value::Int(_) | Value::Float(_));
    let fault = if number(a) && number(b) {
        Fault::DifferentTypes
    } else {
        Fault::NotANumber
    };
    fail2(operation, a, b, fault)
}

#[inline(always)]
fn int2(operation: Operation, a: Value, b: Value, result: Option<i64>) -> Outcome {
    match result {
        Some(v) => Ok(Value::Int(v)),
        None => Err(fail2(operation, a, b, Fault::Overflow)),
    }
}

#[inline(always)]
fn float2(operation: Operation, a: Value, b: Value, result: f64) -> Outcome {
    if result.is_finite() {
        Ok(Value::Float(result))
    } else {
        Err(fail2(operation, a, b, Fault::NotFinite))
    }
}

macro_rules! arithmetic {
    ($($(#[$doc:meta])* $name:ident $operation:ident $checked:ident $float:tt)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub fn $name(a: Value, b: Value) -> Outcome {
            match (a, b) {
                (Value::Int(x), Value::Int(y)) => int2(Operation::$operation, a, b, x.$checked(y)),
                (Value::Float(x), Value::Float(y)) => float2(Operation::$operation, a, b, x $float y),
                _ => Err(mixed(Operation::$operation, a, b)),
            }
        }
    )*};
}

arithmetic! {
    /// `a + b`
    add Add checked_add +
    /// `a - b`
    sub Sub checked_sub -
    /// `a * b`
    mul Mul checked_mul *
}

macro_rules! division {
    ($($(#[$doc:meta])* $name:ident $operation:expr, |$x:ident, $y:ident| $int:expr, $float:expr;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub fn $name(a: Value, b: Value) -> Outcome {
            match (a, b) {
                (Value::Int(_), Value::Int(0)) => Err(fail2($operation, a, b, Fault::DivisionByZero)),
                (Value::Int($x), Value::Int($y)) => int2($operation, a, b, $int),
                (Value::Float(_), Value::Float(0.0)) => {
                    Err(fail2($operation, a, b, Fault::DivisionByZero))
                }
                (Value::Float($x), Value::Float($y)) => float2($operation, a, b, $float),
                _ => Err(mixed($operation, a, b)),
            }
        }
    )*};
}

division! {
    /// `a / b`; integers truncate.
    div Operation::Div, |x, y| x.checked_div(y), x / y;
    /// `a % b`, with the sign of `a`.
    rem Operation::Rem, |x, y| x.checked_rem(y), x % y;
    /// The smallest whole number that is not below the quotient.
    div_ceil Operation::Method("div_ceil"), |x, y| ceil(x, y), (x / y).ceil();
}

#[inline(always)]
fn ceil(x: i64, y: i64) -> Option<i64> {
    let quotient = x.checked_div(y)?;
    // Truncation rounds a negative quotient up already.
    Some(if x % y != 0 && (x < 0) == (y < 0) {
        quotient + 1
    } else {
        quotient
    })
}

/// `-a`
#[inline(always)]
pub fn neg(a: Value) -> Outcome {
    match a {
        Value::Int(x) => match x.checked_neg() {
            Some(v) => Ok(Value::Int(v)),
            None => Err(fail1(Operation::Neg, a, Fault::Overflow)),
        },
        Value::Float(x) => Ok(Value::Float(-x)),
        _ => Err(fail1(Operation::Neg, a, Fault::NotANumber)),
    }
}

/// `!a`, of a bool.
#[inline(always)]
pub fn not(a: Value) -> Outcome {
    match a {
        Value::Bool(x) => Ok(Value::Bool(!x)),
        _ => Err(fail1(Operation::Not, a, Fault::NotABool)),
    }
}

/// The order of two numbers; `None` only with NaN, which a `const` of the file may be.
#[inline(always)]
fn order(a: Value, b: Value) -> Result<Option<Ordering>, EvalError> {
    match (a, b) {
        (Value::Int(x), Value::Int(y)) => Ok(Some(x.cmp(&y))),
        (Value::Float(x), Value::Float(y)) => Ok(x.partial_cmp(&y)),
        (Value::Int(x), Value::Float(y)) => Ok(int_float(x, y)),
        (Value::Float(x), Value::Int(y)) => Ok(int_float(y, x).map(Ordering::reverse)),
        _ => Err(fail2(Operation::Compare, a, b, Fault::NotANumber)),
    }
}

/// Exact also where `i64` has more digits than `f64`.
fn int_float(x: i64, y: f64) -> Option<Ordering> {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if y.is_nan() {
        None
    } else if y >= LIMIT {
        Some(Ordering::Less)
    } else if y < -LIMIT {
        Some(Ordering::Greater)
    } else {
        let whole = y.trunc();
        Some(
            x.cmp(&(whole as i64))
                .then(0.0_f64.total_cmp(&(y - whole + 0.0))),
        )
    }
}

#[inline(always)]
fn equal(a: Value, b: Value) -> Result<bool, EvalError> {
    match (a, b) {
        (Value::Bool(x), Value::Bool(y)) => Ok(x == y),
        (Value::Str(x), Value::Str(y)) => Ok(x == y),
        (Value::Bool(_) | Value::Str(_), _) | (_, Value::Bool(_) | Value::Str(_)) => {
            Err(fail2(Operation::Compare, a, b, Fault::DifferentTypes))
        }
        _ => Ok(order(a, b)? == Some(Ordering::Equal)),
    }
}

/// `a == b`
#[inline(always)]
pub fn eq(a: Value, b: Value) -> Outcome {
    equal(a, b).map(Value::Bool)
}

/// `a != b`
#[inline(always)]
pub fn ne(a: Value, b: Value) -> Outcome {
    equal(a, b).map(|equal| Value::Bool(!equal))
}

macro_rules! comparisons {
    ($($(#[$doc:meta])* $name:ident => $pattern:pat,)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub fn $name(a: Value, b: Value) -> Outcome {
            Ok(Value::Bool(matches!(order(a, b)?, $pattern)))
        }
    )*};
}

comparisons! {
    /// `a < b`
    lt => Some(Ordering::Less),
    /// `a <= b`
    le => Some(Ordering::Less | Ordering::Equal),
    /// `a > b`
    gt => Some(Ordering::Greater),
    /// `a >= b`
    ge => Some(Ordering::Greater | Ordering::Equal),
}

/// The smaller one.
#[inline(always)]
pub fn min(a: Value, b: Value) -> Outcome {
    match (a, b) {
        (Value::Int(x), Value::Int(y)) => Ok(Value::Int(x.min(y))),
        (Value::Float(x), Value::Float(y)) => Ok(Value::Float(x.min(y))),
        _ => Err(mixed(Operation::Method("min"), a, b)),
    }
}

/// The greater one.
#[inline(always)]
pub fn max(a: Value, b: Value) -> Outcome {
    match (a, b) {
        (Value::Int(x), Value::Int(y)) => Ok(Value::Int(x.max(y))),
        (Value::Float(x), Value::Float(y)) => Ok(Value::Float(x.max(y))),
        _ => Err(mixed(Operation::Method("max"), a, b)),
    }
}

/// `a` to the power of `b`. An integer takes no negative exponent.
#[inline(always)]
pub fn pow(a: Value, b: Value) -> Outcome {
    let operation = Operation::Method("pow");
    match (a, b) {
        (Value::Int(_), Value::Int(y)) if y < 0 => {
            Err(fail2(operation, a, b, Fault::NegativeExponent))
        }
        (Value::Int(x), Value::Int(y)) => int2(operation, a, b, int_pow(x, y)),
        (Value::Float(x), Value::Float(y)) => float2(operation, a, b, x.powf(y)),
        _ => Err(mixed(operation, a, b)),
    }
}

#[inline(always)]
fn int_pow(x: i64, y: i64) -> Option<i64> {
    match u32::try_from(y) {
        Ok(y) => x.checked_pow(y),
        // Only these survive such an exponent.
        Err(_) => match x {
            0 | 1 => Some(x),
            -1 => Some(if y % 2 == 0 { 1 } else { -1 }),
            _ => None,
        },
    }
}

/// The absolute value.
#[inline(always)]
pub fn abs(a: Value) -> Outcome {
    match a {
        Value::Int(x) => match x.checked_abs() {
            Some(v) => Ok(Value::Int(v)),
            None => Err(fail1(Operation::Method("abs"), a, Fault::Overflow)),
        },
        Value::Float(x) => Ok(Value::Float(x.abs())),
        _ => Err(fail1(Operation::Method("abs"), a, Fault::NotANumber)),
    }
}

/// Whether `b` divides `a`. Only zero is a multiple of zero.
#[inline(always)]
pub fn is_multiple_of(a: Value, b: Value) -> Outcome {
    match (a, b) {
        (Value::Int(x), Value::Int(0)) => Ok(Value::Bool(x == 0)),
        // Wrapping: `i64::MIN % -1` is zero, but the plain operator overflows on its way.
        (Value::Int(x), Value::Int(y)) => Ok(Value::Bool(x.wrapping_rem(y) == 0)),
        (Value::Float(x), Value::Float(0.0)) => Ok(Value::Bool(x == 0.0)),
        (Value::Float(x), Value::Float(y)) => Ok(Value::Bool(x % y == 0.0)),
        _ => Err(mixed(Operation::Method("is_multiple_of"), a, b)),
    }
}

/// Whether it is 1, 2, 4, 8, ...
#[inline(always)]
pub fn is_power_of_two(a: Value) -> Outcome {
    match a {
        Value::Int(x) => Ok(Value::Bool(x > 0 && x & (x - 1) == 0)),
        Value::Float(x) => Ok(Value::Bool(x >= 1.0 && x.is_finite() && mantissa(x) == 0)),
        _ => Err(fail1(
            Operation::Method("is_power_of_two"),
            a,
            Fault::NotANumber,
        )),
    }
}

/// The greatest whole number that is not above the logarithm to base two.
#[inline(always)]
pub fn ilog2(a: Value) -> Outcome {
    let operation = Operation::Method("ilog2");
    match a {
        Value::Int(x) => match x.checked_ilog2() {
            Some(v) => Ok(Value::Int(i64::from(v))),
            None => Err(fail1(operation, a, Fault::NotPositive)),
        },
        Value::Float(x) if x > 0.0 && x.is_finite() => Ok(Value::Float(exponent(x))),
        Value::Float(_) => Err(fail1(operation, a, Fault::NotPositive)),
        _ => Err(fail1(operation, a, Fault::NotANumber)),
    }
}

/// The smallest of 1, 2, 4, 8, ... that is not below `a`.
#[inline(always)]
pub fn next_power_of_two(a: Value) -> Outcome {
    let operation = Operation::Method("next_power_of_two");
    match a {
        Value::Int(x) if x < 0 => Err(fail1(operation, a, Fault::Negative)),
        Value::Int(x) => match x.unsigned_abs().next_power_of_two().try_into() {
            Ok(v) => Ok(Value::Int(v)),
            Err(_) => Err(fail1(operation, a, Fault::Overflow)),
        },
        Value::Float(x) if x < 0.0 => Err(fail1(operation, a, Fault::Negative)),
        Value::Float(x) if !x.is_finite() => Err(fail1(operation, a, Fault::NotFinite)),
        Value::Float(x) if x <= 1.0 => Ok(Value::Float(1.0)),
        Value::Float(x) if mantissa(x) == 0 => Ok(a),
        Value::Float(x) => {
            let result = (exponent(x) + 1.0).exp2();
            if result.is_finite() {
                Ok(Value::Float(result))
            } else {
                Err(fail1(operation, a, Fault::NotFinite))
            }
        }
        _ => Err(fail1(operation, a, Fault::NotANumber)),
    }
}

const MANTISSA: u64 = (1 << 52) - 1;

#[inline(always)]
fn mantissa(x: f64) -> u64 {
    x.to_bits() & MANTISSA
}

/// The floor of log2 of a positive finite number, read off its bits: `f64::log2` differs by platform.
#[inline(always)]
fn exponent(x: f64) -> f64 {
    let biased = |x: f64| ((x.to_bits() >> 52) & 0x7ff) as f64 - 1023.0;
    if x >= f64::MIN_POSITIVE {
        biased(x)
    } else {
        biased(x * 64_f64.exp2()) - 64.0
    }
}

/// `a as f64`
#[inline(always)]
pub fn as_f64(a: Value) -> Outcome {
    match a {
        Value::Int(x) => Ok(Value::Float(x as f64)),
        Value::Float(_) => Ok(a),
        Value::Bool(x) => Ok(Value::Float(f64::from(u8::from(x)))),
        Value::Str(_) => Err(fail1(Operation::Cast("f64"), a, Fault::NotANumber)),
    }
}

/// `a as i64`: truncates; what does not fit is an error.
#[inline(always)]
pub fn as_i64(a: Value) -> Outcome {
    match a {
        Value::Int(_) => Ok(a),
        Value::Float(x) if (-9.223_372_036_854_776e18..9.223_372_036_854_776e18).contains(&x) => {
            Ok(Value::Int(x as i64))
        }
        Value::Float(_) => Err(fail1(Operation::Cast("i64"), a, Fault::Overflow)),
        Value::Bool(x) => Ok(Value::Int(i64::from(x))),
        Value::Str(_) => Err(fail1(Operation::Cast("i64"), a, Fault::NotANumber)),
    }
}

/// The truth of a condition.
#[inline(always)]
pub fn truth(a: Value) -> Result<bool, EvalError> {
    match a {
        Value::Bool(x) => Ok(x),
        _ => Err(fail1(Operation::Condition, a, Fault::NotABool)),
    }
}

/// A leaf of real arithmetic (`score`, `work`): an integer becomes a real number, all else stays.
/// The result of `as i64` is such a leaf, too.
#[inline(always)]
pub fn real(a: Value) -> Value {
    match a {
        Value::Int(x) => Value::Float(x as f64),
        _ => a,
    }
}

/// A result that has to be a number, as a real one.
#[inline(always)]
pub fn number(a: Value) -> Result<f64, EvalError> {
    match a {
        Value::Int(x) => Ok(x as f64),
        Value::Float(x) => Ok(x),
        _ => Err(fail1(Operation::Cast("f64"), a, Fault::NotANumber)),
    }
}

/// A result that has to be a number of elements.
#[inline(always)]
pub fn length(a: Value) -> Result<i64, EvalError> {
    match a {
        Value::Int(x) if x >= 0 => Ok(x),
        Value::Int(_) => Err(fail1(Operation::Length, a, Fault::Negative)),
        _ => Err(fail1(Operation::Length, a, Fault::NotAnInteger)),
    }
}

/// A result that has to be blocks, threads or bytes of a launch.
#[inline(always)]
pub fn extent(a: Value) -> Result<u32, EvalError> {
    match a {
        Value::Int(x) => match u32::try_from(x) {
            Ok(x) => Ok(x),
            Err(_) if x < 0 => Err(fail1(Operation::Extent, a, Fault::Negative)),
            Err(_) => Err(fail1(Operation::Extent, a, Fault::BeyondU32)),
        },
        _ => Err(fail1(Operation::Extent, a, Fault::NotAnInteger)),
    }
}

/// The error of a `match` without an arm for `a`.
pub fn no_arm(a: Value) -> EvalError {
    fail1(Operation::Match, a, Fault::NoArm)
}

/// `device.NAME`
pub fn field(device: &crate::device::Facts, name: &'static str) -> Outcome {
    device.field(name).ok_or_else(|| {
        fail1(
            Operation::Device(name),
            Value::Str(name),
            Fault::NoSuchField,
        )
    })
}

/// `device.has(a)`
pub fn has(device: &crate::device::Facts, a: Value) -> Outcome {
    match a {
        Value::Str(name) => Ok(Value::Bool(device.has(name))),
        _ => Err(fail1(Operation::Method("has"), a, Fault::NotAString)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const I: fn(i64) -> Value = Value::Int;
    const F: fn(f64) -> Value = Value::Float;

    type Two = fn(Value, Value) -> Outcome;
    type One = fn(Value) -> Outcome;

    const TWO: [Two; 16] = [
        add,
        sub,
        mul,
        div,
        rem,
        div_ceil,
        eq,
        ne,
        lt,
        le,
        gt,
        ge,
        min,
        max,
        pow,
        is_multiple_of,
    ];
    const ONE: [One; 8] = [
        neg,
        not,
        abs,
        is_power_of_two,
        ilog2,
        next_power_of_two,
        as_f64,
        as_i64,
    ];

    #[test]
    fn overflow_and_division() {
        let error = mul(I(3_037_000_500), I(3_037_000_500)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "attempt to multiply 3037000500 by 3037000500: overflows i64"
        );
        let fault = |outcome: Outcome| outcome.unwrap_err().fault;
        assert_eq!(fault(div(I(1), I(0))), Fault::DivisionByZero);
        assert_eq!(fault(div(I(i64::MIN), I(-1))), Fault::Overflow);
        assert_eq!(fault(rem(F(1.0), F(-0.0))), Fault::DivisionByZero);
        assert_eq!(fault(mul(F(1e200), F(1e200))), Fault::NotFinite);
        assert_eq!(fault(pow(I(2), I(-1))), Fault::NegativeExponent);
        assert_eq!(fault(add(I(1), F(1.0))), Fault::DifferentTypes);
        assert_eq!(fault(add(I(1), Value::Bool(true))), Fault::NotANumber);
        assert_eq!(fault(truth(I(1)).map(Value::Bool)), Fault::NotABool);
    }

    #[test]
    fn methods_on_integers() {
        assert_eq!(div_ceil(I(7), I(2)), Ok(I(4)));
        assert_eq!(div_ceil(I(-7), I(2)), Ok(I(-3)));
        assert_eq!(div_ceil(I(-7), I(-2)), Ok(I(4)));
        assert_eq!(pow(I(-1), I(i64::MAX)), Ok(I(-1)));
        assert_eq!(is_multiple_of(I(i64::MIN), I(-1)), Ok(Value::Bool(true)));
        assert_eq!(is_multiple_of(I(3), I(0)), Ok(Value::Bool(false)));
        assert_eq!(next_power_of_two(I(0)), Ok(I(1)));
        assert_eq!(next_power_of_two(I(1 << 62)), Ok(I(1 << 62)));
        assert_eq!(ilog2(I(0)).unwrap_err().fault, Fault::NotPositive);
        assert_eq!(as_i64(F(-2.9)), Ok(I(-2)));
        assert_eq!(as_i64(F(9.3e18)).unwrap_err().fault, Fault::Overflow);
    }

    #[test]
    fn extents_fit_32_bits() {
        assert_eq!(extent(I(0)), Ok(0));
        assert_eq!(extent(I(u32::MAX.into())), Ok(u32::MAX));
        let text = |x| extent(x).unwrap_err().to_string();
        assert_eq!(
            text(I(1 << 32)),
            "attempt to use 4294967296 as an extent of a launch: it does not fit 32 bits"
        );
        assert!(text(I(-1)).ends_with("it is negative"));
        assert!(text(F(1.0)).ends_with("it is not an integer"));
    }

    #[test]
    fn comparisons_across_kinds_are_exact() {
        let big = (1 << 53) + 1;
        assert_eq!(eq(I(big), F(big as f64)), Ok(Value::Bool(false)));
        assert_eq!(gt(I(big), F(big as f64)), Ok(Value::Bool(true)));
        assert_eq!(lt(I(-3), F(-2.5)), Ok(Value::Bool(true)));
        assert_eq!(gt(I(-2), F(-2.5)), Ok(Value::Bool(true)));
        assert_eq!(lt(I(i64::MAX), F(f64::INFINITY)), Ok(Value::Bool(true)));
        assert_eq!(le(I(0), F(f64::NAN)), Ok(Value::Bool(false)));
        assert_eq!(eq(I(0), F(-0.0)), Ok(Value::Bool(true)));
        assert!(eq(Value::Str("1"), I(1)).is_err());
    }

    fn value() -> impl Strategy<Value = Value> {
        let edges = [i64::MIN, i64::MIN + 1, -1, 0, 1, 2, 62, 63, 64, i64::MAX];
        let floats = [
            0.0,
            -0.0,
            5e-324,
            f64::MIN_POSITIVE,
            f64::MAX,
            f64::INFINITY,
            f64::NAN,
        ];
        prop_oneof![
            any::<i64>().prop_map(I),
            (-100..100i64).prop_map(I),
            proptest::sample::select(edges.to_vec()).prop_map(I),
            any::<f64>().prop_map(F),
            proptest::sample::select(floats.to_vec()).prop_map(F),
            any::<bool>().prop_map(Value::Bool),
            proptest::sample::select(vec!["", "avx2"]).prop_map(Value::Str),
        ]
    }

    proptest! {
        #[test]
        fn nothing_panics_and_errors_are_told(a in value(), b in value()) {
            for outcome in TWO.iter().map(|f| f(a, b)).chain(ONE.iter().map(|f| f(a))) {
                match outcome {
                    Ok(v) => prop_assert!(!v.to_string().is_empty()),
                    Err(error) => prop_assert!(error.to_string().starts_with("attempt to ")),
                }
            }
            let _ = (truth(a), number(a), length(a), no_arm(a), real(a));
        }

        /// Arithmetic makes no NaN or infinity out of numbers.
        #[test]
        fn results_are_finite(a in any::<f64>(), b in any::<f64>()) {
            prop_assume!(a.is_finite() && b.is_finite());
            for f in TWO {
                if let Ok(Value::Float(v)) = f(F(a), F(b)) {
                    prop_assert!(v.is_finite());
                }
            }
        }

        /// On whole numbers, real arithmetic says what integer arithmetic says.
        #[test]
        fn whole_numbers_agree(a in -100_000..100_000i64, b in -100_000..100_000i64) {
            let same: [Two; 13] =
                [add, sub, mul, rem, div_ceil, eq, ne, lt, le, gt, ge, min, is_multiple_of];
            for f in same.into_iter().chain([max as Two]) {
                let real = f(real(I(a)), real(I(b))).map_err(|e| e.fault);
                prop_assert_eq!(real, f(I(a), I(b)).map(super::real).map_err(|e| e.fault));
            }
            for f in [neg, abs, is_power_of_two, ilog2, next_power_of_two] as [One; 5] {
                let real = f(real(I(a))).map_err(|e| e.fault);
                prop_assert_eq!(real, f(I(a)).map(super::real).map_err(|e| e.fault));
            }
        }

        #[test]
        fn logarithms_of_reals(a in 5e-324..1e300f64) {
            let Ok(Value::Float(log)) = ilog2(F(a)) else { panic!() };
            // In two factors: 2^-1074 alone is no normal number.
            let half = (log / 2.0).trunc();
            prop_assert!(half.exp2() * (log - half).exp2() <= a);
            prop_assert!(a / half.exp2() / (log - half).exp2() < 2.0);
        }
    }
}
