//! Expressions as readable text, for messages.

use crate::expr::{BinaryOp, Cast, Expr, ExprKind, Pattern, UnaryOp};
use std::fmt::{Display, Formatter, Result};

impl BinaryOp {
    /// The operator as it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
            BinaryOp::And => "&&",
            BinaryOp::Or => "||",
        }
    }

    fn strength(self) -> u8 {
        match self {
            BinaryOp::Or => 1,
            BinaryOp::And => 2,
            BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge => 3,
            BinaryOp::Add | BinaryOp::Sub => 4,
            BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => 5,
        }
    }
}

impl UnaryOp {
    /// The operator as it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            UnaryOp::Neg => "-",
            UnaryOp::Not => "!",
        }
    }
}

impl Cast {
    /// The type as it is written.
    pub fn name(self) -> &'static str {
        match self {
            Cast::F64 => "f64",
            Cast::I64 => "i64",
        }
    }
}

const RANGE: u8 = 0;
const CAST: u8 = 6;
const PREFIX: u8 = 7;
const POSTFIX: u8 = 8;

/// How strongly the outermost operator binds; what binds less than its surroundings is parenthesised.
fn strength(expr: &Expr) -> u8 {
    match &expr.kind {
        ExprKind::Range { .. } => RANGE,
        ExprKind::Binary(op, ..) => op.strength(),
        ExprKind::Cast(..) => CAST,
        ExprKind::Unary(..) => PREFIX,
        ExprKind::Int(value) if *value < 0 => PREFIX,
        ExprKind::Float(value) if value.is_sign_negative() => PREFIX,
        // Legal as operands only in parentheses at the start of a statement, and easier to read so.
        ExprKind::If(..) | ExprKind::Match(..) | ExprKind::Block(..) => RANGE,
        _ => POSTFIX,
    }
}

struct At<'a>(&'a Expr, u8);

impl Display for At<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        if strength(self.0) < self.1 {
            write!(f, "({})", self.0)
        } else {
            write!(f, "{}", self.0)
        }
    }
}

fn list(f: &mut Formatter<'_>, items: &[Expr]) -> Result {
    for (index, item) in items.iter().enumerate() {
        write!(f, "{}{item}", if index == 0 { "" } else { ", " })?;
    }
    Ok(())
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match &self.kind {
            ExprKind::Int(value) => write!(f, "{value}"),
            ExprKind::Float(value) => write!(f, "{value:?}"),
            ExprKind::Bool(value) => write!(f, "{value}"),
            ExprKind::Str(value) => write!(f, "{value:?}"),
            ExprKind::Name(name) => f.write_str(name),
            ExprKind::Device(field) => write!(f, "device.{field}"),
            ExprKind::DeviceHas(feature) => write!(f, "device.has({feature})"),
            ExprKind::Unary(op, a) => write!(f, "{}{}", op.symbol(), At(a, PREFIX)),
            ExprKind::Binary(op, a, b) => {
                let own = op.strength();
                // Comparisons cannot be chained; the others group to the left.
                let left = if own == 3 { own + 1 } else { own };
                write!(f, "{} {} {}", At(a, left), op.symbol(), At(b, own + 1))
            }
            ExprKind::If(condition, yes, no) => match no.kind {
                ExprKind::If(..) => write!(f, "if {condition} {{ {yes} }} else {no}"),
                _ => write!(f, "if {condition} {{ {yes} }} else {{ {no} }}"),
            },
            ExprKind::Match(value, arms) => {
                write!(f, "match {value} {{ ")?;
                for (index, arm) in arms.iter().enumerate() {
                    f.write_str(if index == 0 { "" } else { ", " })?;
                    for (index, pattern) in arm.patterns.iter().enumerate() {
                        write!(f, "{}{pattern}", if index == 0 { "" } else { " | " })?;
                    }
                    write!(f, " => {}", arm.value)?;
                }
                f.write_str(" }")
            }
            ExprKind::Block(lets, value) => {
                f.write_str("{ ")?;
                for (name, bound) in lets {
                    write!(f, "let {name} = {bound}; ")?;
                }
                write!(f, "{value} }}")
            }
            ExprKind::Method(method, receiver, arguments) => {
                write!(f, "{}.{}(", At(receiver, POSTFIX), method.name())?;
                list(f, arguments)?;
                f.write_str(")")
            }
            ExprKind::Cast(a, cast) => write!(f, "{} as {}", At(a, CAST), cast.name()),
            ExprKind::List(items) => {
                f.write_str("[")?;
                list(f, items)?;
                f.write_str("]")
            }
            ExprKind::Range {
                start,
                end,
                inclusive,
            } => {
                write!(
                    f,
                    "{}{}{}",
                    At(start, 1),
                    if *inclusive { "..=" } else { ".." },
                    At(end, 1)
                )
            }
            ExprKind::StepBy(range, step) => write!(f, "{}.step_by({step})", At(range, POSTFIX)),
            ExprKind::PowersOfTwo(range) => write!(f, "powers_of_two({range})"),
        }
    }
}

impl Display for Pattern {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Pattern::Literal(value) => write!(f, "{value}"),
            Pattern::Range(start, end) => write!(f, "{start}..={end}"),
            Pattern::Any => f.write_str("_"),
        }
    }
}
