//! Why an expression has no value.

use crate::Value;
use core::fmt;

/// An operation that has no result for its operands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EvalError {
    /// What was attempted.
    pub operation: Operation,
    /// The left or only operand.
    pub left: Value,
    /// The right operand, where there is one.
    pub right: Option<Value>,
    /// What is wrong.
    pub fault: Fault,
}

/// What an [`EvalError`] attempted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Operation {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Neg,
    Not,
    Compare,
    Condition,
    Match,
    Length,
    /// A number of `launch`: blocks, threads, bytes.
    Extent,
    /// A method, by its name.
    Method(&'static str),
    /// `as`, by its target.
    Cast(&'static str),
    /// Taking over a Rust integer of a wider range.
    Lift,
    /// `device.NAME`.
    Device(&'static str),
}

/// What is wrong with the operands of an [`EvalError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Fault {
    Overflow,
    DivisionByZero,
    NegativeExponent,
    NotPositive,
    Negative,
    BeyondU32,
    Misfit,
    NotFinite,
    NotAnInteger,
    NotANumber,
    NotABool,
    NotAString,
    DifferentTypes,
    NoArm,
    NoSuchField,
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let a = self.left;
        match (self.operation, self.right) {
            (Operation::Add, Some(b)) => write!(f, "attempt to add {a} and {b}")?,
            (Operation::Sub, Some(b)) => write!(f, "attempt to subtract {b} from {a}")?,
            (Operation::Mul, Some(b)) => write!(f, "attempt to multiply {a} by {b}")?,
            (Operation::Div, Some(b)) => write!(f, "attempt to divide {a} by {b}")?,
            (Operation::Rem, Some(b)) => {
                write!(f, "attempt to take the remainder of {a} divided by {b}")?;
            }
            (Operation::Compare, Some(b)) => write!(f, "attempt to compare {a} with {b}")?,
            (Operation::Method(name), argument) => {
                let argument = argument.map_or(String::new(), |b| b.to_string());
                // Negative numbers stand in parentheses before a dot, as Rust wants them.
                let receiver = match a.to_string() {
                    negative if negative.starts_with('-') => format!("({negative})"),
                    other => other,
                };
                write!(f, "attempt to compute {receiver}.{name}({argument})")?;
            }
            (Operation::Neg, _) => write!(f, "attempt to negate {a}")?,
            (Operation::Not, _) => write!(f, "attempt to compute !{a}")?,
            (Operation::Cast(target), _) => write!(f, "attempt to compute {a} as {target}")?,
            (Operation::Condition, _) => write!(f, "attempt to use {a} as a condition")?,
            (Operation::Match, _) => write!(f, "attempt to match {a}")?,
            (Operation::Length, _) => write!(f, "attempt to use {a} as a number of elements")?,
            (Operation::Extent, _) => write!(f, "attempt to use {a} as an extent of a launch")?,
            (Operation::Lift, _) => write!(f, "attempt to use an integer beyond {a}")?,
            (Operation::Device(field), _) => write!(f, "attempt to read device.{field}")?,
            // Every operation above with two operands is made with two.
            (_, None) => write!(f, "attempt to compute with {a}")?,
        }
        f.write_str(match self.fault {
            Fault::Overflow => ": overflows i64",
            Fault::DivisionByZero => ": division by zero",
            Fault::NegativeExponent => ": the exponent is negative",
            Fault::NotPositive => ": it is not positive",
            Fault::Negative => ": it is negative",
            Fault::Misfit => ": it does not fit",
            Fault::BeyondU32 => ": it does not fit 32 bits",
            Fault::NotFinite => ": the result is not a finite number",
            Fault::NotAnInteger => ": it is not an integer",
            Fault::NotANumber => ": it is not a number",
            Fault::NotABool => ": it is not a bool",
            Fault::NotAString => ": it is not a string",
            Fault::DifferentTypes => ": the types differ (use `as f64` or `as i64`)",
            Fault::NoArm => ": no arm matches (add `_ => ..`)",
            Fault::NoSuchField => ": this device has no such field",
        })
    }
}

impl std::error::Error for EvalError {}
