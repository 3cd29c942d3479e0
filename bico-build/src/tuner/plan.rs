//! What is known of each tunable before anything is measured: its values, its hashes, its state.

use super::TuneError;
use super::policy::State;
use super::range::{self, Point};
use super::store::Store;
#[cfg(feature = "tune")]
use crate::compile::mentioned;
use crate::compile::{Hash, SourceHash, file_hash, redefined, relative, source_hash, textured};
use crate::env::Env;
use crate::lock::{Entry, Hashes, problem_key};
use crate::scan::Found;
use bico_bind::{Allowed, Bound, Expression, Scope, SpaceError, bare, written};
use bico_core::device::{DeviceKey, Facts};
use bico_core::{Lists, Map, Value};
use bico_syntax::{
    ArgumentKind, Arithmetic, CFunction, FlagPart, Name, ReferenceKind, TunableSpec,
    canonical_with, file_stem,
};
use proc_macro2::Span;
use std::io;
use std::path::{Path, PathBuf};

/// One tunable.
#[derive(Debug)]
pub struct Plan {
    pub found: Found,
    /// Values of the file's `const` items that it names.
    pub consts: Map<String, Value>,
    pub hashes: Hashes,
    /// Files that the hashes were taken from, relative to the package.
    pub files: Vec<PathBuf>,
    pub problems: Vec<ProblemPlan>,
    /// The distinct combinations of the problems' constants; problems index them.
    pub variants: Vec<Map<String, Value>>,
}

/// One problem of a tunable.
#[derive(Debug)]
pub struct ProblemPlan {
    /// Its name in the lock.
    pub key: String,
    /// Its name for people, in the order of the arguments.
    pub label: String,
    pub scope: Scope,
    /// Values of the integer scalar arguments, in the order of the arguments.
    pub sizes: Vec<i64>,
    pub variant: usize,
    /// Where it stands in the range of sizes that it is of.
    pub point: Option<Point>,
}

impl ProblemPlan {
    /// Whether it is a size in between, which has an entry only where a search made it an anchor.
    pub fn is_between(&self) -> bool {
        let point = self.point.as_ref();
        point.is_some_and(|point| point.between.is_some())
    }
}

impl Plan {
    /// Evaluates the problems and takes the hashes.
    ///
    /// # Errors
    ///
    /// A text in rustc's manner.
    pub fn new(found: Found, root: &Path, facts: &Facts) -> Result<Plan, String> {
        let spec = &found.spec;
        let shown = |error: SpaceError| render(&found, root, &error);
        let mut consts = Map::default();
        for (name, expr) in &found.consts {
            let scope = Scope::default();
            let value = Expression::compile(expr, Arithmetic::Integer, &[], &scope, facts);
            let value = value.and_then(|value| value.eval(&[])).map_err(shown)?;
            consts.insert(name.clone(), value);
        }
        if let Some(error) = super::features::unknown(spec, &found.lists) {
            return Err(shown(error));
        }
        let mut problems: Vec<ProblemPlan> = Vec::new();
        let mut variants: Vec<Map<String, Value>> = Vec::new();
        for (problem, point) in range::problems(spec, facts, &consts).map_err(shown)? {
            let mut scope = Scope::new(spec, &problem, facts, &consts).map_err(shown)?;
            scope.lists.clone_from(&found.lists);
            let key = problem_key(&scope);
            let wrong = |message: String| Err(shown(SpaceError::new(problem.span, message)));
            let repeats = |known: &ProblemPlan| known.key == key && known.point.is_none();
            if point.is_none() && problems.iter().any(repeats) {
                return wrong(format!("the problem ({key}) stands here twice"));
            }
            let label = label(spec, &scope, &key);
            let bound = Bound::new(spec, facts, &scope).map_err(shown)?;
            if let Some(message) = outside(&bound).map_err(shown)? {
                return wrong(message);
            }
            if let Some(error) = bound.fillings().into_iter().find_map(Result::err) {
                return Err(shown(error));
            }
            if let Some(name) = bound.empty_buffer().map_err(shown)? {
                return wrong(format!(
                    "buffer `{name}` has no elements at ({label}): there is nothing to time, choose larger sizes"
                ));
            }
            let variant = variants.iter().position(|v| *v == scope.problem_consts);
            let variant = variant.unwrap_or_else(|| {
                variants.push(scope.problem_consts.clone());
                variants.len() - 1
            });
            let names = integer_sizes(spec).into_iter();
            let sizes = names.filter_map(|name| match scope.get(&name) {
                Some(Value::Int(size)) => Some(size),
                _ => None,
            });
            problems.push(ProblemPlan {
                sizes: sizes.collect_vec(),
                label,
                key,
                scope,
                variant,
                point,
            });
        }
        if let Some(error) = range::covered(spec, &problems, facts, &consts).map_err(shown)? {
            return Err(shown(error));
        }
        if let Some(name) = unselected(spec, &variants) {
            let message = format!(
                "the problems differ in `{name}`, and no argument selects among them: add one named `{}`",
                name.to_lowercase()
            );
            return Err(shown(SpaceError::new(spec.problems[0].span, message)));
        }
        let (hashes, files) = hashes(&found, root, &consts)?;
        if let Some(error) = beaten(spec, root, &files).or_else(|| with_texture(spec, root)) {
            return Err(shown(error));
        }
        Ok(Plan {
            consts,
            hashes,
            files,
            problems,
            variants,
            found,
        })
    }

    /// The file that holds the trail.
    pub fn trail(&self, env: &Env) -> PathBuf {
        let name = format!("{}.jsonl", file_stem(self.key()));
        env.trail_dir().join(name)
    }

    pub fn key(&self) -> &str {
        &self.found.spec.key.text
    }

    /// A mistake in an expression, shown on its place in the source.
    pub(super) fn shown(&self, env: &Env, error: &SpaceError) -> TuneError {
        TuneError::new(render(&self.found, &env.manifest_dir, error))
    }

    /// Whether a parameter's name stands where it can reach the kernel: in its files, among the flags or the template's
    /// arguments.
    #[cfg(feature = "tune")]
    pub(super) fn reaches(&self, name: &str) -> bool {
        let spec = &self.found.spec;
        let mut flags = spec.flags.iter().flatten();
        flags.any(|part| matches!(part, FlagPart::Name(of) if of == name))
            || spec.is_templated(name)
            || spec.contraction.is_some()
            || mentioned(&self.files, name)
    }

    /// What the store knows of all problems.
    pub(super) fn entries<'s>(&self, store: &'s Store) -> Vec<(&'s DeviceKey, &'s Entry)> {
        let mut entries = Vec::new();
        for problem in &self.problems {
            entries.extend(store.entries(self.key(), &problem.key));
        }
        entries
    }

    /// What the store says about one problem.
    pub(super) fn state(
        &self,
        store: &Store,
        device: Option<&DeviceKey>,
        problem: &ProblemPlan,
    ) -> State {
        let changed = |entry: &Entry| entry.hashes.changed(&self.hashes);
        let known = device.and_then(|device| store.entry(self.key(), device, &problem.key));
        let here = known.is_some();
        let entries = store.entries(self.key(), &problem.key).into_iter();
        let others = entries.map(|(_, entry)| entry).filter(|_| !here);
        let all: Vec<_> = known.into_iter().chain(others).map(changed).collect_vec();
        let fresh = all.iter().find(|changed| changed.is_empty());
        let changed = fresh.or(all.first()).cloned();
        State {
            here,
            changed,
            outdated: known.is_some_and(Entry::is_outdated),
        }
    }
}

/// An argument that is no size, and has a value in the problem that its range has not.
fn outside(bound: &Bound<'_>) -> Result<Option<String>, SpaceError> {
    let names = bico_bind::scalars(bound.spec).into_iter();
    let values = bound.scalars().into_iter().zip(bound.values()?);
    let message = |(name, (value, allowed)): (&str, (Value, Option<Allowed>))| {
        let (Value::Int(value), (_, Some((low, high)))) = (value, allowed?) else {
            return None;
        };
        let message = format!("`{name} = {value}` is outside of its range, {low} to {high}");
        (!(low..=high).contains(&value)).then_some(message)
    };
    Ok(names.zip(values).find_map(message))
}

/// The names of the integer scalar arguments.
pub fn integer_sizes(spec: &TunableSpec) -> Vec<String> {
    let integer =
        |kind: &ArgumentKind| matches!(kind, ArgumentKind::Scalar(element) if element.is_integer());
    let arguments = spec.arguments.iter().filter(|a| integer(&a.kind));
    arguments.map(|a| a.name.text.clone()).collect_vec()
}

/// `m=1024, n=12288, k=4096, ACT=silu`
pub fn label(spec: &TunableSpec, scope: &Scope, key: &str) -> String {
    let arguments = spec.arguments.iter();
    let sizes = arguments.filter_map(|argument| {
        let name = &argument.name.text;
        Some((name, scope.sizes.get(name)?))
    });
    let consts = scope.problem_consts.iter();
    let parts = sizes.chain(consts.map(|(name, value)| (name, value)));
    let parts = parts.map(|(name, value)| format!("{name}={}", bare(*value)));
    let parts: Vec<String> = parts.collect_vec();
    match parts.is_empty() {
        true => key.to_string(),
        false => parts.join(", "),
    }
}

/// A constant that differs between problems without an argument that says which is meant.
fn unselected<'a>(spec: &TunableSpec, variants: &'a [Map<String, Value>]) -> Option<&'a str> {
    let selected = |name: &str| {
        spec.arguments.iter().any(|argument| {
            matches!(argument.kind, ArgumentKind::Selector(_))
                && argument.name.text.eq_ignore_ascii_case(name)
        })
    };
    let differs = |name: &str, value: &Value| variants.iter().any(|v| v.get(name) != Some(value));
    let mut first = variants.first()?.iter();
    let (name, _) = first.find(|(name, value)| !selected(name) && differs(name, value))?;
    Some(name)
}

/// A macro of the build that the source defines again: no config's value would reach the kernel.
fn beaten(spec: &TunableSpec, root: &Path, files: &[PathBuf]) -> Option<SpaceError> {
    let mut macros: Vec<&Name> = spec.parameters.iter().map(|of| &of.name).collect_vec();
    macros.retain(|name| !spec.is_templated(&name.text));
    for problem in &spec.problems {
        macros.extend(problem.consts.iter().map(|(name, _)| name));
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

/// A kernel that takes a texture, whose handle nobody here can make.
fn with_texture(spec: &TunableSpec, root: &Path) -> Option<SpaceError> {
    let entries = spec.passes.iter().map(|pass| pass.entry.to_string());
    let entries = entries.collect_vec().join(" ");
    let words = entries.split(|c: char| c != '_' && !c.is_alphanumeric());
    let words: Vec<&str> = words.collect_vec();
    let mut files = spec.source.before.iter().chain([&spec.source.path]);
    files.find_map(|file| {
        let path = &file.text;
        let (name, handle, line) = textured(&root.join(path), &words)?;
        let message = format!(
            "the kernel `{name}` takes a texture or surface (`{handle}` in line {line} of `{path}`), and bico fills buffers only\n  = help: let it read a buffer, `const float *__restrict__ x`: that goes the same way through the caches"
        );
        Some(SpaceError::new(file.span, message))
    })
}

/// A mistake in an expression, shown on its place in the source.
pub fn render(found: &Found, root: &Path, error: &SpaceError) -> String {
    let text = std::fs::read_to_string(root.join(&found.file)).unwrap_or_default();
    error.render(&found.file.display().to_string(), &text)
}

/// The compiler's flags without those that hold a parameter: what a kernel includes is the same for all configs.
fn literal_flags(spec: &TunableSpec, consts: &Map<String, Value>) -> Vec<String> {
    let part = |part: &FlagPart| match part {
        FlagPart::Text(text) => Some(text.clone()),
        FlagPart::Name(name) => consts.get(name).map(|value| written(*value)),
    };
    let mut flags = spec.source.flags();
    for flag in &spec.flags {
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

fn hashes(
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
    let (source, mut headers, mut files) = match &spec.contraction {
        None => {
            for file in &spec.source.before {
                read(&file.text, file.span, &[])?;
            }
            let flags = literal_flags(spec, consts);
            let source = read(&spec.source.path.text, spec.source.path.span, &flags)?;
            (source.hash, source.headers, source.files)
        }
        // Where bico keeps what it generated says nothing about it, and cargo need not watch it.
        Some(_) => {
            let path = root.join(&found.source);
            let unreadable = |error| format!("cannot read `{}`: {error}", path.display());
            let hash = file_hash(&path).map_err(unreadable)?;
            (hash, Map::default(), Vec::new())
        }
    };
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
        let function = read(path, span, &spec.source.folders())?;
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
