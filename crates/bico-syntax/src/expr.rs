//! Expressions of the attribute: a small subset of Rust, with a span on every node.
//!
//! The same tree is lowered to Rust by the macro and interpreted by the build. What a node means
//! (checked `i64` arithmetic, our own rules for each method) is defined once, in
//! `bico::__private::ops`, which both call.

use proc_macro2::Span;
use std::collections::BTreeMap;

/// One expression.
#[derive(Debug, Clone)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

impl Expr {
    /// Whether any name in it is wanted. No `let` has the name of something declared.
    pub fn names_any(&self, wanted: &mut dyn FnMut(&str) -> bool) -> bool {
        self.any(&mut |expr| match &expr.kind {
            ExprKind::Name(name) => wanted(name),
            _ => false,
        })
    }

    /// The list that a domain stands for, where it names one of the file's `const` lists; else itself.
    pub fn listed<'a>(&'a self, lists: &'a BTreeMap<String, Expr>) -> &'a Expr {
        match &self.kind {
            ExprKind::Name(name) => lists.get(name).unwrap_or(self),
            _ => self,
        }
    }

    /// Whether it or any expression in it is wanted.
    pub fn any(&self, wanted: &mut dyn FnMut(&Expr) -> bool) -> bool {
        wanted(self) || self.parts().into_iter().any(|part| part.any(wanted))
    }

    /// The expressions that it is made of, in the order written; patterns of a `match` are none.
    fn parts(&self) -> Vec<&Expr> {
        match &self.kind {
            ExprKind::Name(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Bool(_)
            | ExprKind::Str(_)
            | ExprKind::Device(_) => Vec::new(),
            ExprKind::DeviceHas(a)
            | ExprKind::Unary(_, a)
            | ExprKind::Cast(a, _)
            | ExprKind::PowersOfTwo(a) => vec![a],
            ExprKind::Binary(_, a, b)
            | ExprKind::StepBy(a, b)
            | ExprKind::Range {
                start: a, end: b, ..
            } => vec![a, b],
            ExprKind::If(a, b, c) => vec![a, b, c],
            ExprKind::Match(a, arms) => [&**a]
                .into_iter()
                .chain(arms.iter().map(|arm| &arm.value))
                .collect(),
            ExprKind::Block(lets, body) => lets
                .iter()
                .map(|(_, value)| value)
                .chain([&**body])
                .collect(),
            ExprKind::Method(_, a, arguments) => [&**a].into_iter().chain(arguments).collect(),
            ExprKind::List(items) => items.iter().collect(),
        }
    }
}

/// What an [`Expr`] is.
#[derive(Debug, Clone)]
pub enum ExprKind {
    /// `42`
    Int(i64),
    /// `0.5`
    Float(f64),
    /// `true`
    Bool(bool),
    /// `"avx2"`
    Str(String),
    /// A parameter, a problem size, a `let`, or a `const` of the file.
    Name(String),
    /// `device.l2_bytes`
    Device(String),
    /// `device.has("avx2")`
    DeviceHas(Box<Expr>),
    /// `-a`, `!a`
    Unary(UnaryOp, Box<Expr>),
    /// `a + b`
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `if a { b } else { c }`
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `match a { 1 | 2 => b, _ => c }`
    Match(Box<Expr>, Vec<Arm>),
    /// `{ let x = a; b }`
    Block(Vec<(String, Expr)>, Box<Expr>),
    /// `a.min(b)`
    Method(Method, Box<Expr>, Vec<Expr>),
    /// `a as f64`, `a as i64`
    Cast(Box<Expr>, Cast),
    /// `[1, 2, 4]`: a domain.
    List(Vec<Expr>),
    /// `1..=32`: a domain.
    Range {
        /// First value.
        start: Box<Expr>,
        /// Last value, or the first one that is outside.
        end: Box<Expr>,
        /// Whether `end` belongs to the range.
        inclusive: bool,
    },
    /// `(8..=128).step_by(8)`: a domain.
    StepBy(Box<Expr>, Box<Expr>),
    /// `powers_of_two(4..=256)`: a domain.
    PowersOfTwo(Box<Expr>),
}

/// One arm of a `match`: the first whose pattern equals the value is taken.
#[derive(Debug, Clone)]
pub struct Arm {
    /// The alternatives, `1 | 2`.
    pub patterns: Vec<Pattern>,
    /// The value of the arm.
    pub value: Expr,
}

/// A pattern of a `match` arm.
#[derive(Debug, Clone)]
pub enum Pattern {
    /// A literal (possibly negative): `Int`, `Float`, `Bool` or `Str`.
    Literal(Expr),
    /// `1..=4`; both ends belong to it.
    Range(Expr, Expr),
    /// `_`
    Any,
}

/// Operators with one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum UnaryOp {
    Neg,
    Not,
}

/// Operators with two operands. `And` and `Or` evaluate their right side only when it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    And,
    Or,
}

/// The methods that an expression may call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Method {
    Min,
    Max,
    Pow,
    Abs,
    DivCeil,
    IsMultipleOf,
    IsPowerOfTwo,
    Ilog2,
    NextPowerOfTwo,
}

impl Method {
    /// Every method, for messages and lookups.
    pub const ALL: [Method; 9] = [
        Method::Min,
        Method::Max,
        Method::Pow,
        Method::Abs,
        Method::DivCeil,
        Method::IsMultipleOf,
        Method::IsPowerOfTwo,
        Method::Ilog2,
        Method::NextPowerOfTwo,
    ];

    /// The name as it is written, which is also the name of the function in `bico::__private::ops`.
    pub fn name(self) -> &'static str {
        self.row().0
    }

    /// How many arguments stand in the parentheses.
    pub fn arity(self) -> usize {
        self.row().1
    }

    fn row(self) -> (&'static str, usize) {
        match self {
            Method::Min => ("min", 1),
            Method::Max => ("max", 1),
            Method::Pow => ("pow", 1),
            Method::Abs => ("abs", 0),
            Method::DivCeil => ("div_ceil", 1),
            Method::IsMultipleOf => ("is_multiple_of", 1),
            Method::IsPowerOfTwo => ("is_power_of_two", 0),
            Method::Ilog2 => ("ilog2", 0),
            Method::NextPowerOfTwo => ("next_power_of_two", 0),
        }
    }
}

/// The target of an `as`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Cast {
    F64,
    I64,
}

/// How numbers of an expression are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    /// `i64`, checked; `/` truncates. Everything but `score`, `work` and `budget_scale`.
    Integer,
    /// Every integer leaf becomes an `f64` first; `/` is real division. `score`, `work` and
    /// `budget_scale`.
    Real,
}
