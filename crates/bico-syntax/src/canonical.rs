//! Expressions as text that depends on parsed values only, for fingerprints.

use crate::Lists;
use crate::expr::{Expr, ExprKind, Pattern};

/// Floats by their bits: how a float is printed is the standard library's business.
pub(crate) fn float(value: f64) -> String {
    format!("#f{:016x}", value.to_bits())
}

/// Only the quote and the backslash are escaped, and the line break, which separates entries.
pub(crate) fn quoted(value: &str) -> String {
    let mut out = String::with_capacity(value.len() + 2);
    out.push('"');
    for c in value.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '"' | '\\' => out.extend(['\\', c]),
            _ => out.push(c),
        }
    }
    out.push('"');
    out
}

/// An expression, fully parenthesised: what it does, then what it does that to.
pub(crate) fn text(expr: &Expr) -> String {
    let parts = || {
        let parts: Vec<String> = expr.parts().into_iter().map(text).collect_vec();
        parts.join(" ")
    };
    let head = match &expr.kind {
        ExprKind::Int(value) => return value.to_string(),
        ExprKind::Float(value) => return float(*value),
        ExprKind::Bool(value) => return format!("#{value}"),
        ExprKind::Str(value) => return quoted(value),
        ExprKind::Name(name) => return name.clone(),
        ExprKind::List(_) => return format!("[{}]", parts()),
        ExprKind::Match(value, arms) => {
            let arms = arms.iter().map(|arm| {
                let patterns = arm.patterns.iter().map(|pattern| match pattern {
                    Pattern::Literal(value) => text(value),
                    Pattern::Range(start, end) => format!("(..= {} {})", text(start), text(end)),
                    Pattern::Any => "_".to_string(),
                });
                let patterns: Vec<String> = patterns.collect_vec();
                format!(" ({} => {})", patterns.join(" "), text(&arm.value))
            });
            return format!("(match {}{})", text(value), arms.collect::<String>());
        }
        ExprKind::Block(lets, value) => {
            let lets = lets.iter();
            let lets = lets.map(|(name, bound)| format!(" (let {name} {})", text(bound)));
            return format!("(block{} {})", lets.collect::<String>(), text(value));
        }
        ExprKind::Device(field) => return format!("(device {field})"),
        ExprKind::DeviceHas(_) => "has".to_string(),
        ExprKind::Unary(op, _) => op.symbol().to_string(),
        ExprKind::Binary(op, ..) => op.symbol().to_string(),
        ExprKind::If(..) => "if".to_string(),
        ExprKind::Method(method, ..) => format!(".{}", method.name()),
        ExprKind::Cast(_, cast) => format!("as {}", cast.name()),
        ExprKind::Range { inclusive, .. } => if *inclusive { "..=" } else { ".." }.to_string(),
        ExprKind::StepBy(..) => "step_by".to_string(),
        ExprKind::PowersOfTwo(_) => "powers_of_two".to_string(),
    };
    format!("({head} {})", parts())
}

/// Whether two expressions say the same.
pub(crate) fn same(a: &Expr, b: &Expr) -> bool {
    text(a) == text(b)
}
