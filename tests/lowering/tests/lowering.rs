//! What the macro's closures compute is what the build's interpreter computed for the same
//! expressions and values. `build.rs` drew them.

use bico::__private::{EvalError, Scope};
use bico::Value;
use std::collections::BTreeMap;

#[path = "../sets.rs"]
mod sets;

type Outcome = Result<Value, EvalError>;

/// One expression.
struct Case {
    /// Its arithmetic, type and root.
    shape: &'static str,
    text: &'static str,
    evaluate: fn(f32, bool, &Scope<'_>) -> Outcome,
    /// The interpreter's value, or its message, for each set.
    expected: &'static [Result<Value, &'static str>],
}

impl Case {
    fn evaluate(&self, set: &sets::Set) -> Outcome {
        let names = Scope {
            device: &set.device,
            parameters: &set.parameters,
            sizes: &set.sizes,
            consts: &set.consts,
            vector_bits: 0,
            registers: 0,
        };
        (self.evaluate)(set.scope, set.flag, &names)
    }
}

/// The expressions, in a scope like that of a user's file.
#[allow(unused_variables, reason = "few expressions name all arguments")]
mod cases {
    use super::sets::*;
    use super::{Case, Outcome};
    use bico::__private::Scope;
    use bico::Value;

    const __BICO_CONSTS: [usize; 3] = CONSTS;

    include!(concat!(env!("OUT_DIR"), "/cases.rs"));

    pub(super) fn all() -> &'static [Case] {
        &CASES
    }
}

/// Bits, not numbers: zeros have signs.
fn same(a: Value, b: Value) -> bool {
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
        _ => a == b,
    }
}

#[test]
fn closures_compute_what_the_build_computes() {
    let sets = sets::sets();
    let mut differences = Vec::new();
    for case in cases::all() {
        assert_eq!(case.expected.len(), sets.len(), "{}", case.text);
        for (at, (set, expected)) in sets.iter().zip(case.expected).enumerate() {
            let found = case.evaluate(set);
            let agrees = match (&found, expected) {
                (Ok(found), Ok(expected)) => same(*found, *expected),
                // The interpreter says where, too; what failed must be the same operation.
                (Err(found), Err(expected)) => expected.contains(&found.to_string()),
                _ => false,
            };
            if !agrees {
                differences.push(format!(
                    "set {at}: {}\n  closure:     {found:?}\n  interpreter: {expected:?}",
                    case.text
                ));
            }
        }
    }
    assert!(
        differences.is_empty(),
        "{} differences:\n{}",
        differences.len(),
        differences.join("\n")
    );
}

/// A draw in which an operation always fails, or only ever meets one value, would compare nothing.
#[test]
fn every_operation_has_values_and_many_fail() {
    let mut values: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let (mut all, mut failed) = (0, 0);
    for case in cases::all() {
        let of_shape = values.entry(case.shape).or_default();
        for expected in case.expected {
            all += 1;
            match expected {
                Ok(value) => of_shape.push(value.to_string()),
                Err(_) => failed += 1,
            }
        }
    }
    for (shape, values) in &mut values {
        values.sort_unstable();
        values.dedup();
        assert!(values.len() > 1, "{shape} has no values but {values:?}");
    }
    assert!(
        failed * 10 > all && failed * 2 < all,
        "{failed} of {all} evaluations fail"
    );
}
