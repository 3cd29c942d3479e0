//! Whether a compiled GPU kernel takes what the wrapper passes: number and width of the parameters,
//! which are all that a cubin tells.

use super::{Passed, Role, passed};
use crate::compile::{Service, Unit};
use bico_syntax::TunableSpec;
use std::fmt::Write;

/// Bytes of an address on a GPU.
const POINTER: u32 = 8;

/// Compares the kernel of a GPU unit with the wrapper's arguments, as measuring does.
///
/// # Errors
///
/// They differ; the text shows both.
pub(crate) fn check_arguments(
    service: &Service,
    unit: &Unit,
    spec: &TunableSpec,
) -> Result<(), String> {
    // Without a compiler there is nothing to compare with, and that is said elsewhere.
    check(service, unit, spec, &passed(spec, true), Role::Kernel)
}

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
    passed: &[Passed],
    role: Role,
) -> Result<(), String> {
    let Ok(kernel) = service.kernel(unit) else {
        return Ok(());
    };
    let Some(found) = kernel.parameters else {
        return Ok(());
    };
    let wanted: Vec<u32> = passed.iter().map(width).collect();
    if found == wanted {
        return Ok(());
    }
    let entry = unit.gpu.as_ref().map_or("", |gpu| &gpu.expression);
    let mut text = format!(
        "the arguments of the wrapper differ from those of the {} `{entry}` in `{}`",
        role.name(),
        spec.source.path.text
    );
    let _ = write!(
        text,
        "\n  = note: the wrapper passes: {}\n  = note: the {} takes:   {}\n  = help: make number and width of the arguments equal; signedness and `const` may differ",
        list(passed.iter().map(described)),
        role.name(),
        list(found.iter().map(|bytes| format!("{bytes} bytes")))
    );
    Err(text)
}

fn width(passed: &Passed) -> u32 {
    match passed {
        Passed::Pointer(..) => POINTER,
        Passed::Value(element) => element.size() as u32,
    }
}

fn described(passed: &Passed) -> String {
    match passed {
        Passed::Pointer(element, _) => format!("{POINTER} bytes (`{}` buffer)", element.name()),
        Passed::Value(element) => format!("{} bytes (`{}`)", element.size(), element.name()),
    }
}

fn list(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    if items.is_empty() {
        "nothing".to_string()
    } else {
        items.join(", ")
    }
}
