//! Messages about options and their own values.

use super::Message;
use crate::expr::{Expr, ExprKind};

/// What `syn` says about broken tokens.
pub(crate) fn syntax(text: &str) -> Message {
    Message::new(text)
}

pub(crate) fn stray_comma() -> Message {
    Message::new("expected something before this comma").help("remove the comma")
}

pub(crate) fn expected_comma() -> Message {
    Message::new("expected `,`")
}

pub(crate) fn expected_entry(example: &str) -> Message {
    Message::new(format!("expected something like `{example}`"))
}

pub(crate) fn expected_value(name: &str, example: &str) -> Message {
    Message::new(format!("expected a value for `{name}`"))
        .help(format!("write something like `{example}`"))
}

pub(crate) fn attribute_inside() -> Message {
    Message::new("attributes cannot stand inside `bico::tunable`")
        .help("for a tunable that exists only sometimes, put `#[cfg(..)]` on the function")
}

pub(crate) fn unsupported_option(name: &str, owner: &str, known: &[&str]) -> Message {
    Message::new(format!("unsupported option `{name}` of `{owner}`")).known(name, known, "options")
}

pub(crate) fn repeated_option(name: &str) -> Message {
    Message::new(format!("repeated option `{name}`")).help("keep one of them")
}

pub(crate) fn required_option(name: &str, example: &str) -> Message {
    Message::new(format!("required option `{name}` is missing")).help(format!("add `{example}`"))
}

pub(crate) fn option_form(name: &str, list: bool, example: &str) -> Message {
    let form = if list {
        "parentheses"
    } else {
        "`=` and a value"
    };
    Message::new(format!("option `{name}` is written with {form}"))
        .help(format!("write `{example}`"))
}

/// For a word that stands alone.
pub(crate) fn option_without_value(name: &str) -> Message {
    Message::new(format!("option `{name}` takes no value")).help(format!("write `{name}`"))
}

pub(crate) fn expected_literal(what: &str, found: &Expr) -> Message {
    let message = Message::new(format!("expected {what}, written out"));
    match &found.kind {
        ExprKind::Name(name) if what == "a string" && !name.is_empty() => {
            message.help(format!("put it in quotes: `\"{name}\"`"))
        }
        _ => message,
    }
}

pub(crate) fn empty_string() -> Message {
    Message::new("an empty string").help("remove it")
}

pub(crate) fn crate_path() -> Message {
    Message::new("expected a path")
        .help("write where the runtime library is found: `crate = ::bico`")
}

pub(crate) fn source_ending(path: &str) -> Message {
    Message::new(format!("`{path}` is in no language that bico compiles"))
        .help("end the file's name with .cu (CUDA C++), .c (C), .cpp or .cc (C++)")
}

pub(crate) fn path(path: &str) -> Message {
    Message::new(format!("`{path}` is no path that works on every machine"))
        .help("write it relative to the package's root, with `/`: `kernels/gemm.c`")
}

pub(crate) fn entry_name(text: &str) -> Message {
    Message::new(no_name(text, "a kernel")).help("give the name of a function in the source")
}

pub(crate) fn key(text: &str) -> Message {
    Message::new(no_name(text, "a tunable"))
        .help("write an identifier, or several joined by `-`, `.` or `::`: it names files")
}

fn no_name(text: &str, of: &str) -> String {
    if text.is_empty() {
        format!("the name of {of} is empty")
    } else {
        format!("`{text}` cannot be the name of {of}")
    }
}

pub(crate) fn launch_on_cpu() -> Message {
    Message::new("a CPU kernel has no `launch`: it is called once").help("remove `launch(..)`")
}

pub(crate) fn live_on_gpu() -> Message {
    Message::new("`live` compares the results of C and C++ kernels, not of CUDA kernels")
        .help("remove it: calls try only candidates that were verified when they were tuned")
}

pub(crate) fn extents(count: usize) -> Message {
    Message::new(format!("{count} extents, expected 1 to 3"))
        .help("write `(x, y, z)`, `(x, y)` or `x`")
}

pub(crate) fn template_in_c() -> Message {
    Message::new("C has no templates")
        .help("remove `template`: every parameter reaches the kernel as `-DNAME=value`")
}

pub(crate) fn template_name(name: &str, known: &[&str]) -> Message {
    Message::new(format!("`{name}` is no parameter of `space`")).known(name, known, "parameters")
}

pub(crate) fn template_repeated(name: &str) -> Message {
    Message::new(format!("repeated template argument `{name}`")).help("keep one of them")
}

pub(crate) fn reference(text: &str) -> Message {
    Message::new(format!("`{text}` is neither a kernel's name nor a C file"))
        .help("name another entry of the same source, or a file that ends in .c")
}

pub(crate) fn without_reference(option: &str) -> Message {
    Message::new(format!(
        "`{option}` belongs to a reference, and there is none"
    ))
    .help("add `reference = \"gemm_naive\"`")
}

pub(crate) fn launch_of_file() -> Message {
    Message::new("a reference in C has no `launch`: it runs on the CPU").help("remove `launch(..)`")
}

pub(crate) fn entry_of_entry() -> Message {
    Message::new("`entry` goes with a reference in a file of its own")
        .help("remove it: `reference` names the entry already")
}

pub(crate) fn strategy(name: &str, known: &[&str]) -> Message {
    Message::new(format!("unknown strategy `{name}`")).known(name, known, "strategies")
}

pub(crate) fn constant_scale(expr: &Expr, parameters: &[&str]) -> Message {
    let message = Message::new(format!(
        "`{expr}` is the same for every config, `budget_scale` must name a parameter"
    ));
    if parameters.is_empty() {
        message
    } else {
        message.help(format!("parameters: {}", parameters.join(", ")))
    }
}

pub(crate) fn cache() -> Message {
    Message::new("expected `warm` or `cold`")
        .help("`cold` (the default) flushes the caches between runs, `warm` does not")
}

pub(crate) fn flag_brace(flag: &str) -> Message {
    Message::new(format!("the braces in `{flag}` hold no name"))
        .help("write `{NAME}` for a value, `{{` and `}}` for the braces themselves")
}

pub(crate) fn control_character() -> Message {
    Message::new("a control character in a string")
        .help("strings become file names, compiler flags and lines of bico.lock")
}

pub(crate) fn empty_space() -> Message {
    Message::new("`space` has no parameter").help("add one: `space(TILE in [4, 8, 16])`")
}

pub(crate) fn not_a_domain(expr: &Expr, found: &crate::parse::Type) -> Message {
    Message::new(format!(
        "`{expr}` is {}, `in` needs a list of values",
        found.words()
    ))
    .help("write `[1, 2, 4]`, `1..=32`, `(8..=128).step_by(8)` or `powers_of_two(4..=256)`")
    .help("a value that follows from other parameters is written with `=`")
}

pub(crate) fn derived_list(name: &str, expr: &Expr) -> Message {
    Message::new(format!("`{expr}` is a list, `{name} = ..` needs one value"))
        .help(format!("to try each of them, write `{name} in {expr}`"))
}

pub(crate) fn const_in_space(name: &str) -> Message {
    Message::new("`space` has no `const`").help(format!("write `{name} = ..` without it"))
}
