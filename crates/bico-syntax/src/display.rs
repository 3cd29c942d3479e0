//! Expressions as readable text, for messages.

use crate::expr::{Arm, COMPARISON, Expr, ExprKind, Pattern};
use std::fmt::{Display, Formatter, Result};

const RANGE: u8 = 0;
// More than any operator between two operands.
const CAST: u8 = 10;
const PREFIX: u8 = 11;
const POSTFIX: u8 = 12;

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

/// An operand, in parentheses where it binds less than this.
struct At<'a>(&'a Expr, u8);

impl Display for At<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match strength(self.0) < self.1 {
            true => write!(f, "({})", self.0),
            false => self.0.fmt(f),
        }
    }
}

/// Items with a separator between them.
struct Joined<'a, T>(&'a [T], &'a str);

impl<T: Display> Display for Joined<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        for (at, item) in self.0.iter().enumerate() {
            f.write_str(if at == 0 { "" } else { self.1 })?;
            item.fmt(f)?;
        }
        Ok(())
    }
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
                let left = own + u8::from(own == COMPARISON);
                write!(f, "{} {} {}", At(a, left), op.symbol(), At(b, own + 1))
            }
            ExprKind::If(condition, yes, no) => match no.kind {
                ExprKind::If(..) => write!(f, "if {condition} {{ {yes} }} else {no}"),
                _ => write!(f, "if {condition} {{ {yes} }} else {{ {no} }}"),
            },
            ExprKind::Match(value, arms) => write!(f, "match {value} {{ {} }}", Joined(arms, ", ")),
            ExprKind::Block(lets, value) => {
                f.write_str("{ ")?;
                for (name, bound) in lets {
                    write!(f, "let {name} = {bound}; ")?;
                }
                write!(f, "{value} }}")
            }
            ExprKind::Method(method, receiver, arguments) => {
                let arguments = Joined(arguments, ", ");
                write!(
                    f,
                    "{}.{}({arguments})",
                    At(receiver, POSTFIX),
                    method.name()
                )
            }
            ExprKind::Cast(a, cast) => write!(f, "{} as {}", At(a, CAST), cast.name()),
            ExprKind::List(items) => write!(f, "[{}]", Joined(items, ", ")),
            ExprKind::Range {
                start,
                end,
                inclusive,
            } => {
                let dots = if *inclusive { "..=" } else { ".." };
                write!(f, "{}{dots}{}", At(start, 1), At(end, 1))
            }
            ExprKind::StepBy(range, step) => write!(f, "{}.step_by({step})", At(range, POSTFIX)),
            ExprKind::PowersOfTwo(range) => write!(f, "powers_of_two({range})"),
        }
    }
}

impl Display for Arm {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{} => {}", Joined(&self.patterns, " | "), self.value)
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
