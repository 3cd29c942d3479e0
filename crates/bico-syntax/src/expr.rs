//! Expressions of the attribute: a small subset of Rust, with a span on every node.
//!
//! The same tree is lowered to Rust by the macro and interpreted by the build. What a node means
//! (checked `i64` arithmetic, our own rules for each method) is defined once, in
//! `bico::__private::ops`, which both call.

use proc_macro2::Span;

/// One expression.
#[derive(Debug, Clone)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// The expressions in an [`ExprKind`], as a list of this type: to be read, or to be changed.
macro_rules! parts {
    ($kind:expr, $list:ty) => {{
        let mut parts: $list = Vec::new();
        match $kind {
            ExprKind::Name(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Bool(_)
            | ExprKind::Str(_)
            | ExprKind::Device(_) => {}
            ExprKind::DeviceHas(a)
            | ExprKind::Unary(_, a)
            | ExprKind::Cast(a, _)
            | ExprKind::PowersOfTwo(a) => parts.push(a),
            ExprKind::Binary(_, a, b)
            | ExprKind::StepBy(a, b)
            | ExprKind::Range {
                start: a, end: b, ..
            } => {
                parts.push(a);
                parts.push(b);
            }
            ExprKind::If(a, b, c) => {
                parts.push(a);
                parts.push(b);
                parts.push(c);
            }
            ExprKind::Match(a, arms) => {
                parts.push(a);
                for Arm { value, .. } in arms {
                    parts.push(value);
                }
            }
            ExprKind::Block(lets, body) => {
                for (_, value) in lets {
                    parts.push(value);
                }
                parts.push(body);
            }
            ExprKind::Method(_, a, arguments) => {
                parts.push(a);
                for argument in arguments {
                    parts.push(argument);
                }
            }
            ExprKind::List(items) => {
                for item in items {
                    parts.push(item);
                }
            }
        }
        parts
    }};
}

impl Expr {
    /// An expression of this kind at this place.
    pub fn new(kind: ExprKind, span: Span) -> Self {
        Expr { kind, span }
    }

    /// Whether it is one value, written out.
    pub(crate) fn is_literal(&self) -> bool {
        use ExprKind::{Bool, Float, Int, Str};
        matches!(self.kind, Int(_) | Float(_) | Bool(_) | Str(_))
    }

    /// The value of a number that is written out.
    pub(crate) fn number(&self) -> Option<f64> {
        match self.kind {
            ExprKind::Int(value) => Some(value as f64),
            ExprKind::Float(value) => Some(value),
            _ => None,
        }
    }

    /// Whether any name in it is wanted. No `let` has the name of something declared.
    pub fn names_any(&self, wanted: &mut dyn FnMut(&str) -> bool) -> bool {
        self.any(&mut |expr| match &expr.kind {
            ExprKind::Name(name) => wanted(name),
            _ => false,
        })
    }

    /// Gives names others, where `to` has one. No `let` has the name of something declared.
    pub(crate) fn rename(&mut self, to: &dyn Fn(&str) -> Option<String>) {
        if let ExprKind::Name(name) = &mut self.kind
            && let Some(other) = to(name)
        {
            *name = other;
        }
        for part in self.parts_mut() {
            part.rename(to);
        }
    }

    /// Puts what `known` says of a name in its place, whole: errors are shown where the name stands.
    pub fn replace(&mut self, known: &mut dyn FnMut(&str) -> Option<Expr>) {
        if let ExprKind::Name(name) = &self.kind
            && let Some(value) = known(name)
        {
            self.kind = value.kind;
            return;
        }
        for part in self.parts_mut() {
            part.replace(known);
        }
    }

    /// The list that a domain stands for, where it names one of the file's `const` lists, for one variant perhaps; else itself.
    pub fn listed(&self, lists: &[(String, Expr)]) -> Expr {
        let mut list = self.clone();
        match &mut list.kind {
            ExprKind::Name(name) => {
                let found = lists.iter().find(|(of, _)| of == name);
                return found.map_or(list, |(_, list)| list.clone());
            }
            ExprKind::If(_, yes, _) => **yes = yes.listed(lists),
            _ => {}
        }
        list
    }

    /// Whether it or any expression in it is wanted.
    pub fn any(&self, wanted: &mut dyn FnMut(&Expr) -> bool) -> bool {
        wanted(self) || self.parts().into_iter().any(|part| part.any(wanted))
    }

    /// The expressions that it is made of, in the order written; patterns of a `match` are none.
    pub(crate) fn parts(&self) -> Vec<&Expr> {
        parts!(&self.kind, Vec<&Expr>)
    }

    /// The same, to be changed.
    fn parts_mut(&mut self) -> Vec<&mut Expr> {
        parts!(&mut self.kind, Vec<&mut Expr>)
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

/// Every operator with two operands, in the order of its declaration: as it is written, how tightly it binds, and the
/// function of `bico::__private::ops` that says what it means.
pub(crate) const BINARY: [(BinaryOp, &str, u8, &str); 13] = [
    (BinaryOp::Add, "+", 8, "add"),
    (BinaryOp::Sub, "-", 8, "sub"),
    (BinaryOp::Mul, "*", 9, "mul"),
    (BinaryOp::Div, "/", 9, "div"),
    (BinaryOp::Rem, "%", 9, "rem"),
    (BinaryOp::Eq, "==", COMPARISON, "eq"),
    (BinaryOp::Ne, "!=", COMPARISON, "ne"),
    (BinaryOp::Lt, "<", COMPARISON, "lt"),
    (BinaryOp::Le, "<=", COMPARISON, "le"),
    (BinaryOp::Gt, ">", COMPARISON, "gt"),
    (BinaryOp::Ge, ">=", COMPARISON, "ge"),
    (BinaryOp::And, "&&", 2, "and"),
    (BinaryOp::Or, "||", 1, "or"),
];

/// How tightly comparisons bind, which cannot be chained.
pub(crate) const COMPARISON: u8 = 3;

impl BinaryOp {
    /// The operator as it is written.
    pub fn symbol(self) -> &'static str {
        BINARY[self as usize].1
    }

    pub(crate) fn strength(self) -> u8 {
        BINARY[self as usize].2
    }

    /// The name of the function in `bico::__private::ops`; `And` and `Or`, which need not look at both sides, have none.
    pub fn name(self) -> &'static str {
        BINARY[self as usize].3
    }
}

impl UnaryOp {
    /// The operator as it is written.
    pub fn symbol(self) -> &'static str {
        ["-", "!"][self as usize]
    }

    /// The name of the function in `bico::__private::ops`.
    pub fn name(self) -> &'static str {
        ["neg", "not"][self as usize]
    }
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

/// Every method, in the order of its declaration: its name, and how many arguments it takes.
const METHODS: [(Method, &str, usize); 9] = [
    (Method::Min, "min", 1),
    (Method::Max, "max", 1),
    (Method::Pow, "pow", 1),
    (Method::Abs, "abs", 0),
    (Method::DivCeil, "div_ceil", 1),
    (Method::IsMultipleOf, "is_multiple_of", 1),
    (Method::IsPowerOfTwo, "is_power_of_two", 0),
    (Method::Ilog2, "ilog2", 0),
    (Method::NextPowerOfTwo, "next_power_of_two", 0),
];

impl Method {
    /// Every method.
    pub fn all() -> impl Iterator<Item = Method> {
        METHODS.iter().map(|row| row.0)
    }

    /// The name as it is written, which is also the name of the function in `bico::__private::ops`.
    pub fn name(self) -> &'static str {
        METHODS[self as usize].1
    }

    /// How many arguments stand in the parentheses.
    pub fn arity(self) -> usize {
        METHODS[self as usize].2
    }
}

/// The target of an `as`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Cast {
    F64,
    I64,
}

impl Cast {
    /// The type as it is written.
    pub fn name(self) -> &'static str {
        ["f64", "i64"][self as usize]
    }
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
