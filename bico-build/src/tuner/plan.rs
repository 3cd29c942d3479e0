//! What is known of each tunable before anything is measured: its values, its hashes, its state.

use super::TuneError;
use super::hashes::hashes;
use super::policy::State;
use super::range::{self, Point};
use super::store::Store;
#[cfg(feature = "tune")]
use crate::compile::mentioned;
use crate::env::Env;
use crate::lock::{Entry, Hashes, problem_key};
use crate::scan::Found;
use bico_core::device::{DeviceKey, Facts};
use bico_core::{Lists, Map, Value};
#[cfg(feature = "tune")]
use bico_syntax::FlagPart;
use bico_syntax::bind::{Allowed, Bound, Expression, Scope, SpaceError, bare};
use bico_syntax::{ArgumentKind, Arithmetic, TunableSpec, file_stem};
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
            scope.absent.clone_from(&found.absent);
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
        #[cfg(feature = "cuda")]
        super::texture::refuse(spec, root).map_err(shown)?;
        Ok(Plan {
            consts,
            hashes,
            files,
            problems,
            variants,
            found,
        })
    }

    /// How its files begin. Searches of parts of a space may run at once in one folder: each has files of its own.
    pub fn stem(&self, env: &Env) -> String {
        let stem = file_stem(self.key());
        #[cfg(feature = "tune")]
        if let Some(shard) = env.shard {
            return format!("{stem}.shard-{}-of-{}", shard.number, shard.of);
        }
        let _ = env;
        stem
    }

    /// The file that holds the trail.
    pub fn trail(&self, env: &Env) -> PathBuf {
        env.trail_dir().join(format!("{}.jsonl", self.stem(env)))
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
        let flagged = |kernel| {
            let mut flags = spec.flags_of(kernel).flatten();
            flags.any(|part| matches!(part, FlagPart::Name(of) if of == name))
        };
        let mut kernels = spec.kernels.iter();
        kernels.any(|kernel| {
            let mentioned = |own| mentioned(&self.files, own);
            flagged(kernel) || kernel.is_templated(name) || kernel.sees(name).is_some_and(mentioned)
        }) || spec.is_written()
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
    let names = bico_syntax::bind::scalars(bound.spec).into_iter();
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

/// A mistake in an expression, shown on its place in the source.
pub fn render(found: &Found, root: &Path, error: &SpaceError) -> String {
    let text = std::fs::read_to_string(root.join(&found.file)).unwrap_or_default();
    error.render(&found.file.display().to_string(), &text)
}
