//! Messages about names.

use super::Message;
use crate::expr::{Expr, ExprKind};
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
    other_variants(name: &str, variant: &str) =
        "`{name}` is a parameter of variant `{variant}`, and configs of other variants have none",
        "use it inside of `variant({variant}, ..)`, or declare it in the tunable's own `space(..)`";
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
    two_ranges() =
        "a second range in one `problem`: anchors are placed along one size",
        "give one of them a value, and write a `problem(..)` for each of its values";
    range_from() =
        "a range of sizes begins at 1 or above",
        "anchors lie at equal factors from each other; write a `problem(..)` of its own for a size below";
    only_values_differ() =
        "this problem differs from another one in nothing but `#[value]` arguments",
        "keep one of them: configs are chosen without these values";
    const_list(name: &str) = "`const {name}` is a list, it needs one value", "write one `problem(..)` for each value";
    const_is_argument(name: &str) =
        "`const {name}` has the name of an argument that is no scalar",
        "choose another name";
    not_here(what: &str, name: &str, place: &str) {
        let subject = if what == name { format!("`{name}`") } else { format!("{what} `{name}`") };
        let help = match (what, place) {
            ("size", "`space`") => "a config belongs to all sizes; a condition on sizes goes into `require(..)`",
            ("size", "`entry`" | "`flags`") =>
                "kernels are compiled before sizes are known; use `problem(.., const NAME = ..)`",
            (_, "`threads`") => "it is the same for every config and size; use `device` and constants",
            ("parameter", "`#[len]`") =>
                "results are compared: an output is equally long for all configs; what only some of them need is a `scratch(..)`",
            ("device", "`#[len]`") => "a buffer's length depends on parameters, sizes and constants",
            ("device", "`problem`" | "a `const`") => "a problem is the same on every device; write a number",
            ("device", "`#[init]`") => "inputs are the same on every device; use sizes and constants",
            ("device", _) => "this is needed before a device is known; use parameters and constants",
            ("parameter", "`problem`" | "a `const`") =>
                "problems are the same for every config; write a number",
            ("parameter", "`#[init]`") => "inputs are the same for every config; use sizes and constants",
            ("value", "`#[value]`" | "`#[init]`") => "write a number, or a size",
            (_, "`problem`") => "a size is computed from numbers, constants of the file and the sizes before it",
            ("value", _) =>
                "a config is chosen without it: without `#[value]` the argument is a size, and each size is tuned for",
            _ => "write its value",
        };
    } = "{subject} cannot be used in {place}", "{help}";
    used_before(name: &str, place: &str) {
        let kind = if place == "`problem`" { "size" } else { "parameter" };
    } = "`{name}` has no value yet", "a {kind} may use the {kind}s before it: change their order";
    unknown_size(name: &str, known: &[&str]) { let upper = name.to_uppercase(); } =
        "`{name}` is no argument of the function",
        "a constant of the problem is written `const {upper} = ..`" [name in known: "scalar arguments"];
    selector_as_size(name: &str) { let upper = name.to_uppercase(); } =
        "`{name}` selects a problem, it has no value of its own",
        "write `const {upper} = ..`";
    selects_nothing(name: &str) { let upper = name.to_uppercase(); } =
        "`{name}: &str` selects nothing: no problem has a `const {upper}`",
        "add `const {upper} = \"..\"` to each problem, or remove the argument";
    selector_type(argument: &str, kind: &str, name: &str, value: &Expr, found: &Type) {
        let reference = if kind == "str" { "&" } else { "" };
    } =
        "`const {name} = {value}` is {found}, the argument that selects it is `{argument}: {reference}{kind}`",
        "let both have the same type";
    missing_sizes(names: &[&str]) {
        let list = names.join("`, `");
        let example = names.join(" = .., ");
    } = "this problem gives no value to `{list}`", "add `{example} = ..`";
    const_types(name: &str, first: &Type, found: &Type) =
        "`const {name}` is {found} here and {first} in another problem",
        "let all problems agree";
    const_not_selected(name: &str, first: &Expr, found: &Expr) {
        let argument = name.to_lowercase();
        let kind = match found.kind {
            ExprKind::Str(_) => "&str",
            ExprKind::Bool(_) => "bool",
            _ => "u32",
        };
    } =
        "`const {name}` is {first} and {found}, and no argument says which one a call means",
        "add the argument `{argument}: {kind}` to the function: it selects the problem";
}
