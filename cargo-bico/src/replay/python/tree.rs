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

impl Expr {
    /// Adds the parameters that it reads.
    pub(super) fn names(&self, into: &mut Vec<usize>) {
        match self {
            Expr::Value(_) => {}
            Expr::Name(name) => {
                if !into.contains(name) {
                    into.push(*name);
                }
            }
            Expr::Negative(a) | Expr::Not(a) => a.names(into),
            Expr::Arithmetic(_, a, b) => {
                a.names(into);
                b.names(into);
            }
            Expr::Chain(first, rest) => {
                first.names(into);
                rest.iter().for_each(|(_, operand)| operand.names(into));
            }
            Expr::List(items) | Expr::And(items) | Expr::Or(items) | Expr::Call(_, items) => {
                items.iter().for_each(|item| item.names(into));
            }
            Expr::If(parts) => parts.iter().for_each(|part| part.names(into)),
        }
    }
}
