//! The sources of Rust functions that are tuned themselves: `target/bico/<package>/<key>.rs`.
//!
//! Such a file holds what the function needs of its own file, and everything else is blank: errors of rustc have the
//! lines and columns of the user's. Behind it stand the functions through which a worker calls, as macros, and what the
//! compiler has to know (`//# ..`).

use super::dependencies::Dependencies;
use super::items::Attributes;
use super::slice::{Part, parts};
use crate::env::{self, Env};
use crate::files::write_if_changed;
use bico_core::{Lists, Set};
use bico_syntax::{
    ArgumentKind, Error, Function, Input, ReferenceKind, RustFunction, RustType, TunableSpec,
    Wrapper, file_stem,
};
use boml::table::TomlTable;
use proc_macro2::{Ident, TokenStream};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Begins a line that says something of how the file is compiled.
pub(crate) const MARK: &str = "//# ";

/// Writes the source of a function of this file; gives its path. `inputs` get the files whose change changes it, but for the
/// package's own manifest and this file.
///
/// # Errors
///
/// It needs what is not in the file, or the file cannot be written.
pub(super) fn write(
    wrapper: &Wrapper,
    rust: &RustFunction,
    (file, text): (&Path, &str),
    env: &Env,
    inputs: &mut Set<PathBuf>,
) -> Result<PathBuf, Error> {
    let spec = &wrapper.spec;
    let tokens: TokenStream = text.parse().unwrap_or_default();
    let parts = parts(tokens);
    let is_cut = |part: &Part| Attributes::read(part.attributes.iter().collect(), env).is_none();
    let parts = parts.into_iter().filter(|part| !is_cut(part));
    let parts: Vec<Part> = parts.collect_vec();
    let name = &spec.function;
    let own = parts
        .iter()
        .position(|of| of.is_tunable && of.name.as_ref() == Some(&name.text));
    let Some(own) = own else {
        let message = format!(
            "`{}` stands in a module that has no file of its own",
            name.text
        );
        return Err(Error::new(name.span, message).note(
            "a Rust function that is tuned stands at the outermost level of its file: move the module to a file",
        ));
    };
    let mut roots = vec![own];
    roots.extend(reference(spec, &parts)?);
    let foreign = foreign(&env.manifest_dir);
    // What is linked as it was measured has nobody to take them from.
    let dependencies = (!rust.ships_measured).then(|| Dependencies::read(&env.manifest_dir));
    let has = |name: &String| dependencies.as_ref().is_some_and(|of| of.has(name));
    let foreign = foreign.into_iter().filter(|name| !has(name)).collect();
    let (kept, used) = needed(&parts, roots, &foreign, dependencies.as_ref())?;
    if !used.is_empty() {
        inputs.extend(dependencies.iter().flat_map(Dependencies::files));
    }
    let mut out = blanked(text, &parts, &kept);
    for name in &used {
        let _ = writeln!(out, "use bico_dependencies::{name};");
    }
    entries(&mut out, &wrapper.function, spec, rust);
    for line in dependencies.iter().flat_map(|of| of.lines(&used)) {
        let _ = writeln!(out, "{MARK}{line}");
    }
    let _ = writeln!(out, "{MARK}--edition={}", edition(&env.manifest_dir));
    for feature in features(&out, env) {
        let _ = writeln!(out, "{MARK}--cfg=feature=\"{feature}\"");
    }
    if rust.ships_measured {
        // One object, whether it is linked for a worker or for the program.
        let _ = writeln!(out, "{MARK}--codegen=codegen-units=1");
    }
    let _ = writeln!(out, "{MARK}{}", file.display());
    let path = env
        .trail_dir()
        .join(format!("{}.rs", file_stem(&spec.key.text)));
    write_if_changed(&path, out.as_bytes()).map_err(|error| {
        let path = path.display();
        Error::new(
            name.span,
            format!("could not write the function's source to `{path}`: {error}"),
        )
    })?;
    Ok(path)
}

/// The reference, where it is a function of the file.
fn reference(spec: &TunableSpec, parts: &[Part]) -> Result<Option<usize>, Error> {
    let Some(reference) = &spec.verify.reference else {
        return Ok(None);
    };
    let ReferenceKind::Entry(wanted) = &reference.kind else {
        return Ok(None);
    };
    let is_function = |of: &&Part| of.keyword == "fn" && !of.is_tunable;
    let named =
        |of: &Part| of.keyword == "fn" && !of.is_tunable && of.name.as_ref() == Some(wanted);
    if let Some(at) = parts.iter().position(named) {
        return Ok(Some(at));
    }
    let functions = parts.iter().filter(is_function);
    let functions = functions.filter_map(|of| of.name.as_deref());
    let functions: Vec<&str> = functions.collect_vec();
    let message = format!("this file has no function `{wanted}`");
    let error = Error::new(reference.span, message);
    let error = match bico_syntax::nearest(wanted, &functions) {
        Some(near) => error.note(format!("did you mean `{near}`?")),
        None => error,
    };
    Err(error.note("the reference of a Rust function is a function of the same file, with its arguments and without const parameters, or a C file for small sizes: `reference = \"reference.c\"`"))
}

/// All that these parts need of the file, themselves included, and of the package's dependencies.
fn needed(
    parts: &[Part],
    roots: Vec<usize>,
    foreign: &Set<String>,
    dependencies: Option<&Dependencies>,
) -> Result<(Vec<usize>, Vec<String>), Error> {
    let (mut kept, mut waiting) = (Vec::new(), roots);
    let mut used: Vec<String> = Vec::new();
    // What a `*` brings, nobody knows.
    let brings = |part: &Part, name: &str| part.keyword == "use" && part.is_of(name);
    for (at, part) in parts.iter().enumerate() {
        let mut names = dependencies.iter().flat_map(|of| of.names());
        if part.brings_all() && names.any(|name| brings(part, name)) {
            waiting.push(at);
        }
    }
    while let Some(at) = waiting.pop() {
        if kept.contains(&at) {
            continue;
        }
        kept.push(at);
        let words = parts[at].words();
        let local = |name: &str| parts.iter().find(|of| of.name.as_deref() == Some(name));
        let is_foreign = |name: &str| match local(name) {
            Some(part) => part.is_file(),
            None => foreign.contains(&name.to_string()),
        };
        if let Some(word) = parts[at].reaches_out(&is_foreign) {
            let is_file = local(&word.to_string()).is_some();
            return Err(out_of_reach(&word, is_file, dependencies.is_none()));
        }
        for name in dependencies.iter().flat_map(|of| of.names()) {
            let is_new = local(name).is_none() && used.iter().all(|known| known != name);
            if is_new && parts[at].reaches_out(&|word| word == name).is_some() {
                used.push(name.to_string());
                // Its traits are named nowhere else.
                let own = (0..parts.len()).filter(|other| brings(&parts[*other], name));
                waiting.extend(own);
            }
        }
        for (other, part) in parts.iter().enumerate() {
            if part.is_used_by(&words) {
                waiting.push(other);
            }
        }
        // What is implemented for a type that is there, or of a trait.
        for (other, part) in parts.iter().enumerate() {
            let is_kept = |name: &String| {
                let of = |at: &usize| parts[*at].name.as_ref() == Some(name);
                part.header.contains(name) && kept.iter().any(of)
            };
            let mut names = parts.iter().filter_map(|of| of.name.as_ref());
            if part.keyword == "impl" && names.any(is_kept) {
                waiting.push(other);
            }
        }
    }
    used.sort_unstable();
    Ok((kept, used))
}

/// `linked`: the function ships as it was measured.
fn out_of_reach(word: &Ident, is_file: bool, linked: bool) -> Error {
    let message = match word.to_string().as_str() {
        file if is_file => {
            format!("`{file}` is a module in another file, and a Rust function is tuned by itself")
        }
        own @ ("crate" | "super") => {
            format!("`{own}` leads out of this file, and a Rust function is tuned by itself")
        }
        other => format!("`{other}` is another crate, and a Rust function is tuned by itself"),
    };
    Error::new(word.span(), message).note(match linked {
        true => "what ships as it was measured uses `core`, `std` and its own file: move it there, or remove `ship = measured`",
        false => "what it uses is in `core`, in `std`, in its own file, or in a dependency of the package that has a version: move it there",
    })
}

/// The text with nothing in it but these parts.
fn blanked(text: &str, parts: &[Part], kept: &[usize]) -> String {
    let mut keep = vec![false; text.len()];
    for part in kept.iter().map(|at| &parts[*at]) {
        for byte in keep.get_mut(part.place.clone()).into_iter().flatten() {
            *byte = true;
        }
        for byte in part.holes.iter().flat_map(Clone::clone) {
            if let Some(byte) = keep.get_mut(byte) {
                *byte = false;
            }
        }
    }
    let bytes = text.bytes().zip(keep);
    let bytes = bytes.map(|(byte, keep)| if keep || byte == b'\n' { byte } else { b' ' });
    let mut out = String::from_utf8_lossy(&bytes.collect::<Vec<u8>>()).into_owned();
    out.push('\n');
    out
}

/// What a worker calls, for const arguments that are not known yet.
fn entries(out: &mut String, function: &Function, spec: &TunableSpec, rust: &RustFunction) {
    out.push_str(
        "#[inline(always)]\nunsafe fn __bico_len(a: *const *mut ::core::ffi::c_void, at: usize) -> usize {\n    \
         unsafe { *(*a.add(at) as *const u64) as usize }\n}\n",
    );
    for (name, of, from) in [
        ("__bico_slice", "", "from_raw_parts(*a.add(at) as *const T"),
        (
            "__bico_slice_mut",
            "mut ",
            "from_raw_parts_mut(*a.add(at) as *mut T",
        ),
    ] {
        let _ = writeln!(
            out,
            "#[inline(always)]\nunsafe fn {name}<'a, T>(a: *const *mut ::core::ffi::c_void, at: usize, len: usize) -> &'a {of}[T] {{\n    \
             unsafe {{\n        match __bico_len(a, len) {{\n            0 => &{of}[],\n            \
             len => ::core::slice::{from}, len),\n        }}\n    }}\n}}"
        );
    }
    let inputs = function.inputs.iter().zip(&spec.arguments);
    let (count, mut buffers) = (spec.arguments.len(), 0);
    let mut arguments: Vec<String> = Vec::new();
    for (at, (input, argument)) in inputs.enumerate() {
        arguments.push(match &argument.kind {
            ArgumentKind::Buffer { mutable, .. } => {
                let slice = if *mutable {
                    "__bico_slice_mut"
                } else {
                    "__bico_slice"
                };
                let len = count + buffers;
                buffers += 1;
                format!("{slice}::<{}>(a, {at}, {len})", element(input))
            }
            _ => format!(
                "*(*a.add({at}) as *const {})",
                input.kind.clone().unwrap_or_default()
            ),
        });
    }
    let arguments = arguments.join(", ");
    let name = &spec.function.text;
    let mut entry = |of: &str, matched: &str, called: &str| {
        let _ = writeln!(
            out,
            "macro_rules! __bico_{of} {{\n    ({matched}) => {{\n        #[unsafe(no_mangle)]\n        \
             pub unsafe extern \"C\" fn $symbol(a: *const *mut ::core::ffi::c_void) {{\n            \
             unsafe {{ {called}({arguments}) }}\n        }}\n    }};\n}}"
        );
    };
    debug_assert!(!rust.consts.is_empty() || spec.parameters.is_empty());
    entry(
        "kernel",
        "$symbol:ident $($argument:tt)*",
        &format!("{name}::<$($argument)*>"),
    );
    if let Some(reference) = &spec.verify.reference
        && let ReferenceKind::Entry(of) = &reference.kind
    {
        entry("reference", "$symbol:ident", of);
    }
}

/// The type of a slice's elements, as written.
fn element(input: &Input) -> String {
    let Some(RustType::Reference { target, .. }) = input.rust_type() else {
        return String::new();
    };
    match *target {
        RustType::Slice { tokens, .. } => tokens.to_string(),
        _ => String::new(),
    }
}

/// The other crates that a file may name, and what leads to other files.
fn foreign(manifest_dir: &Path) -> Set<String> {
    let text = std::fs::read_to_string(manifest_dir.join("Cargo.toml")).unwrap_or_default();
    let mut names: Set<String> = ["crate", "super", "bico"]
        .map(String::from)
        .into_iter()
        .collect();
    let Ok(manifest) = boml::parse(&text) else {
        return names;
    };
    let mut add = |table: Option<&TomlTable<'_>>| {
        for name in table.into_iter().flat_map(|table| table.keys()) {
            names.insert(name.as_str().replace('-', "_"));
        }
    };
    for kind in ["dependencies", "dev-dependencies"] {
        add(manifest.get_table(kind).ok());
    }
    names
}

/// The features that are on among those that a text asks for. A build and the command know them by cargo's spelling alone.
fn features(text: &str, env: &Env) -> Set<String> {
    let named = |rest: &str| {
        let rest = rest.trim_start().strip_prefix('=')?;
        let (name, _) = rest.trim_start().strip_prefix('"')?.split_once('"')?;
        Some(name.to_string())
    };
    let named = text.split("feature").skip(1).filter_map(named);
    let is_on = |name: &String| {
        env.features
            .contains(&name.to_uppercase().replace('-', "_"))
    };
    named.filter(is_on).collect()
}

/// The package's edition.
fn edition(manifest_dir: &Path) -> String {
    let of = |folder: &Path, tables: &[&str]| {
        let text = std::fs::read_to_string(folder.join("Cargo.toml")).ok()?;
        let manifest = boml::parse(&text).ok()?;
        let mut table: &TomlTable<'_> = &manifest;
        for name in tables {
            table = table.get_table(name).ok()?;
        }
        table.get_string("edition").ok().map(String::from)
    };
    let inherited = || {
        of(
            &env::workspace_root(manifest_dir)?,
            &["workspace", "package"],
        )
    };
    let edition = of(manifest_dir, &["package"]).or_else(inherited);
    edition.unwrap_or_else(|| "2015".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::items::tests::env;

    #[test]
    fn features_that_a_text_asks_for() {
        let text = "#[cfg(feature = \"fast-math\")] fn f() { cfg!(feature=\"other\"); features(\"FAST_MATH\") }";
        assert_eq!(Vec::from_iter(features(text, &env())), ["fast-math"]);
    }

    #[test]
    fn an_edition_is_read_or_inherited() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("a");
        std::fs::create_dir(&inner).unwrap();
        let root = "[workspace]\nmembers = ['a']\n[workspace.package]\nedition = '2021'\n";
        std::fs::write(folder.path().join("Cargo.toml"), root).unwrap();
        for (text, expected) in [
            (
                "[package]\nedition = '2024'\n[dependencies]\nmy-crate = '1'\n",
                "2024",
            ),
            ("[package]\nedition.workspace = true\n", "2021"),
        ] {
            std::fs::write(inner.join("Cargo.toml"), text).unwrap();
            assert_eq!(edition(&inner), expected);
        }
        std::fs::write(inner.join("Cargo.toml"), "[dependencies]\nmy-crate = '1'\n").unwrap();
        assert!(foreign(&inner).contains(&"my_crate".to_string()));
    }
}
