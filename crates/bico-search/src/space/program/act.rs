//! What a vertex of the graph does, and what kind of values that makes.

use super::graph::Id;
use bico_core::Value;
use bico_core::{EvalError, ops};
use bico_syntax::bind::tree::{binary, method};
use bico_syntax::{BinaryOp, Method, UnaryOp};

/// What the values of a vertex are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Int,
    Float,
    Bool,
    Str,
    /// Now this, now that: always [`UNKNOWN`].
    Mixed,
}

impl Kind {
    pub(crate) fn of(value: Value) -> Kind {
        match value {
            Value::Int(_) => Kind::Int,
            Value::Float(_) => Kind::Float,
            Value::Bool(_) => Kind::Bool,
            Value::Str(_) => Kind::Str,
        }
    }

    fn is_number(self) -> bool {
        matches!(self, Kind::Int | Kind::Float)
    }
}

/// An operation with one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum One {
    Unary(UnaryOp),
    Method(Method),
    AsFloat,
    AsInt,
}

impl One {
    pub(super) fn apply(self, a: Value) -> Result<Value, EvalError> {
        match self {
            One::Unary(UnaryOp::Neg) => ops::neg(a),
            One::Unary(UnaryOp::Not) => ops::not(a),
            One::Method(of) => method(of, a, None),
            One::AsFloat => ops::as_f64(a),
            One::AsInt => ops::as_i64(a),
        }
    }

    /// What it makes of an operand of this kind; `None` where it always fails.
    pub(super) fn kind(self, a: Kind) -> Option<Kind> {
        match self {
            One::Unary(UnaryOp::Neg) => a.is_number().then_some(a),
            One::Unary(UnaryOp::Not) => (a == Kind::Bool).then_some(a),
            One::Method(Method::IsPowerOfTwo) => a.is_number().then_some(Kind::Bool),
            One::Method(_) => a.is_number().then_some(a),
            One::AsFloat => (a.is_number() || a == Kind::Bool).then_some(Kind::Float),
            One::AsInt => (a.is_number() || a == Kind::Bool).then_some(Kind::Int),
        }
    }
}

/// An operation with two operands that are both always evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Two {
    Binary(BinaryOp),
    Method(Method),
}

impl Two {
    pub(super) fn apply(self, a: Value, b: Value) -> Result<Value, EvalError> {
        match self {
            Two::Binary(op) => binary(op, a, b),
            Two::Method(of) => method(of, a, Some(b)),
        }
    }

    pub(super) fn kind(self, a: Kind, b: Kind) -> Option<Kind> {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        let numbers = a.is_number() && b.is_number();
        match self {
            Two::Binary(Eq | Ne) => (numbers || a == b).then_some(Kind::Bool),
            Two::Binary(Lt | Le | Gt | Ge) => numbers.then_some(Kind::Bool),
            Two::Method(Method::IsMultipleOf) => (numbers && a == b).then_some(Kind::Bool),
            _ => (numbers && a == b).then_some(a),
        }
    }
}

/// What a vertex computes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Act {
    Constant(i64, Kind),
    /// The value of a parameter.
    Slot(u32),
    /// Something of these parameters that only the interpreter can tell.
    Opaque(Box<[u32]>),
    One(One, Id),
    Two(Two, Id, Id),
    /// `&&` (`true`) or `||`: the right side counts only where the left one decides nothing.
    Logic(bool, Id, Id),
    /// The second or the third, as the first is true or not.
    Select(Id, Id, Id),
    /// The second, where the first is known.
    Strict(Id, Id),
    Has(Id),
}

impl Act {
    pub(super) fn operands(&self) -> impl Iterator<Item = Id> + use<> {
        let (all, len) = match *self {
            Act::Constant(..) | Act::Slot(_) | Act::Opaque(_) => ([0; 3], 0),
            Act::One(_, a) | Act::Has(a) => ([a, 0, 0], 1),
            Act::Two(_, a, b) | Act::Logic(_, a, b) | Act::Strict(a, b) => ([a, b, 0], 2),
            Act::Select(a, b, c) => ([a, b, c], 3),
        };
        all.into_iter().take(len)
    }
}
