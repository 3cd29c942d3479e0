//! Messages about Rust functions that are tuned themselves.

use super::Message;

messages! {
    generic_parameter() =
        "a function that is tuned is generic over numbers, `bool` and `char` alone",
        "write `const TILE: usize` for a parameter of the space; a type or a lifetime cannot be one";
    no_const(name: &str, function: &str, known: &[&str]) =
        "`{name}` is no const parameter of `{function}`",
        "add `const {name}: usize` to the function, or remove it from `space(..)`" [name in known: "const parameters"];
    const_without_values(name: &str) =
        "`space(..)` has no values for `{name}`",
        "add `{name} in [..]`, with the values that are to be tried";
    const_type(name: &str, kind: &str) =
        "these are no values of a `{kind}`, which `{name}` is",
        "numbers are for integers, `[true, false]` for `bool`, strings of one letter for `char`";
    no_char() = "this is not one letter", "the parameter is a `char`: write strings of one letter, `[\"r\", \"c\"]`, without quotes and backslashes";
    beside_function(option: &str) {
        let help = match option {
            "flags" => "what ships is compiled by this package's profile: set `opt-level` there, and `target-cpu` in RUSTFLAGS; beside `ship = measured` there may be flags",
            "compiler" => "what ships is compiled by this package's profile: set `opt-level` there, and `target-cpu` in RUSTFLAGS",
            "scratch" => "remove it, and pass a buffer of the caller's",
            "family" => "remove it, and write one function per type",
            _ => "remove it",
        };
    } = "`{option}` is for kernels in files of their own, not for a Rust function", "{help}";
    ship() =
        "a Rust function ships as it was measured, or is compiled again",
        "write `ship = measured` for the one; without it, it is the other";
    ship_of_files() =
        "`ship` is for Rust functions",
        "remove it: kernels in files of their own ship as they were measured";
    const_beside_function(name: &str) =
        "`{name}` reaches no Rust function: those have no constants of a problem",
        "remove it, or make it a `const` of the file";
    attribute_of_function(name: &str) =
        "a function with `#[{name}]` cannot be tuned",
        "remove it";
    function_value() =
        "a Rust function that is tuned gives nothing back",
        "remove the return type, and write results to a `&mut` slice; the function that callers see returns `bico::Result<()>`";
    function_part(what: &str) =
        "a Rust function that is tuned cannot have {what}",
        "write a plain function: `pub fn axpy<const TILE: usize>(..) {{ .. }}`";
    reference_of_function(text: &str) =
        "`with` fixes macros, which `{text}` has none of",
        "remove it: the reference of a Rust function is a function of the same file without const parameters";
}
