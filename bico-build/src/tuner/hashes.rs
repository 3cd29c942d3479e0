//! What a tunable's results depend on, as hashes.

use super::plan::render;
use crate::compile::{Hash, SourceHash, file_hash, redefined, relative, source_hash};
use crate::lock::Hashes;
use crate::scan::Found;
use bico_core::{Lists, Map, Value};
use bico_syntax::bind::{SpaceError, written};
use bico_syntax::{CFunction, FlagPart, Kernel, Name, ReferenceKind, TunableSpec, canonical_with};
use proc_macro2::Span;
use std::io;
use std::path::{Path, PathBuf};

/// The compiler's flags without those that hold a parameter: what a kernel includes is the same for all configs.
fn literal_flags(spec: &TunableSpec, kernel: &Kernel, consts: &Map<String, Value>) -> Vec<String> {
    let part = |part: &FlagPart| match part {
        FlagPart::Text(text) => Some(text.clone()),
        FlagPart::Name(name) => consts.get(name).map(|value| written(*value)),
    };
    let mut flags = kernel.source.flags();
    for flag in spec.flags_of(kernel) {
        let flag: Option<String> = flag.iter().map(part).collect();
        flags.push(flag.unwrap_or_default());
    }
    flags
}

/// What is said of a file that the attribute names and nobody can read.
fn unreadable(found: &Found, root: &Path, path: &str, span: Span, error: &io::Error) -> String {
    let error = SpaceError::new(span, format!("cannot read `{path}`: {error}"));
    let shown = render(found, root, &error);
    let shown = shown.trim_end();
    format!("{shown}\n  = help: paths are relative to the package, the folder of Cargo.toml")
}

/// The hashes of a tunable, and the files that they were taken from.
///
/// # Errors
///
/// A file cannot be read, or defines what the build does: a text in rustc's manner.
pub(super) fn hashes(
    found: &Found,
    root: &Path,
    consts: &Map<String, Value>,
) -> Result<(Hashes, Vec<PathBuf>), String> {
    let spec = &found.spec;
    let canonical = canonical_with(spec, &found.lists);
    let read = |path: &str, span, flags: &[String]| -> Result<SourceHash, String> {
        let hash = source_hash(Path::new(path), root, flags);
        hash.map_err(|error| unreadable(found, root, path, span, &error))
    };
    let (source, mut headers, of_kernels) = match spec.is_written() {
        true => (generated(found, root)?, Map::default(), Vec::new()),
        false => sources(spec, consts, &read)?,
    };
    let mut files = of_kernels.concat();
    // A `const` of the file is part of the space: its value, not only its name.
    // But for those that only `budget_scale` names.
    let scale = spec.budget_scale.as_ref();
    let counts = |name: &String| scale.is_none_or(|scale| !scale.consts.contains(name));
    let consts = consts.iter().filter(|(name, _)| counts(name));
    let consts = consts.map(|(name, value)| format!("{name}={value}"));
    let consts = consts.collect_vec().join("\n");
    // A function in C counts with its headers, where it belongs.
    let (mut launch, mut verify) = (canonical.launch, canonical.verify);
    let mut also = |path: &str, span, text: &mut String| -> Result<(), String> {
        let function = read(path, span, &spec.kernels[0].source.folders())?;
        *text = format!("{text}\n{}", function.hash);
        for (name, hash) in function.headers.iter() {
            headers.insert(name.clone(), *hash);
        }
        files.extend(function.files);
        Ok(())
    };
    if let Some(CFunction { path, .. }) = &spec.inputs {
        also(&path.text, path.span, &mut launch)?;
    }
    if let Some(CFunction { path, .. }) = &spec.drive {
        also(&path.text, path.span, &mut launch)?;
    }
    if let Some(reference) = &spec.verify.reference
        && let ReferenceKind::File { path, .. } = &reference.kind
    {
        also(path, reference.span, &mut verify)?;
    }
    if let Some(CFunction { path, .. }) = &spec.verify.judge {
        also(&path.text, path.span, &mut verify)?;
    }
    // As a header outside of the package: whoever has not got it tunes nothing, and builds from the lock.
    for path in spec.buffers().filter_map(|buffer| buffer.kind.file()) {
        let file = root.join(&path.text);
        if let Ok(content) = std::fs::read(&file) {
            headers.insert(path.text.clone(), Hash::of(content));
        }
        files.push(file);
    }
    for (at, own) in of_kernels.iter().enumerate() {
        let own = if spec.has_variants() { own } else { &files };
        if let Some(error) = beaten(spec, at, root, own) {
            return Err(render(found, root, &error));
        }
    }
    let hashes = Hashes {
        source,
        headers,
        space: Hash::of(format!("{}\n{consts}", canonical.space)),
        launch: Hash::of(&launch),
        verify: Hash::of(&verify),
        flags: Hash::of(&canonical.flags),
    };
    Ok((hashes, files))
}

/// What is read of a file: with these flags, told at this place if it cannot be.
type Read<'r> = dyn Fn(&str, Span, &[String]) -> Result<SourceHash, String> + 'r;

/// One hash of the kernels' sources, the headers outside of the package, and the files of each.
type Sources = (Hash, Map<String, Hash>, Vec<Vec<PathBuf>>);

/// Reads the kernels' sources.
fn sources(
    spec: &TunableSpec,
    consts: &Map<String, Value>,
    read: &Read<'_>,
) -> Result<Sources, String> {
    let (mut source, mut headers) = (Hash::of(""), Map::default());
    let mut files: Vec<Vec<PathBuf>> = Vec::new();
    for kernel in &spec.kernels {
        for file in &kernel.source.before {
            read(&file.text, file.span, &[])?;
        }
        let (flags, path) = (literal_flags(spec, kernel, consts), &kernel.source.path);
        let own = read(&path.text, path.span, &flags)?;
        source = match files.is_empty() {
            true => own.hash,
            false => Hash::of(format!("{source} {}", own.hash)),
        };
        for (name, hash) in own.headers.iter() {
            headers.insert(name.clone(), *hash);
        }
        files.push(own.files);
    }
    Ok((source, headers, files))
}

/// Where bico keeps what it generated says nothing about it, and cargo need not watch it.
fn generated(found: &Found, root: &Path) -> Result<Hash, String> {
    let path = root.join(&found.sources[0]);
    let failed = |error| format!("cannot read `{}`: {error}", path.display());
    if found.spec.rust.is_none() {
        return file_hash(&path).map_err(failed);
    }
    // Where in its file a function stands says nothing of it either.
    let text = std::fs::read_to_string(&path).map_err(failed)?;
    let mut lines = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect_vec();
    lines.pop();
    Ok(Hash::of(lines.join("\n")))
}

/// A macro of the build that a kernel's source defines again: no config's value would reach it.
fn beaten(spec: &TunableSpec, at: usize, root: &Path, files: &[PathBuf]) -> Option<SpaceError> {
    let kernel = &spec.kernels[at];
    let names = spec.parameters.iter().map(|of| &of.name);
    let names = names.filter(|name| !kernel.is_templated(&name.text));
    let seen = names.filter_map(|of| Some(Name::new(kernel.sees(&of.text)?, of.span)));
    let mut macros: Vec<Name> = seen.collect_vec();
    for problem in &spec.problems {
        macros.extend(problem.consts.iter().map(|(name, _)| name.clone()));
    }
    let names = macros.iter().map(|name| name.text.clone());
    let found = redefined(files, names.collect_vec())?;
    let span = macros.into_iter().find(|of| of.text == found.name)?.span;
    let (name, place) = (&found.name, relative(&found.file, root));
    let message = format!(
        "`{place}` defines `{name}` itself, in line {}: that beats the build's `-D{name}=..`, and every config is the same there\n  = help: remove that line, or write `#ifndef {name}` before it and `#endif` behind it",
        found.line
    );
    Some(SpaceError::new(span, message))
}
