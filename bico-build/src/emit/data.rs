//! The dispatcher's data as a Rust expression.

use super::Emission;
use bico_core::device::DeviceKey;
use bico_core::{Lists, Value};
use bico_syntax::{Layout, Name};
use std::fmt::{Debug, Write};

/// The parts of the data that speak of code for GPUs, as expressions.
#[cfg_attr(not(feature = "cuda"), allow(dead_code))]
pub(super) struct GpuText {
    /// The content of `Data::sources`.
    pub(super) sources: String,
    /// `Candidate::gpu` of each candidate.
    pub(super) candidates: Vec<String>,
}

/// The content of `OUT_DIR/bico/<key>.rs`.
///
/// `gpu` is what it says of code for GPUs.
pub(super) fn text(emission: &Emission, gpu: Option<&GpuText>) -> String {
    let (crate_path, key) = (&emission.crate_path, &emission.key);
    let (fingerprint, hash) = (emission.fingerprint, emission.hash);
    let (sizes, consts) = (&emission.sizes, &emission.consts);
    let parameters = &emission.parameters;
    let mut out = format!("{}\n", bico_syntax::data_header(fingerprint));
    if emission.is_rust() {
        let candidates = emission.candidates.iter().map(|of| {
            let arguments = of.unit.defines.iter().map(|(_, value)| value.as_str());
            arguments.collect_vec().join(", ")
        });
        let _ = writeln!(
            out,
            "{}",
            bico_syntax::candidates_line(&candidates.collect_vec())
        );
    }
    out.push_str("{\n");
    for (name, value) in &emission.file_consts {
        check_const(&mut out, name, *value);
    }
    for layout in &emission.structures {
        check_layout(&mut out, layout);
    }
    for library in &emission.libraries {
        let _ = writeln!(
            out,
            "    #[link(name = {library:?})] unsafe extern \"C\" {{}}"
        );
    }
    let candidates = emission.candidates.iter().enumerate();
    let unverified = candidates.filter(|(_, candidate)| !candidate.verified);
    let unverified: Vec<usize> = unverified.map(|(index, _)| index).collect_vec();
    let _ = write!(
        out,
        "    {crate_path}::__private::Data {{\n        \
         fingerprint: 0x{fingerprint:016x},\n        \
         hash: \"{hash}\",\n        \
         unverified: &{unverified:?},\n        \
         key: {key:?},\n        \
         parameters: &{parameters:?},\n        \
         sizes: &{sizes:?},\n        \
         consts: &{consts:?},\n        \
         candidates: &[\n"
    );
    const NONE: &str = "::core::option::Option::None";
    for (index, candidate) in emission.candidates.iter().enumerate() {
        let (variant, needs) = (candidate.variant, &candidate.needs);
        let values = values(crate_path, &candidate.values);
        let only_on = keys(&candidate.only_on);
        let gpu = gpu.and_then(|gpu| gpu.candidates.get(index));
        let gpu = gpu.map_or(NONE, String::as_str);
        let _ = writeln!(
            out,
            "            {crate_path}::__private::Candidate {{ \
             values: &{values}, variant: {variant}, needs: &{needs:?}, only_on: &{only_on}, gpu: {gpu} }},"
        );
    }
    out.push_str("        ],\n        problems: &[\n");
    for problem in &emission.problems {
        let (sizes, variant, order) = (&problem.sizes, problem.variant, &problem.order);
        let (winners, first, top) = (&problem.winners, problem.first, problem.top);
        let consts = values(crate_path, &problem.consts);
        let _ = writeln!(
            out,
            "            {crate_path}::__private::Problem {{ \
             sizes: &{sizes:?}, consts: &{consts}, variant: {variant}, winners: &{winners:?}, order: &{order:?}, first: {first}, top: {top} }},"
        );
    }
    let devices = keys(&emission.devices);
    let sources = gpu.map_or("", |gpu| &gpu.sources);
    let _ = write!(
        out,
        "        ],\n        devices: &{devices},\n        sources: &[{sources}],\n    }}\n}}\n"
    );
    out
}

fn keys(devices: &[DeviceKey]) -> String {
    let keys: Vec<&str> = devices.iter().map(DeviceKey::as_str).collect_vec();
    format!("{keys:?}")
}

fn values(crate_path: &str, values: &[Value]) -> String {
    let values: Vec<String> = values
        .iter()
        .map(|v| constant(crate_path, *v))
        .collect_vec();
    format!("[{}]", values.join(", "))
}

/// A value as an expression of the runtime's type.
fn constant(crate_path: &str, value: Value) -> String {
    let of = |kind: &str, value: &dyn Debug| format!("{crate_path}::Value::{kind}({value:?})");
    match value {
        Value::Int(value) => of("Int", &value),
        Value::Float(value) if value.is_finite() => of("Float", &value),
        Value::Float(value) => format!(
            "{crate_path}::Value::Float(f64::from_bits({:#x}))",
            value.to_bits()
        ),
        Value::Bool(value) => of("Bool", &value),
        Value::Str(value) => of("Str", &value),
    }
}

/// Lets rustc compare a `const` of the user's file with what the build script read.
fn check_const(out: &mut String, name: &str, value: Value) {
    let same = match value {
        Value::Int(value) => format!("{name} as i64 == {value}"),
        // By bits, as NaN equals itself there. The `const` may be an `f32`, with fewer digits.
        Value::Float(value) => {
            let short = f64::from(value as f32);
            let is = |value: f64| format!("({name} as f64).to_bits() == {:#x}", value.to_bits());
            format!("{} || {}", is(value), is(short))
        }
        Value::Bool(value) => format!("{name} == {value}"),
        Value::Str(value) => format!(
            "{{ let (a, b): (&[u8], &[u8]) = ({name}.as_bytes(), {value:?}.as_bytes()); \
             let mut i = 0; \
             while i < a.len() && i < b.len() && a[i] == b[i] {{ i += 1; }} \
             i == a.len() && i == b.len() }}"
        ),
    };
    let message = format!(
        "the build script took `{name}` to be {value}: bico reads the `const` items of the same file"
    );
    assertion(out, &same, &message);
}

/// Lets rustc compare a structure with what the build script read.
fn check_layout(out: &mut String, layout: &Layout) {
    let Some(Name { text: path, .. }) = &layout.structure else {
        return;
    };
    let (size, align) = (layout.size(), layout.align);
    let mut same = format!(
        "::core::mem::size_of::<{path}>() == {size} && ::core::mem::align_of::<{path}>() == {align}"
    );
    let (mut offset, mut fields) = (0, Vec::new());
    for field in &layout.fields {
        let (name, element) = (&field.name, field.element.name());
        let _ = write!(
            same,
            " && ::core::mem::offset_of!({path}, {name}) == {offset}"
        );
        offset += field.size();
        fields.push(match field.array {
            Some(count) => format!("{name}: [{element}; {count}]"),
            None => format!("{name}: {element}"),
        });
    }
    let message = format!(
        "the build script took `{path}` to hold {}: bico reads the `struct` of that name in the same file",
        fields.join(", ")
    );
    assertion(out, &same, &message);
}

fn assertion(out: &mut String, same: &str, message: &str) {
    let message = message.replace('{', "{{").replace('}', "}}");
    let _ = writeln!(
        out,
        "    #[allow(clippy::all)]\n    const _: () = assert!({same}, {message:?});"
    );
}
