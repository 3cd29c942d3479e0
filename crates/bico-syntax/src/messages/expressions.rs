//! Messages about expressions.

use super::Message;
use crate::Lists;
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
    outside_subset(what: &str) =
        "{what} is outside the subset of Rust that bico understands",
        "allowed: numbers, booleans, strings, names, `device.FIELD`, arithmetic, comparison, `&& || !`, \
         `if`, `match`, `let`, `as f64`, `as i64`, and a few methods";
    unknown_method(name: &str) {
        let known = &Method::all().map(Method::name).chain(["step_by"]).collect_vec();
    } = "unknown method `{name}`" [name in known: "methods"];
    method_arity(name: &str, want: usize, found: usize) {
        let want = match want {
            0 => "no argument".to_string(),
            1 => "1 argument".to_string(),
            many => format!("{many} arguments"),
        };
    } = "`{name}` takes {want}, {found} given";
    unknown_function(name: Option<&str>) {
        let what = name.map_or("this".to_string(), |name| format!("`{name}`"));
        let extremum = matches!(name, Some("min" | "max"));
        let help = if extremum { "write it as a method: `a.min(b)`, `a.max(b)`" } else { "" };
        let name = name.unwrap_or_default();
        let known = if extremum { &[][..] } else { &["powers_of_two"] };
    } = "{what} cannot be called here", "{help}" [name in known: "the only function"];
    empty_range(start: &Expr, end: &Expr, inclusive: bool) {
        let dots = if inclusive { "..=" } else { ".." };
        let help = match inclusive {
            true => "write the smaller number first".to_string(),
            false => format!("write `{start}..={end}`, which includes {end}, or a larger end"),
        };
    } = "the range `{start}{dots}{end}` is empty", "{help}";
    branches(a: &Expr, first: &Type, b: &Expr, second: &Type) =
        "the branches have different types: `{a}` is {first}, `{b}` is {second}",
        "let every branch give the same type";
    mixed(what: &str, a: &Expr, first: &Type, b: &Expr, second: &Type) {
        let help = match (first, second) {
            (Type::Int, Type::Float) => cast(a),
            (Type::Float, Type::Int) => cast(b),
            _ => "both must have the same type".to_string(),
        };
    } = "{what} mixes types: `{a}` is {first}, `{b}` is {second}", "{help}";
    /// A value of the wrong type; `what` needs one of type `want`.
    needs(what: &str, want: &Type, expr: &Expr, found: &Type) {
        let needed = if *want == Type::Bool { "a condition".to_string() } else { want.to_string() };
        let help = converted(expr, want, found);
    } = "`{expr}` is {found}, {what} needs {needed}", "{help}";
    needs_number(what: &str, expr: &Expr, found: &Type) {
        let help = match found {
            Type::Bool => format!("write `if {expr} {{ 1 }} else {{ 0 }}`"),
            _ => String::new(),
        };
    } = "`{expr}` is {found}, {what} needs a number", "{help}";
}

/// How an integer becomes a float.
fn cast(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Int(value) => format!("write `{value}.0`"),
        ExprKind::Binary(..) | ExprKind::Unary(..) => format!("write `({expr}) as f64`"),
        _ => format!("write `{expr} as f64`"),
    }
}

/// How a value becomes one of type `want`, if there is a way.
fn converted(expr: &Expr, want: &Type, found: &Type) -> String {
    use ExprKind::{Binary, Block, Cast, Float, If, Match, Unary};
    match (want, found, &expr.kind) {
        (Type::Bool, _, If(..) | Match(..) | Block(..)) => String::new(),
        (Type::Bool, Type::Float, _) => format!("compare it: `{expr} == 0.0`"),
        (Type::Bool, Type::Int | Type::Number, _) => format!("compare it: `{expr} == 0`"),
        (Type::Int, Type::Float, Float(value)) if value.fract() != 0.0 => String::new(),
        (Type::Int, Type::Float, Float(value)) => format!("write `{value:.0}`"),
        (Type::Int, Type::Float, Cast(value, _)) => format!("write `{value}`"),
        (Type::Int, Type::Float, Binary(..) | Unary(..)) => format!("write `({expr}) as i64`"),
        (Type::Int, Type::Float, _) => format!("write `{expr} as i64`"),
        (Type::Float, Type::Int, _) => cast(expr),
        _ => String::new(),
    }
}
