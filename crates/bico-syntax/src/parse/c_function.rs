//! `(file = "fill.c", entry = "fill")`: a function in C that runs on the CPU, whatever the kernel runs on.

use super::names::Context;
use super::options::{Known, Options};
use super::source::{check_path, is_entry};
use crate::messages;
use crate::spec::{CFunction, Name};

const FUNCTION: [Known; 2] = ["file = \"kernels/beside.c\"", "entry = \"beside\""];

/// Reads what stands in the parentheses after `name`; `function` is the default of the entry.
pub(crate) fn c_function(
    options: &Options,
    name: &str,
    function: &str,
    context: &mut Context,
) -> Option<CFunction> {
    let found = host_function(options, name, function, context)?;
    let path = &found.path;
    if !path.text.ends_with(".c") {
        context.report(path.span, messages::c_file(&path.text));
    }
    Some(found)
}

/// The same, whatever the file is.
pub(crate) fn host_function(
    options: &Options,
    name: &str,
    function: &str,
    context: &mut Context,
) -> Option<CFunction> {
    let owner = options.span(name)?;
    let options = options.inner(name, &FUNCTION, context);
    options.require("file", owner, FUNCTION[0], &mut context.errors);
    let entry = options.string("entry", context);
    if let Some(Name { text, span }) = &entry
        && !is_entry(text)
    {
        context.report(*span, messages::entry_name(text));
    }
    let path = options.string("file", context)?;
    check_path(&path.text, path.span, context);
    Some(CFunction {
        path,
        entry: entry.map_or_else(|| function.to_string(), |entry| entry.text),
    })
}
