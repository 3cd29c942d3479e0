//! Messages about names.

use super::Message;
use crate::expr::Expr;
use crate::parse::Type;

messages! {
    unknown_name(name: &str, place: &str, known: &[&str]) =
        "unknown name `{name}` in {place}" [name in known: "known here"];
    no_value(name: &str, what: &str) =
        "`{name}` is {what}: it has no value here",
        "expressions may use scalar arguments, parameters and constants";
    bare_device() = "`device` is no value", "write one of its fields: `device.l2_bytes`";
    unknown_field(field: &str, kind: &str, known: &[&str]) =
        "unknown field `{field}` of `device`, which is {kind} here" [field in known: "fields"];
    device_method(name: &str) =
        "unknown method `{name}` of `device`",
        "write a field, `device.cores`, or ask for an instruction set, `device.has(\"avx2\")`";
    has_unquoted(name: &str) =
        "unknown name `{name}` in `device.has`",
        "put the instruction set in quotes: `device.has(\"{name}\")`";
    has_on_gpu() = "`device.has` is for CPUs", "for a GPU, compare `device.compute_capability` (89 for sm_89)";
    parameter_name(name: &str) =
        "`{name}` cannot be used as a name",
        "it is a word of the language: choose another one";
    repeated_parameter(name: &str) = "repeated parameter `{name}`", "give one of them another name";
    parameter_is_argument(name: &str) =
        "parameter `{name}` has the name of an argument",
        "give one of them another name";
    parameter_is_const(name: &str) =
        "parameter `{name}` has the name of a problem's `const`",
        "give one of them another name";
    name_taken(name: &str) = "the name `{name}` is taken", "choose another one";
    let_name(name: &str) =
        "`let {name}` could be mistaken for a constant or the device",
        "choose a name in lower case";
    let_shadows(name: &str) = "`let {name}` hides another `{name}`", "choose another name";
    repeated_size(name: &str) =
        "repeated value of `{name}` in one `problem`",
        "to tune for several sizes, write `problem(..)` several times";
    buffer_as_size(name: &str, what: &str) =
        "`{name}` is {what}: `problem` gives values to scalar arguments",
        "remove it";
    different_consts() = "this problem has other `const`s than the first", "give every problem the same `const`s";
    repeated_problem() = "repeated problem", "keep one of them";
    const_list(name: &str) = "`const {name}` is a list, it needs one value", "write one `problem(..)` for each value";
    const_is_argument(name: &str) =
        "`const {name}` has the name of an argument that is no scalar",
        "choose another name";
}

pub(crate) fn not_here(what: &str, name: &str, place: &str) -> Message {
    let text = if what == name {
        format!("`{name}` cannot be used in {place}")
    } else {
        format!("{what} `{name}` cannot be used in {place}")
    };
    Message::new(text).help(match (what, place) {
        ("size", "`space`") => {
            "a config belongs to all sizes; a condition on sizes goes into `require(..)`"
        }
        ("size", "`entry`" | "`flags`") => {
            "kernels are compiled before sizes are known; use `problem(.., const NAME = ..)`"
        }
        ("device", "`#[len]`") => "a buffer's length depends on parameters, sizes and constants",
        ("device", "`problem`" | "a `const`") => {
            "a problem is the same on every device; write a number"
        }
        ("device", _) => "this is needed before a device is known; use parameters and constants",
        ("parameter", "`problem`" | "a `const`") => {
            "problems are the same for every config; write a number"
        }
        (_, "`problem`") => {
            "a size is computed from numbers, constants of the file and the sizes before it"
        }
        _ => "write its value",
    })
}

pub(crate) fn used_before(name: &str, place: &str) -> Message {
    Message::new(format!("`{name}` has no value yet")).help(if place == "`problem`" {
        "a size may use the sizes before it: change their order"
    } else {
        "a parameter may use the parameters before it: change their order"
    })
}

pub(crate) fn unknown_size(name: &str, known: &[&str]) -> Message {
    Message::new(format!("`{name}` is no argument of the function"))
        .known(name, known, "scalar arguments")
        .help(format!(
            "a constant of the problem is written `const {} = ..`",
            name.to_uppercase()
        ))
}

pub(crate) fn selector_as_size(name: &str) -> Message {
    Message::new(format!(
        "`{name}` selects a problem, it has no value of its own"
    ))
    .help(format!("write `const {} = ..`", name.to_uppercase()))
}

pub(crate) fn selects_nothing(name: &str) -> Message {
    Message::new(format!(
        "`{name}: &str` selects nothing: no problem has a `const {}`",
        name.to_uppercase()
    ))
    .help(format!(
        "add `const {} = \"..\"` to each problem, or remove the argument",
        name.to_uppercase()
    ))
}

pub(crate) fn selector_type(
    argument: &str,
    kind: &str,
    name: &str,
    value: &Expr,
    found: &Type,
) -> Message {
    let reference = if kind == "str" { "&" } else { "" };
    Message::new(format!(
        "`const {name} = {value}` is {}, the argument that selects it is `{argument}: {reference}{kind}`",
        found.words()
    ))
    .help("let both have the same type")
}

pub(crate) fn missing_sizes(names: &[&str]) -> Message {
    let list: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let example: Vec<String> = names.iter().map(|name| format!("{name} = ..")).collect();
    Message::new(format!(
        "this problem gives no value to {}",
        list.join(", ")
    ))
    .help(format!("add `{}`", example.join(", ")))
}

pub(crate) fn const_types(name: &str, first: &Type, found: &Type) -> Message {
    Message::new(format!(
        "`const {name}` is {} here and {} in another problem",
        found.words(),
        first.words()
    ))
    .help("let all problems agree")
}

pub(crate) fn const_not_selected(name: &str, first: &Expr, found: &Expr) -> Message {
    let argument = name.to_lowercase();
    let kind = match found.kind {
        crate::expr::ExprKind::Str(_) => "&str",
        crate::expr::ExprKind::Bool(_) => "bool",
        _ => "u32",
    };
    Message::new(format!(
        "`const {name}` is {first} and {found}, and no argument says which one a call means"
    ))
    .help(format!(
        "add the argument `{argument}: {kind}` to the function: it selects the problem"
    ))
}
