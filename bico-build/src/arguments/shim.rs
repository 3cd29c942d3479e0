//! The C function between worker and kernels: it takes an array of pointers and calls one kernel after the other
//! with its own types, so that the worker needs no other way to make a call of any shape.

use super::Passed;
use crate::compile::is_identifier;
use bico_core::Set;
use bico_syntax::{Element, Layout};
use std::fmt::Write;

/// The function that the shim defines.
pub(crate) const ENTRY: &str = "bico_call";

/// The C name of an element type.
///
/// # Errors
///
/// C has none.
pub(crate) fn c_type(element: Element) -> Result<&'static str, String> {
    Ok(match element {
        Element::F32 => "float",
        Element::F64 => "double",
        Element::I8 => "int8_t",
        Element::I16 => "int16_t",
        Element::I32 => "int32_t",
        Element::I64 => "int64_t",
        Element::Isize => "intptr_t",
        Element::U8 => "uint8_t",
        Element::U16 => "uint16_t",
        Element::U32 => "uint32_t",
        Element::U64 => "uint64_t",
        Element::Usize => "size_t",
        Element::Bool => "_Bool",
        // No C standard has the 16-bit floats, and compilers differ in what they call them.
        Element::F16 | Element::Bf16 => {
            return Err(format!(
                "`{0}` cannot be passed to C\n  = help: `{0}` is for kernels and references in `.cu` files",
                element.name()
            ));
        }
        Element::Str => return Err("`str` cannot be passed to C".to_string()),
    })
}

/// `void f(float *, const float *, uint32_t)`
///
/// # Errors
///
/// The entry is no name, or an argument has no C type.
pub(crate) fn declaration(entry: &str, passed: &[Passed]) -> Result<String, String> {
    let mut types = Vec::new();
    for argument in passed {
        types.extend(parameter(argument)?);
    }
    if !is_identifier(entry) {
        let entry = entry.escape_debug();
        return Err(format!("`{entry}` cannot be the name of a C function"));
    }
    let given = given(passed);
    Ok(match types.is_empty() {
        true => format!("{given} {entry}(void)"),
        false => format!("{given} {entry}({})", types.join(", ")),
    })
}

/// The C type of a parameter; what is given back is none.
///
/// # Errors
///
/// There is none.
pub(super) fn parameter(passed: &Passed) -> Result<Option<String>, String> {
    Ok(Some(match passed {
        Passed::Pointer(element, true) => format!("{} *", c_type(*element)?),
        Passed::Pointer(element, false) => format!("const {} *", c_type(*element)?),
        // Only GPUs' kernels get tensor maps, and what launches them has their addresses.
        Passed::Records | Passed::Null | Passed::Tensor => "void *".to_string(),
        Passed::Value(element) => c_type(*element)?.to_string(),
        Passed::Structure(layout) => structure(layout),
        Passed::Stream => "CUstream".to_string(),
        Passed::Result => return Ok(None),
    }))
}

/// What a parameter is given out of the array `from`: of a GPU's function as a launch has it, the address where it lies.
///
/// # Errors
///
/// It has no C type.
pub(super) fn argument(
    passed: &Passed,
    from: &str,
    at: usize,
    on_stream: bool,
) -> Result<String, String> {
    Ok(match passed {
        Passed::Pointer(..) | Passed::Records if on_stream => {
            format!("*(void *const *){from}[{at}]")
        }
        Passed::Pointer(..) | Passed::Records | Passed::Tensor => format!("{from}[{at}]"),
        Passed::Value(element) => format!("*(const {} *){from}[{at}]", c_type(*element)?),
        Passed::Structure(layout) => format!("*(const {} *){from}[{at}]", structure(layout)),
        Passed::Null | Passed::Stream | Passed::Result => "0".to_string(),
    })
}

/// What a structure is called here: the kernel's own file has another name for it, and nobody compares those.
fn structure(layout: &Layout) -> String {
    format!("struct bico_{}", layout.name())
}

/// A structure that is passed as the kernel's is: the same numbers in the same places.
fn definition(layout: &Layout) -> Result<String, String> {
    let mut text = format!("{} {{\n", structure(layout));
    for (at, field) in layout.fields.iter().enumerate() {
        let count = field
            .array
            .map_or(String::new(), |count| format!("[{count}]"));
        let _ = writeln!(text, "    {} f{at}{count};", c_type(field.element)?);
    }
    let _ = writeln!(text, "}} __attribute__((aligned({})));\n", layout.align);
    Ok(text)
}

/// The type of a stream, as the driver's header has it.
pub(crate) const STREAM: &str = "typedef struct CUstream_st *CUstream;\n";

/// What the function gives back.
pub(crate) fn given(passed: &[Passed]) -> &'static str {
    match passed.last() {
        Some(Passed::Result) => "int",
        _ => "void",
    }
}

/// The shim's source, for these passes: what the first gets stands first in the array. That of a function of the host gets the
/// stream and what a launch would get, and gives back what that one does.
///
/// # Errors
///
/// An entry is no name, or an argument has no C type.
pub(crate) fn source(entries: &[String], passed: &[Vec<Passed>]) -> Result<String, String> {
    let mut text =
        String::from("/* Generated by bico: calls the kernel from an array of pointers. */\n");
    text.push_str("#include <stddef.h>\n#include <stdint.h>\n\n");
    let structures = passed.iter().flatten().filter_map(|passed| match passed {
        Passed::Structure(layout) => Some(definition(layout)),
        _ => None,
    });
    text.extend(structures.collect::<Result<Set<String>, String>>()?);
    let streams = passed
        .iter()
        .any(|of| matches!(of.first(), Some(Passed::Stream)));
    let (head, returns) = match streams {
        true => (
            format!("int {ENTRY}(CUstream stream, void *const *a)"),
            "return ",
        ),
        false => (format!("void {ENTRY}(void *const *a)"), ""),
    };
    if streams {
        text.push_str(STREAM);
    }
    let (mut calls, mut first) = (String::new(), 0);
    for (at, (entry, passed)) in entries.iter().zip(passed).enumerate() {
        let declaration = declaration(entry, passed)?;
        // A function that is called twice has one type. What differs between its passes is no more than signedness.
        if !entries[..at].contains(entry) {
            let _ = writeln!(text, "{declaration};");
        }
        let (mut arguments, mut result) = (Vec::new(), returns.to_string());
        let passed = match passed.as_slice() {
            [Passed::Stream, rest @ ..] => {
                arguments.push("stream".to_string());
                rest
            }
            all => all,
        };
        for (at, passed) in (first..).zip(passed) {
            match passed {
                Passed::Result if streams => {}
                Passed::Result => result = format!("*(int *)a[{at}] = "),
                passed => arguments.push(argument(passed, "a", at, streams)?),
            }
        }
        first += passed.len();
        let _ = writeln!(calls, "    {result}{entry}({});", arguments.join(", "));
    }
    let _ = writeln!(text, "\n{head}\n{{\n    (void)a;\n{calls}}}");
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text() {
        let passed = [
            Passed::Pointer(Element::F32, true),
            Passed::Pointer(Element::F32, false),
            Passed::Value(Element::U32),
        ];
        let of = |entries: &[&str], passed: &[&[Passed]]| {
            let entries: Vec<String> = entries.iter().map(ToString::to_string).collect();
            let passed: Vec<Vec<Passed>> = passed.iter().map(|one| one.to_vec()).collect();
            let text = source(&entries, &passed).unwrap();
            text.split_once("<stdint.h>\n\n").unwrap().1.to_string()
        };
        assert_eq!(
            of(&["dot"], &[&passed]),
            "void dot(float *, const float *, uint32_t);\n\nvoid bico_call(void *const *a)\n{\n    (void)a;\n    dot(a[0], a[1], *(const uint32_t *)a[2]);\n}\n"
        );
        let judge = [&passed[1..], &[Passed::Result]].concat();
        let text = of(&["judge"], &[&judge]);
        assert!(text.contains("int judge(const float *, uint32_t);"));
        assert!(text.contains("    *(int *)a[2] = judge(a[0], *(const uint32_t *)a[1]);"));
        let host = [&[Passed::Stream], &passed[..], &[Passed::Result]].concat();
        assert_eq!(
            of(&["dot"], &[&host]),
            "typedef struct CUstream_st *CUstream;\nint dot(CUstream, float *, const float *, uint32_t);\n\nint bico_call(CUstream stream, void *const *a)\n{\n    (void)a;\n    return dot(stream, *(void *const *)a[0], *(void *const *)a[1], *(const uint32_t *)a[2]);\n}\n"
        );
        let swapped = [passed[1], passed[0], Passed::Value(Element::I32)];
        let text = of(&["dot", "nothing", "dot"], &[&passed, &[], &swapped]);
        assert_eq!(
            text,
            "void dot(float *, const float *, uint32_t);\nvoid nothing(void);\n\nvoid bico_call(void *const *a)\n{\n    (void)a;\n    dot(a[0], a[1], *(const uint32_t *)a[2]);\n    nothing();\n    dot(a[3], a[4], *(const int32_t *)a[5]);\n}\n"
        );
    }

    #[test]
    fn names_are_names() {
        for bad in ["", "1a", "a b", "a;b", "a\n", "é"] {
            assert!(declaration(bad, &[]).is_err(), "{bad:?}");
        }
        assert!(declaration("f", &[Passed::Value(Element::F16)]).is_err());
    }
}
