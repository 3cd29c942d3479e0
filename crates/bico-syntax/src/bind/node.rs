//! The compact form of expressions: what is evaluated for each config.

#![allow(missing_docs)] // for our own crates

use crate::bind::fault::Fault;
use crate::{BinaryOp, Method, UnaryOp};
use bico_core::device::Facts;
use bico_core::{EvalError, Set, Value, ops};
use std::sync::Arc;

/// One operation, and where it stands.
#[derive(Debug, Clone)]
pub struct Node {
    pub code: Code,
    pub site: u32,
}

#[derive(Debug, Clone)]
pub enum Code {
    Value(Value),
    Slot(usize),
    /// A parameter in real arithmetic.
    RealSlot(usize),
    /// A `let`, counted from the innermost.
    Local(usize),
    Has(Box<Node>, Arc<Facts>),
    Unary(UnaryOp, Box<Node>),
    Binary(BinaryOp, Box<[Node; 2]>),
    If(Box<[Node; 3]>),
    Match(Box<Node>, Vec<(Vec<Test>, Node)>),
    Let(Box<[Node; 2]>),
    Method(Method, Box<Node>, Option<Box<Node>>),
    Cast(Box<Node>, CastTo),
    // Lists, for domains only: an `if`, a `match` or a `let` of one is one.
    List(Vec<Node>),
    /// Start and end; whether the end belongs to it.
    Range(Box<[Node; 2]>, bool),
    StepBy(Box<[Node; 2]>),
    PowersOfTwo(Box<Node>),
}

#[derive(Debug, Clone, Copy)]
pub enum CastTo {
    F64,
    I64,
    /// `as i64` in real arithmetic: truncated, and a leaf like any other.
    WholeF64,
}

/// A pattern of a `match`.
#[derive(Debug, Clone)]
pub enum Test {
    Equal(Value),
    Between(Value, Value),
    Any,
}

/// The `let`s around a node, innermost first.
#[derive(Clone, Copy)]
pub struct Locals<'a> {
    pub value: Value,
    pub outer: Option<&'a Locals<'a>>,
}

pub type Evaluated<T> = Result<T, Box<Fault>>;

impl Node {
    /// Adds the indices of the parameters that it reads.
    pub fn slots(&self, out: &mut Set<usize>) {
        match &self.code {
            Code::Value(_) | Code::Local(_) => {}
            Code::Slot(slot) | Code::RealSlot(slot) => drop(out.insert(*slot)),
            Code::Has(a, _) | Code::Unary(_, a) | Code::Cast(a, _) | Code::PowersOfTwo(a) => {
                a.slots(out)
            }
            Code::Binary(_, parts)
            | Code::Let(parts)
            | Code::Range(parts, _)
            | Code::StepBy(parts) => parts.iter().for_each(|part| part.slots(out)),
            Code::If(parts) => parts.iter().for_each(|part| part.slots(out)),
            Code::List(parts) => parts.iter().for_each(|part| part.slots(out)),
            Code::Match(value, arms) => {
                value.slots(out);
                arms.iter().for_each(|(_, arm)| arm.slots(out));
            }
            Code::Method(_, receiver, argument) => {
                receiver.slots(out);
                argument.iter().for_each(|argument| argument.slots(out));
            }
        }
    }

    /// The value at these parameters and `let`s.
    pub fn eval(&self, values: &[Value], locals: Option<&Locals<'_>>) -> Evaluated<Value> {
        let result = match &self.code {
            Code::Value(value) => return Ok(*value),
            Code::Slot(slot) => return Ok(values[*slot]),
            Code::RealSlot(slot) => return Ok(ops::real(values[*slot])),
            Code::Local(depth) => {
                let mut frame = locals;
                for _ in 0..*depth {
                    frame = frame.and_then(|f| f.outer);
                }
                let unknown = || self.fault("a `let` is not known here");
                return frame.map(|f| f.value).ok_or_else(unknown);
            }
            Code::Binary(op @ (BinaryOp::And | BinaryOp::Or), sides) => {
                let left = self.truth(sides[0].eval(values, locals)?)?;
                if left == (*op == BinaryOp::Or) {
                    return Ok(Value::Bool(left));
                }
                return self.truth(sides[1].eval(values, locals)?).map(Value::Bool);
            }
            Code::Binary(op, sides) => {
                let a = sides[0].eval(values, locals)?;
                let b = sides[1].eval(values, locals)?;
                binary(*op, a, b)
            }
            Code::Unary(op, a) => {
                let a = a.eval(values, locals)?;
                match op {
                    UnaryOp::Neg => ops::neg(a),
                    UnaryOp::Not => ops::not(a),
                }
            }
            Code::If(parts) => {
                let [condition, yes, no] = &**parts;
                return match self.truth(condition.eval(values, locals)?)? {
                    true => yes.eval(values, locals),
                    false => no.eval(values, locals),
                };
            }
            Code::Match(value, arms) => {
                let value = value.eval(values, locals)?;
                return self.arm(arms, value, self)?.eval(values, locals);
            }
            Code::Let(parts) => {
                let [bound, body] = &**parts;
                let value = bound.eval(values, locals)?;
                let outer = locals;
                return body.eval(values, Some(&Locals { value, outer }));
            }
            Code::Method(method, receiver, argument) => {
                let a = receiver.eval(values, locals)?;
                let b = argument.as_ref().map(|b| b.eval(values, locals));
                self::method(*method, a, b.transpose()?)
            }
            Code::Cast(a, cast) => {
                let a = a.eval(values, locals)?;
                match cast {
                    CastTo::F64 => ops::as_f64(a),
                    CastTo::I64 => ops::as_i64(a),
                    CastTo::WholeF64 => ops::as_i64(a).map(ops::real),
                }
            }
            Code::Has(feature, facts) => ops::has(facts, feature.eval(values, locals)?),
            Code::List(_) | Code::Range(..) | Code::StepBy(_) | Code::PowersOfTwo(_) => {
                return Err(self.fault("a list where one value is wanted"));
            }
        };
        result.map_err(|error| self.fault(error.to_string()))
    }

    pub fn truth(&self, value: Value) -> Evaluated<bool> {
        ops::truth(value).map_err(|error| self.fault(error.to_string()))
    }

    /// The arm that fits; `asks` whether one does.
    pub fn arm<'n>(
        &self,
        arms: &'n [(Vec<Test>, Node)],
        value: Value,
        asks: &Node,
    ) -> Evaluated<&'n Node> {
        for (tests, arm) in arms {
            if asks.matches(tests, value)? {
                return Ok(arm);
            }
        }
        Err(self.fault(ops::no_arm(value).to_string()))
    }

    /// Whether one of the alternatives of an arm fits.
    fn matches(&self, tests: &[Test], value: Value) -> Evaluated<bool> {
        for test in tests {
            let fits = match test {
                Test::Any => Ok(Value::Bool(true)),
                Test::Equal(wanted) => ops::eq(value, *wanted),
                Test::Between(low, high) => match ops::ge(value, *low) {
                    Ok(Value::Bool(true)) => ops::le(value, *high),
                    other => other,
                },
            };
            let fits = fits.map_err(|error| self.fault(error.to_string()))?;
            if self.truth(fits)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub fn fault(&self, message: impl Into<String>) -> Box<Fault> {
        Box::new(Fault {
            site: self.site,
            message: message.into(),
        })
    }

    pub fn constant(&self) -> Option<Value> {
        match self.code {
            Code::Value(value) => Some(value),
            _ => None,
        }
    }
}

pub fn binary(op: BinaryOp, a: Value, b: Value) -> Result<Value, EvalError> {
    match op {
        BinaryOp::Add => ops::add(a, b),
        BinaryOp::Sub => ops::sub(a, b),
        BinaryOp::Mul => ops::mul(a, b),
        BinaryOp::Div => ops::div(a, b),
        BinaryOp::Rem => ops::rem(a, b),
        BinaryOp::Eq => ops::eq(a, b),
        BinaryOp::Ne => ops::ne(a, b),
        BinaryOp::Lt => ops::lt(a, b),
        BinaryOp::Le => ops::le(a, b),
        BinaryOp::Gt => ops::gt(a, b),
        BinaryOp::Ge => ops::ge(a, b),
        BinaryOp::And => Ok(Value::Bool(ops::truth(a)? && ops::truth(b)?)),
        BinaryOp::Or => Ok(Value::Bool(ops::truth(a)? || ops::truth(b)?)),
    }
}

pub fn method(method: Method, a: Value, b: Option<Value>) -> Result<Value, EvalError> {
    match (method, b) {
        (Method::Abs, _) => ops::abs(a),
        (Method::IsPowerOfTwo, _) => ops::is_power_of_two(a),
        (Method::Ilog2, _) => ops::ilog2(a),
        (Method::NextPowerOfTwo, _) => ops::next_power_of_two(a),
        (Method::Min, Some(b)) => ops::min(a, b),
        (Method::Max, Some(b)) => ops::max(a, b),
        (Method::Pow, Some(b)) => ops::pow(a, b),
        (Method::DivCeil, Some(b)) => ops::div_ceil(a, b),
        (Method::IsMultipleOf, Some(b)) => ops::is_multiple_of(a, b),
        // The compiler checks the number of arguments.
        (_, None) => Ok(a),
    }
}
