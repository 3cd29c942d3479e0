//! Finds the tunables of a package by reading its sources.
//!
//! Works on tokens, not on syntax trees: a wrapper has no body, which no Rust parser takes for a
//! function, and a syntax error elsewhere in a file is rustc's to report, not ours. Only files that
//! can matter are tokenised at all, since build scripts run unoptimised.

mod cfg;
#[cfg(feature = "einsum")]
mod generated;
mod items;
mod package;

pub use package::Settings;

use crate::env::Env;
use bico_syntax::{Error, Expr, ExprKind, Name, TunableSpec};
use items::{Item, SourceFile};
use proc_macro2::TokenStream;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A tunable and where it was found.
#[derive(Debug, Clone)]
pub struct Found {
    /// What it says.
    pub spec: TunableSpec,
    /// The kernel's source, relative to the package: what the attribute names, or what bico wrote of its einsum.
    pub source: PathBuf,
    /// The attribute's fingerprint, which the macro compares with its own.
    pub fingerprint: u64,
    /// Its file, relative to the package.
    pub file: PathBuf,
    /// The `const` items of that file that it names, but for lists.
    pub consts: BTreeMap<String, Expr>,
    /// The lists among them: `TILE in TILES`, where `const TILES: [i64; 3] = [..]`.
    pub lists: BTreeMap<String, Expr>,
}

/// What a scan found.
#[derive(Debug, Default)]
pub struct Scan {
    /// The tunables, in the order of files and lines.
    pub tunables: Vec<Found>,
    /// Files and folders that the result depends on, relative to the package.
    pub inputs: BTreeSet<PathBuf>,
    /// Mistakes that the macro cannot see, ready to print.
    pub errors: Vec<String>,
}

/// Scans the package.
pub fn scan(env: &Env) -> Scan {
    let mut scan = Scan::default();
    let mut seen = BTreeSet::new();
    let mut keys = BTreeMap::new();
    let mut queue: Vec<SourceFile> = package::roots(&env.manifest_dir, &mut scan.inputs);
    // Depth first, in the order of the text, so that the order of tunables is stable.
    queue.reverse();
    while let Some(source) = queue.pop() {
        if !seen.insert(source.file.clone()) {
            continue;
        }
        let path = env.manifest_dir.join(&source.file);
        let Ok(text) = std::fs::read_to_string(&path) else {
            // A module without a file is rustc's to report; should it appear, look again.
            continue;
        };
        scan.inputs.insert(source.file.clone());
        let Some(found) = items::read(&text, &source, env) else {
            continue;
        };
        for child in found.modules.iter().rev() {
            queue.extend(child.candidates(&env.manifest_dir));
        }
        for item in found.tunables {
            let file = File {
                path: &source.file,
                text: &text,
                consts: &found.consts,
                env,
            };
            file.add(&mut scan, &mut keys, item);
        }
    }
    scan
}

/// A file that was read.
struct File<'a> {
    path: &'a Path,
    text: &'a str,
    consts: &'a BTreeMap<String, TokenStream>,
    env: &'a Env,
}

impl File<'_> {
    /// Adds a tunable of this file. `keys` says where each known key stands.
    fn add(&self, scan: &mut Scan, keys: &mut BTreeMap<String, String>, item: Item) {
        let spec = match bico_syntax::parse(item.attribute, item.rest) {
            Ok(wrapper) => wrapper.spec,
            // Whatever is wrong with the attribute is the macro's to report, on the very token, if it is called.
            Err(errors) => {
                if !self.env.macro_follows {
                    scan.errors.push(errors.render(&self.shown(), self.text));
                }
                return;
            }
        };
        let key = spec.key.text.clone();
        if let Some(first) = keys.get(&key) {
            let message = format!("a second tunable has the key `{key}`");
            let error = Error::new(spec.key.span, message)
                .note(format!("the first one stands at {first}"))
                .note(format!(
                    "a key is unique in a package; give one of them another: `name = \"{key}_2\"`"
                ));
            return scan.errors.push(self.render(&error));
        }
        let start = spec.key.span.start();
        let stands_at = format!("{}:{}:{}", self.shown(), start.line, start.column + 1);
        keys.insert(key, stands_at);
        let mut consts = BTreeMap::new();
        for name in &spec.consts {
            match self.value(&spec, name) {
                Ok(value) => {
                    consts.insert(name.text.clone(), value);
                }
                Err(errors) => {
                    let errors = errors.iter().map(|error| self.render(error));
                    scan.errors.extend(errors);
                }
            }
        }
        let source = source(&spec, self.env).unwrap_or_else(|error| {
            scan.errors.push(self.render(&error));
            PathBuf::new()
        });
        let is_list = |value: &Expr| matches!(value.kind, ExprKind::List(_));
        let (lists, consts) = consts.into_iter().partition(|(_, value)| is_list(value));
        scan.tunables.push(Found {
            fingerprint: bico_syntax::fingerprint(&spec),
            spec,
            source,
            file: self.path.to_path_buf(),
            consts,
            lists,
        });
    }

    /// The value of a `const` that a tunable names.
    fn value(&self, spec: &TunableSpec, name: &Name) -> Result<Expr, Vec<Error>> {
        let text = &name.text;
        let Some(tokens) = self.consts.get(text) else {
            let message = format!("`{text}` is neither a parameter nor a `const` of this file");
            let error = Error::new(name.span, message);
            let parameters = spec.parameters.iter().map(|p| p.name.text.as_str());
            let declared = parameters.chain(self.consts.keys().map(String::as_str));
            return Err(vec![match bico_syntax::nearest(text, declared) {
                Some(near) => error.note(format!("did you mean `{near}`?")),
                None => error,
            }]);
        };
        let note = format!(
            "the `const` {text} is used by the tunable `{}`, so its value must be an expression that bico can evaluate",
            spec.key.text
        );
        let value = bico_syntax::parse_const_expr(tokens.clone());
        value.map_err(|errors| {
            errors
                .iter()
                .map(|e| e.clone().note(note.clone()))
                .collect()
        })
    }

    fn shown(&self) -> String {
        self.path.display().to_string()
    }

    fn render(&self, error: &Error) -> String {
        error.render(&self.shown(), self.text)
    }
}

/// The kernel's source, relative to the package. Bico writes that of an einsum.
fn source(spec: &TunableSpec, env: &Env) -> Result<PathBuf, Error> {
    #[cfg(feature = "einsum")]
    let written = generated::write(spec, env)?;
    #[cfg(not(feature = "einsum"))]
    let (written, _) = match &spec.contraction {
        Some(contraction) => return Err(bico_syntax::needs_einsum(contraction.span)),
        None => (None, env),
    };
    Ok(written.unwrap_or_else(|| PathBuf::from(&spec.source.path.text)))
}
