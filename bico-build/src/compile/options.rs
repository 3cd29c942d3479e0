//! Options that go with a CUDA kernel to every place where it is compiled.

use super::Unit;

/// The options that belong to a unit wherever it is compiled: not the architecture, nor folders.
pub(crate) fn own_options(unit: &Unit) -> Vec<String> {
    let mut options = Vec::new();
    let mut flags = unit.flags.iter();
    if !flags.any(|flag| flag.trim_start_matches('-').starts_with("std")) {
        options.push("--std=c++17".to_string());
    }
    for (name, value) in &unit.defines {
        options.push(format!("-D{name}={value}"));
    }
    options.extend(unit.flags.iter().cloned());
    options
}
