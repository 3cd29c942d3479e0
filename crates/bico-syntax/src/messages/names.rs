//! Messages about names.

use super::Message;
use crate::expr::Expr;
use crate::parse::Type;

pub(crate) fn unknown_name(name: &str, place: &str, known: &[&str]) -> Message {
    Message::new(format!("unknown name `{name}` in {place}")).known(name, known, "known here")
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

pub(crate) fn no_value(name: &str, what: &str) -> Message {
    Message::new(format!("`{name}` is {what}: it has no value here"))
        .help("expressions may use scalar arguments, parameters and constants")
}

pub(crate) fn bare_device() -> Message {
    Message::new("`device` is no value").help("write one of its fields: `device.l2_bytes`")
}

pub(crate) fn unknown_field(field: &str, kind: &str, known: &[&str]) -> Message {
    Message::new(format!(
        "unknown field `{field}` of `device`, which is {kind} here"
    ))
    .known(field, known, "fields")
}

pub(crate) fn device_method(name: &str) -> Message {
    Message::new(format!("unknown method `{name}` of `device`")).help(
        "write a field, `device.cores`, or ask for an instruction set, `device.has(\"avx2\")`",
    )
}

pub(crate) fn has_unquoted(name: &str) -> Message {
    Message::new(format!("unknown name `{name}` in `device.has`")).help(format!(
        "put the instruction set in quotes: `device.has(\"{name}\")`"
    ))
}

pub(crate) fn has_on_gpu() -> Message {
    Message::new("`device.has` is for CPUs")
        .help("for a GPU, compare `device.compute_capability` (89 for sm_89)")
}

pub(crate) fn parameter_name(name: &str) -> Message {
    Message::new(format!("`{name}` cannot be used as a name"))
        .help("it is a word of the language: choose another one")
}

pub(crate) fn repeated_parameter(name: &str) -> Message {
    Message::new(format!("repeated parameter `{name}`")).help("give one of them another name")
}

pub(crate) fn parameter_is_argument(name: &str) -> Message {
    Message::new(format!("parameter `{name}` has the name of an argument"))
        .help("give one of them another name")
}

pub(crate) fn parameter_is_const(name: &str) -> Message {
    Message::new(format!(
        "parameter `{name}` has the name of a problem's `const`"
    ))
    .help("give one of them another name")
}

pub(crate) fn name_taken(name: &str) -> Message {
    Message::new(format!("the name `{name}` is taken")).help("choose another one")
}

pub(crate) fn let_name(name: &str) -> Message {
    Message::new(format!(
        "`let {name}` could be mistaken for a constant or the device"
    ))
    .help("choose a name in lower case")
}

pub(crate) fn let_shadows(name: &str) -> Message {
    Message::new(format!("`let {name}` hides another `{name}`")).help("choose another name")
}

pub(crate) fn unknown_size(name: &str, known: &[&str]) -> Message {
    Message::new(format!("`{name}` is no argument of the function"))
        .known(name, known, "scalar arguments")
        .help(format!(
            "a constant of the problem is written `const {} = ..`",
            name.to_uppercase()
        ))
}

pub(crate) fn repeated_size(name: &str) -> Message {
    Message::new(format!("repeated value of `{name}` in one `problem`"))
        .help("to tune for several sizes, write `problem(..)` several times")
}

pub(crate) fn buffer_as_size(name: &str, what: &str) -> Message {
    Message::new(format!(
        "`{name}` is {what}: `problem` gives values to scalar arguments"
    ))
    .help("remove it")
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

pub(crate) fn different_consts() -> Message {
    Message::new("this problem has other `const`s than the first")
        .help("give every problem the same `const`s")
}

pub(crate) fn repeated_problem() -> Message {
    Message::new("repeated problem").help("keep one of them")
}

pub(crate) fn const_list(name: &str) -> Message {
    Message::new(format!("`const {name}` is a list, it needs one value"))
        .help("write one `problem(..)` for each value")
}

pub(crate) fn const_types(name: &str, first: &Type, found: &Type) -> Message {
    Message::new(format!(
        "`const {name}` is {} here and {} in another problem",
        found.words(),
        first.words()
    ))
    .help("let all problems agree")
}

pub(crate) fn const_is_argument(name: &str) -> Message {
    Message::new(format!(
        "`const {name}` has the name of an argument that is no scalar"
    ))
    .help("choose another name")
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
