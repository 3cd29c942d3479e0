//! One candidate's object, made so that nothing of it can meet another candidate's.
//!
//! All candidates come from one source, so their helpers bear the same names. Only the entry stays
//! visible, under a name of its own; what the object takes from outside (the C library) stays open.

use super::EmitError;
use crate::compile::{Binutil, CompileError, Service};
use std::path::{Path, PathBuf};

/// Writes `out`: the object with `entry` as its only global symbol, named `symbol`.
pub(super) fn isolate(
    object: &Path,
    entry: &str,
    symbol: &str,
    out: &Path,
    service: &Service,
) -> Result<(), EmitError> {
    let linked = linked(object, out, service)?;
    let mut command = service
        .binutil(Binutil::Objcopy)
        .map_err(|error| failed("objcopy", &error))?;
    // It renames first, so what it keeps is the new name.
    command
        .arg(format!("--redefine-sym={entry}={symbol}"))
        .arg(format!("--keep-global-symbol={symbol}"));
    command.arg(&linked).arg(out);
    service.run(command).map_err(|error| {
        failed("objcopy", &error).help(
            "install GNU binutils, or set OBJCOPY to an objcopy that knows --keep-global-symbol",
        )
    })
}

/// C++ objects hold groups (inline functions, templates) that a linker would share with others by
/// their name whatever else is done to them; so they are dissolved first. C objects have none.
fn linked(object: &Path, out: &Path, service: &Service) -> Result<PathBuf, EmitError> {
    if !object.to_string_lossy().ends_with(".cpp.o") {
        return Ok(object.to_path_buf());
    }
    let linked = out.with_extension("linked.o");
    service
        .relocatable(&[object.to_path_buf()], &linked)
        .map_err(|error| failed("ld -r", &error).help("kernels in C++ need GNU ld"))?;
    Ok(linked)
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
    EmitError::new(format!("{tool} failed: {}", error.summary))
}
