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
