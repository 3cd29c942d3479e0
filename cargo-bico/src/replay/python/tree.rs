//! A Python expression.

use bico_core::Value;

/// An expression over parameters, which are numbered.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Expr {
    Value(Value),
    Name(usize),
    Negative(Box<Expr>),
    Not(Box<Expr>),
    Arithmetic(Operator, Box<Expr>, Box<Expr>),
    /// `a < b <= c`: each operator with the operand after it.
    Chain(Box<Expr>, Vec<(Comparison, Expr)>),
    /// The right side of `in`.
    List(Vec<Expr>),
    And(Vec<Expr>),
    Or(Vec<Expr>),
    /// Condition, value if it holds, value if not.
    If(Box<[Expr; 3]>),
    Call(Function, Vec<Expr>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Add,
    Sub,
    Mul,
    /// `/`
    True,
    /// `//`
    Floor,
    /// `%`
    Modulo,
    /// `**`
    Power,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    In,
    NotIn,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    Min,
    Max,
    Abs,
    Int,
    Float,
    Bool,
}
