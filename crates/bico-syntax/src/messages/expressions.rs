//! Messages about expressions.

use super::Message;
use crate::expr::{Expr, ExprKind, Method};
use crate::parse::Type;

messages! {
    assignment() =
        "an assignment is outside the subset of Rust that bico understands",
        "to compare, write `==`",
        "to go on with another value, name it: `let y = x + 1;`";
    powers_of_two_argument() = "`powers_of_two` needs a range", "write `powers_of_two(4..=256)`";
    step_by_receiver() = "`step_by` needs a range before it", "put the range in parentheses: `(8..=128).step_by(8)`";
    step_not_positive() = "a step must be 1 or more";
    open_range() = "a range needs both ends", "write `1..=32` (with 32) or `1..32` (without)";
    empty_list() = "a parameter needs at least one value";
    nested_list(item: &Expr) = "`{item}` is a list inside a list", "write its values one by one";
    repeated_value(item: &Expr) = "repeated value `{item}`", "keep one of them";
    list_operand(what: &str, expr: &Expr) = "`{expr}` is a list, {what} needs one value";
    cast_target() = "only `as f64` and `as i64` are understood", "integers are i64 and floats f64 throughout";
    cast_then_less(target: &str) =
        "`{target} <` begins type arguments, not a comparison",
        "put the cast in parentheses: `(.. as {target}) < ..`";
    suffix(suffix: &str, digits: &str) =
        "the suffix `{suffix}` is not understood",
        "write `{digits}`: integers are i64 and floats f64 throughout";
    integer_range(digits: &str) = "{digits} does not fit into an i64";
    float_range(digits: &str) = "{digits} does not fit into an f64";
    element_range(value: i64, kind: &str) = "{value} does not fit into the argument's type, {kind}";
    pattern() =
        "this pattern is outside the subset of Rust that bico understands",
        "write literals, ranges `1..=4`, alternatives `1 | 2`, or `_`";
    if_without_else() = "`if` without `else` has no value", "add `else {{ .. }}`";
    block_without_value() = "this block has no value", "end it with an expression, without `;`";
    match_incomplete() = "this `match` does not cover every value", "add `_ => ..` as its last arm";
    negative_power() = "a power of integers cannot have a negative exponent";
}

pub(crate) fn outside_subset(what: &str) -> Message {
    Message::new(format!("{what} is outside the subset of Rust that bico understands")).help(
        "allowed: numbers, booleans, strings, names, `device.FIELD`, arithmetic, comparison, `&& || !`, \
         `if`, `match`, `let`, `as f64`, `as i64`, and a few methods",
    )
}

pub(crate) fn unknown_method(name: &str) -> Message {
    let mut known: Vec<&str> = Method::ALL.iter().map(|method| method.name()).collect();
    known.push("step_by");
    Message::new(format!("unknown method `{name}`")).known(name, &known, "methods")
}

pub(crate) fn method_arity(name: &str, want: usize, found: usize) -> Message {
    let words = match want {
        0 => "no argument".to_string(),
        1 => "1 argument".to_string(),
        many => format!("{many} arguments"),
    };
    Message::new(format!("`{name}` takes {words}, {found} given"))
}

pub(crate) fn unknown_function(name: Option<&str>) -> Message {
    let message = Message::new(match name {
        Some(name) => format!("`{name}` cannot be called here"),
        None => "this cannot be called here".to_string(),
    });
    match name {
        Some("min" | "max") => message.help("write it as a method: `a.min(b)`, `a.max(b)`"),
        name => message.known(
            name.unwrap_or_default(),
            &["powers_of_two"],
            "the only function",
        ),
    }
}

pub(crate) fn empty_range(start: &Expr, end: &Expr, inclusive: bool) -> Message {
    let dots = if inclusive { "..=" } else { ".." };
    let message = Message::new(format!("the range `{start}{dots}{end}` is empty"));
    if inclusive {
        message.help("write the smaller number first")
    } else {
        message.help(format!(
            "write `{start}..={end}`, which includes {end}, or a larger end"
        ))
    }
}

pub(crate) fn branches((a, first): (&Expr, &Type), (b, second): (&Expr, &Type)) -> Message {
    Message::new(format!(
        "the branches have different types: `{a}` is {}, `{b}` is {}",
        first.words(),
        second.words()
    ))
    .help("let every branch give the same type")
}

pub(crate) fn mixed(
    what: &str,
    (a, first): (&Expr, &Type),
    (b, second): (&Expr, &Type),
) -> Message {
    let message = Message::new(format!(
        "{what} mixes types: `{a}` is {}, `{b}` is {}",
        first.words(),
        second.words()
    ));
    match (first, second) {
        (Type::Int, Type::Float) => cast(message, a),
        (Type::Float, Type::Int) => cast(message, b),
        _ => message.help("both must have the same type"),
    }
}

fn cast(message: Message, expr: &Expr) -> Message {
    message.help(match &expr.kind {
        ExprKind::Int(value) => format!("write `{value}.0`"),
        ExprKind::Binary(..) | ExprKind::Unary(..) => format!("write `({expr}) as f64`"),
        _ => format!("write `{expr} as f64`"),
    })
}

/// A value of the wrong type; `what` needs one of type `want`.
pub(crate) fn needs(what: &str, want: &Type, expr: &Expr, found: &Type) -> Message {
    let needed = if *want == Type::Bool {
        "a condition"
    } else {
        want.words()
    };
    let message = Message::new(format!(
        "`{expr}` is {}, {what} needs {needed}",
        found.words()
    ));
    match (want, found) {
        (Type::Bool, Type::Int | Type::Float | Type::Number) => match &expr.kind {
            ExprKind::If(..) | ExprKind::Match(..) | ExprKind::Block(..) => message,
            _ => message.help(format!(
                "compare it: `{expr} == {}`",
                if *found == Type::Float { "0.0" } else { "0" }
            )),
        },
        (Type::Int, Type::Float) => match &expr.kind {
            ExprKind::Float(value) if value.fract() == 0.0 => {
                message.help(format!("write `{value:.0}`"))
            }
            ExprKind::Float(_) => message,
            ExprKind::Cast(value, _) => message.help(format!("write `{value}`")),
            ExprKind::Binary(..) | ExprKind::Unary(..) => {
                message.help(format!("write `({expr}) as i64`"))
            }
            _ => message.help(format!("write `{expr} as i64`")),
        },
        (Type::Float, Type::Int) => cast(message, expr),
        _ => message,
    }
}

pub(crate) fn needs_number(what: &str, expr: &Expr, found: &Type) -> Message {
    let message = Message::new(format!(
        "`{expr}` is {}, {what} needs a number",
        found.words()
    ));
    if *found == Type::Bool {
        message.help(format!("write `if {expr} {{ 1 }} else {{ 0 }}`"))
    } else {
        message
    }
}
