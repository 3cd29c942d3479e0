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

/// An operand, in parentheses where it binds less than `least`.
fn at(expr: &Expr, least: u8) -> String {
    match strength(expr) < least {
        true => format!("({expr})"),
        false => expr.to_string(),
    }
}

fn joined<T: Display>(items: &[T], by: &str) -> String {
    let items: Vec<String> = items.iter().map(T::to_string).collect();
    items.join(by)
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
            ExprKind::Unary(op, a) => write!(f, "{}{}", op.symbol(), at(a, PREFIX)),
            ExprKind::Binary(op, a, b) => {
                let own = op.strength();
                // Comparisons cannot be chained; the others group to the left.
                let left = own + u8::from(own == COMPARISON);
                write!(f, "{} {} {}", at(a, left), op.symbol(), at(b, own + 1))
            }
            ExprKind::If(condition, yes, no) => match no.kind {
                ExprKind::If(..) => write!(f, "if {condition} {{ {yes} }} else {no}"),
                _ => write!(f, "if {condition} {{ {yes} }} else {{ {no} }}"),
            },
            ExprKind::Match(value, arms) => write!(f, "match {value} {{ {} }}", joined(arms, ", ")),
            ExprKind::Block(lets, value) => {
                f.write_str("{ ")?;
                for (name, bound) in lets {
                    write!(f, "let {name} = {bound}; ")?;
                }
                write!(f, "{value} }}")
            }
            ExprKind::Method(method, receiver, arguments) => {
                let arguments = joined(arguments, ", ");
                write!(
                    f,
                    "{}.{}({arguments})",
                    at(receiver, POSTFIX),
                    method.name()
                )
            }
            ExprKind::Cast(a, cast) => write!(f, "{} as {}", at(a, CAST), cast.name()),
            ExprKind::List(items) => write!(f, "[{}]", joined(items, ", ")),
            ExprKind::Range {
                start,
                end,
                inclusive,
            } => {
                let dots = if *inclusive { "..=" } else { ".." };
                write!(f, "{}{dots}{}", at(start, 1), at(end, 1))
            }
            ExprKind::StepBy(range, step) => write!(f, "{}.step_by({step})", at(range, POSTFIX)),
            ExprKind::PowersOfTwo(range) => write!(f, "powers_of_two({range})"),
        }
    }
}

impl Display for Arm {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{} => {}", joined(&self.patterns, " | "), self.value)
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
