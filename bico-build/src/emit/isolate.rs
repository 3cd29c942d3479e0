//! One candidate's object, made so that nothing of it can meet another candidate's.
//!
//! All candidates come from one source, so their helpers bear the same names. Only the entries stay
//! visible, under names of their own; what the object takes from outside (the C library) stays open.

use super::EmitError;
use crate::compile::{CompileError, Service, is_of_cpp};
use std::path::Path;

/// Writes `out`: the object with `entries` as its only global symbols, named `symbols`.
pub(super) fn isolate(
    object: &Path,
    entries: &[String],
    symbols: &[String],
    out: &Path,
    service: &Service,
) -> Result<(), EmitError> {
    let mut object = object.to_path_buf();
    // C++ objects hold groups (inline functions, templates) that a linker would share with others by
    // their name whatever else is done to them; so they are dissolved first. C objects have none.
    if is_of_cpp(&object) {
        let linked = out.with_extension("linked.o");
        let dissolved = service.relocatable(object, &linked);
        dissolved.map_err(|error| failed("ld -r", &error).help("kernels in C++ need GNU ld"))?;
        object = linked;
    }
    let mut command = service
        .objcopy()
        .map_err(|error| failed("objcopy", &error))?;
    // It renames first, so what it keeps is the new name. It takes no name twice.
    for (at, (entry, symbol)) in entries.iter().zip(symbols).enumerate() {
        if !entries[..at].contains(entry) {
            command
                .arg(format!("--redefine-sym={entry}={symbol}"))
                .arg(format!("--keep-global-symbol={symbol}"));
        }
    }
    command.args([object.as_path(), out]);
    let help = "install GNU binutils, or set OBJCOPY to an objcopy that knows --keep-global-symbol";
    let isolated = service.run(command);
    isolated.map_err(|error| failed("objcopy", &error).help(help))
}

/// Whether an object can define `entry`. A name is stored with a zero behind it, so one that is
/// not there is surely no symbol: that is said here, in the user's words, and not by a linker.
pub(crate) fn may_define(object: &[u8], entry: &str) -> bool {
    let name = [entry.as_bytes(), b"\0"].concat();
    let mut rest = object;
    // By its last letter: `windows` would be slow in an unoptimised build script.
    while let Some(end) = rest.iter().position(|byte| *byte == 0) {
        if rest[..=end].ends_with(&name) {
            return true;
        }
        rest = &rest[end + 1..];
    }
    false
}

pub(super) fn failed(tool: &str, error: &CompileError) -> EmitError {
    format!("{tool} failed: {}", error.summary).into()
}
