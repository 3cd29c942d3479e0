//! Whether a compiled GPU kernel takes what the wrapper passes: number and width of the parameters, and its variables,
//! which are all that a cubin tells.

use super::{Passed, Role, constants, passed};
use crate::compile::{Service, Unit};
use bico_core::Lists;
use bico_syntax::TunableSpec;

/// Bytes of an address on a GPU.
const POINTER: u32 = 8;

/// Bytes of a tensor map.
const TENSOR: u32 = 128;

/// Compares a kernel with the wrapper's arguments. A source that does not compile is not this
/// function's business.
///
/// # Errors
///
/// They differ; the text shows both.
pub(crate) fn check(
    service: &Service,
    unit: &Unit,
    spec: &TunableSpec,
    role: &Role,
) -> Result<(), String> {
    // Without a compiler there is nothing to compare with, and that is said elsewhere.
    let Ok(kernel) = service.kernel(unit) else {
        return Ok(());
    };
    if let Some(variables) = &kernel.variables {
        constants::check(variables, spec, role)?;
    }
    let names = unit.gpu.iter().flat_map(|gpu| &gpu.expressions);
    let passes = passed(spec, role.callee).into_iter().zip(names);
    for ((passed, name), entry) in passes.zip(&kernel.entries) {
        if let Some(found) = &entry.parameters {
            compare(&passed, found, name, spec, role)?;
        }
    }
    Ok(())
}

fn compare(
    passed: &[Passed],
    found: &[u32],
    entry: &str,
    spec: &TunableSpec,
    role: &Role,
) -> Result<(), String> {
    let wanted: Vec<u32> = passed.iter().map(width).collect_vec();
    if found == wanted {
        return Ok(());
    }
    let found = found.iter().map(|bytes| format!("{bytes} bytes"));
    Err(format!(
        "the arguments of the wrapper differ from those of the {what} `{entry}` in `{}`\n  = note: the wrapper passes: {}\n  = note: the {what} takes:   {}\n  = help: make number and width of the arguments equal; signedness and `const` may differ",
        role.source(spec),
        list(passed.iter().map(described).collect_vec()),
        list(found.collect_vec()),
        what = role.name
    ))
}

fn width(passed: &Passed) -> u32 {
    match passed {
        Passed::Pointer(..) | Passed::Records | Passed::Null | Passed::Stream => POINTER,
        Passed::Value(element) => element.size() as u32,
        Passed::Structure(layout) => layout.size() as u32,
        Passed::Tensor => TENSOR,
        Passed::Result => 0,
    }
}

fn described(passed: &Passed) -> String {
    match passed {
        Passed::Pointer(element, _) => format!("{POINTER} bytes (`{}` buffer)", element.name()),
        Passed::Records => format!("{POINTER} bytes (buffer of arrays or structures)"),
        Passed::Null => format!("{POINTER} bytes (`null`)"),
        Passed::Value(element) => format!("{} bytes (`{}`)", element.size(), element.name()),
        Passed::Structure(layout) => {
            format!("{} bytes (`{}`)", layout.size(), layout.name())
        }
        Passed::Tensor => format!("{TENSOR} bytes (`CUtensorMap`)"),
        Passed::Stream => "the stream".to_string(),
        Passed::Result => "an `int`".to_string(),
    }
}

fn list(items: Vec<String>) -> String {
    match items.is_empty() {
        true => "nothing".to_string(),
        false => items.join(", "),
    }
}
