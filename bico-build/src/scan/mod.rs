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
use bico_syntax::{Expr, ExprKind, TunableSpec};
use items::{Item, Place};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A tunable and where it was found.
#[derive(Debug, Clone)]
pub struct Found {
    /// What it says.
    pub spec: TunableSpec,
    /// The kernel's source, relative to the package: what the attribute names, or what bico wrote of its einsum.
    pub source: PathBuf,
    /// Of the attribute as the macro sees it.
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
    let mut places: BTreeMap<String, String> = BTreeMap::new();
    let mut queue: Vec<Place> = package::roots(&env.manifest_dir, &mut scan.inputs);
    // Depth first, in the order of the text, so that the order of tunables is stable.
    queue.reverse();
    while let Some(place) = queue.pop() {
        if !seen.insert(place.file.clone()) {
            continue;
        }
        let path = env.manifest_dir.join(&place.file);
        let Ok(text) = std::fs::read_to_string(&path) else {
            // A module without a file is rustc's to report; should it appear, look again.
            continue;
        };
        scan.inputs.insert(place.file.clone());
        let Some(found) = items::read(&text, &place, env) else {
            continue;
        };
        for child in found.modules.iter().rev() {
            queue.extend(child.candidates(&env.manifest_dir));
        }
        for item in found.tunables {
            let file = File {
                path: &place.file,
                text: &text,
                consts: &found.consts,
            };
            add(&mut scan, &mut places, &file, item, env);
        }
    }
    scan
}

/// What was read of a file.
struct File<'a> {
    path: &'a Path,
    text: &'a str,
    consts: &'a BTreeMap<String, proc_macro2::TokenStream>,
}

fn add(
    scan: &mut Scan,
    places: &mut BTreeMap<String, String>,
    &File { path, text, consts }: &File<'_>,
    item: Item,
    env: &Env,
) {
    let shown = path.display().to_string();
    let spec = match bico_syntax::parse(item.attribute, item.rest) {
        Ok(wrapper) => wrapper.spec,
        // Whatever is wrong with the attribute is the macro's to report, on the very token, if it is called.
        Err(errors) => {
            if !env.macro_follows {
                scan.errors.push(errors.render(&shown, text));
            }
            return;
        }
    };
    let at = |span: proc_macro2::Span| {
        let start = span.start();
        format!("{shown}:{}:{}", start.line, start.column + 1)
    };
    let place = at(spec.key.span);
    let key = spec.key.text.clone();
    if let Some(first) = places.get(&key) {
        scan.errors.push(
            bico_syntax::Error::new(
                spec.key.span,
                format!("a second tunable has the key `{key}`"),
            )
            .note(format!("the first one stands at {first}"))
            .note(format!(
                "a key is unique in a package; give one of them another: `name = \"{key}_2\"`"
            ))
            .render(&shown, text),
        );
        return;
    }
    places.insert(key, place);
    let mut known = BTreeMap::new();
    for name in &spec.consts {
        let Some(tokens) = consts.get(&name.text) else {
            let declared: Vec<&str> = spec
                .parameters
                .iter()
                .map(|p| p.name.text.as_str())
                .chain(consts.keys().map(String::as_str))
                .collect();
            let mut error = bico_syntax::Error::new(
                name.span,
                format!(
                    "`{}` is neither a parameter nor a `const` of this file",
                    name.text
                ),
            );
            if let Some(near) = bico_syntax::nearest(&name.text, declared) {
                error = error.note(format!("did you mean `{near}`?"));
            }
            scan.errors.push(error.render(&shown, text));
            continue;
        };
        match bico_syntax::parse_const_expr(tokens.clone()) {
            Ok(value) => {
                known.insert(name.text.clone(), value);
            }
            Err(errors) => {
                for error in errors.iter() {
                    let error = error.clone().note(format!(
                        "the `const` {} is used by the tunable `{}`, so its value must be an expression that bico can evaluate",
                        name.text, spec.key.text
                    ));
                    scan.errors.push(error.render(&shown, text));
                }
            }
        }
    }
    let fingerprint = bico_syntax::fingerprint(&spec);
    #[cfg(feature = "einsum")]
    let source = generated::write(&spec, env);
    #[cfg(not(feature = "einsum"))]
    let source = match &spec.contraction {
        Some(contraction) => Err(bico_syntax::needs_einsum(contraction.span)),
        None => Ok(None),
    };
    let source = match source {
        Ok(written) => written.unwrap_or_else(|| PathBuf::from(&spec.source.path.text)),
        Err(error) => {
            scan.errors.push(error.render(&shown, text));
            PathBuf::new()
        }
    };
    let is_list = |value: &Expr| matches!(value.kind, ExprKind::List(_));
    let (lists, known) = known.into_iter().partition(|(_, value)| is_list(value));
    scan.tunables.push(Found {
        lists,
        spec,
        source,
        fingerprint,
        file: path.to_path_buf(),
        consts: known,
    });
}
