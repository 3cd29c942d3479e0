//! Finds the tunables of a package by reading its sources.
//!
//! Works on tokens, not on syntax trees: a wrapper has no body, which no Rust parser takes for a
//! function, and a syntax error elsewhere in a file is rustc's to report, not ours. Only files that
//! can matter are tokenised at all, since build scripts run unoptimised.

mod cfg;
#[cfg(feature = "rust")]
mod dependencies;
#[cfg(feature = "rust")]
mod function;
#[cfg(feature = "einsum")]
mod generated;
mod items;
mod like;
mod package;
#[cfg(feature = "rust")]
mod slice;
mod structure;

use crate::env::Env;
use bico_core::{Lists, Map, Set};
use bico_syntax::{Budget, Error, Expr, ExprKind, Name, TunableSpec, Wrapper};
#[cfg(feature = "rust")]
pub(crate) use dependencies::{DEPENDENCY, lock_file};
#[cfg(feature = "rust")]
pub(crate) use function::MARK;
use items::{Item, SourceFile};
#[cfg(feature = "tune")]
pub(crate) use like::liked_first;
pub use package::Limits;
use package::Settings;
pub(crate) use package::compile_limit;
use proc_macro2::TokenStream;
use std::path::{Path, PathBuf};
use structure::Structure;

/// A tunable and where it was found.
#[derive(Debug, Clone)]
pub struct Found {
    /// What it says.
    pub spec: TunableSpec,
    /// The source of each kernel, relative to the package: what the attribute names, or what bico wrote of its einsum.
    pub sources: Vec<PathBuf>,
    /// Variants that cannot be built here.
    pub absent: Vec<Name>,
    /// The attribute's fingerprint, which the macro compares with its own.
    pub fingerprint: u64,
    /// Its file, relative to the package.
    pub file: PathBuf,
    /// The `const` items of that file that it names, but for lists.
    pub consts: Map<String, Expr>,
    /// The lists among them: `TILE in TILES`, where `const TILES: [i64; 3] = [..]`.
    pub lists: Map<String, Expr>,
    /// What a search may take: the attribute's, unless somebody asked for another.
    pub budget: Budget,
}

/// What a scan found.
pub struct Scan {
    /// The tunables, in the order of files and lines.
    pub tunables: Vec<Found>,
    /// Files and folders that the result depends on, relative to the package.
    pub inputs: Set<PathBuf>,
    /// Mistakes that the macro cannot see, ready to print.
    pub errors: Vec<String>,
    /// What the package says of tuning, or what is wrong with the manifest.
    pub limits: Result<Limits, String>,
}

/// Scans the package.
pub fn scan(env: &Env) -> Scan {
    let settings = Settings::read(&env.manifest_dir);
    let mut scan = Scan {
        tunables: Vec::new(),
        inputs: Set::default(),
        errors: Vec::new(),
        limits: settings.as_ref().map(|of| of.limits).map_err(String::clone),
    };
    let mut seen = Set::default();
    let named = settings.map(|of| of.roots).unwrap_or_default();
    let mut queue = package::roots(&env.manifest_dir, named, &mut scan.inputs);
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
        let there = |source: &SourceFile| env.manifest_dir.join(&source.file).is_file();
        for places in found.modules.into_iter().rev() {
            queue.extend(places.into_iter().find(there));
        }
        let file = File {
            path: &source.file,
            text: &text,
            consts: &found.consts,
            structs: &found.structs,
            env,
        };
        for item in found.tunables {
            file.add(&mut scan, item);
        }
    }
    like::check(&mut scan, &env.manifest_dir);
    scan
}

/// A file that was read.
struct File<'a> {
    path: &'a Path,
    text: &'a str,
    consts: &'a Map<String, TokenStream>,
    structs: &'a Map<String, Structure>,
    env: &'a Env,
}

impl File<'_> {
    /// Adds a tunable of this file.
    fn add(&self, scan: &mut Scan, item: Item) {
        let members = bico_syntax::members(item.attribute, item.rest);
        let specs = members.and_then(|members| {
            let specs = members.into_iter();
            let specs = specs.map(|(attribute, item)| bico_syntax::parse(attribute, item));
            specs.try_collect_vec()
        });
        match specs {
            Ok(specs) => specs.into_iter().for_each(|of| self.add_wrapper(scan, of)),
            // Whatever is wrong with the attribute is the macro's to report, on the very token, if it is called.
            Err(errors) if !self.env.macro_follows => {
                scan.errors.push(errors.render(&self.shown(), self.text));
            }
            Err(_) => {}
        }
    }

    fn add_wrapper(&self, scan: &mut Scan, wrapper: Wrapper) {
        let spec = wrapper.spec.clone();
        let key = &spec.key.text;
        if let Some(first) = scan.tunables.iter().find(|t| t.spec.key.text == *key) {
            let start = first.spec.key.span.start();
            let (file, line, column) = (first.file.display(), start.line, start.column + 1);
            let message = format!("a second tunable has the key `{key}`");
            let error = Error::new(spec.key.span, message)
                .note(format!("the first one stands at {file}:{line}:{column}"))
                .note(format!(
                    "a key is unique in a package; give one of them another: `name = \"{key}_2\"`"
                ));
            return scan.errors.push(self.render(&error));
        }
        let mut found = Found {
            sources: Vec::new(),
            absent: Vec::new(),
            fingerprint: bico_syntax::fingerprint(&spec),
            file: self.path.to_path_buf(),
            consts: Map::default(),
            lists: Map::default(),
            budget: spec.budget.clone(),
            spec,
        };
        // Behind the fingerprint: the macro knows no more of them than their names.
        let mut errors = structure::resolve(&mut found.spec, self.structs);
        for name in &found.spec.consts {
            match self.value(&found.spec, name) {
                Ok(value) => {
                    let map = match value.kind {
                        ExprKind::List(_) => &mut found.lists,
                        _ => &mut found.consts,
                    };
                    map.insert(name.text.clone(), value);
                }
                Err(wrong) => errors.extend(wrong),
            }
        }
        match self.sources(&wrapper, &found.spec, &mut scan.inputs) {
            Ok(sources) => found.sources = sources,
            Err(error) => errors.push(error),
        }
        let errors = errors.iter().map(|error| self.render(error));
        scan.errors.extend(errors);
        scan.tunables.push(found);
    }

    /// The kernels' sources, relative to the package. Bico writes that of an einsum, and that of a Rust function.
    fn sources(
        &self,
        wrapper: &Wrapper,
        spec: &TunableSpec,
        #[cfg_attr(not(feature = "rust"), expect(unused_variables))] inputs: &mut Set<PathBuf>,
    ) -> Result<Vec<PathBuf>, Error> {
        match &wrapper.spec.rust {
            None => sources(spec, self.env),
            #[cfg(feature = "rust")]
            Some(rust) => {
                let file = (self.path, self.text);
                Ok(vec![function::write(
                    wrapper, rust, file, self.env, inputs,
                )?])
            }
            #[cfg(not(feature = "rust"))]
            Some(_) => Err(bico_syntax::needs_rust(spec.function.span)),
        }
    }

    /// The value of a `const` that a tunable names.
    fn value(&self, spec: &TunableSpec, name: &Name) -> Result<Expr, Vec<Error>> {
        let text = &name.text;
        let Some(tokens) = self.consts.get(text) else {
            let message = format!("`{text}` is neither a parameter nor a `const` of this file");
            let error = Error::new(name.span, message);
            let parameters = spec.parameters.iter().map(|p| p.name.text.as_str());
            let mut declared: Vec<&str> = parameters.collect_vec();
            declared.extend(self.consts.keys().map(String::as_str));
            return Err(vec![match bico_syntax::nearest(text, &declared) {
                Some(near) => error.note(format!("did you mean `{near}`?")),
                None => error,
            }]);
        };
        let note = format!(
            "the `const` {text} is used by the tunable `{}`, so its value must be an expression that bico can evaluate",
            spec.key.text
        );
        let value = bico_syntax::parse_const_expr(tokens.clone());
        let noted = |error: &Error| error.clone().note(note.clone());
        let mut value = value.map_err(|errors| errors.iter().map(noted).collect_vec())?;
        // Others of the file that it names. One that names itself is rustc's to refuse.
        for _ in 0..MOST_NAMED {
            let mut found = false;
            value.replace(&mut |name| {
                let other = bico_syntax::parse_const_expr(self.consts.get(name)?.clone()).ok()?;
                found = true;
                Some(other)
            });
            if !found {
                break;
            }
        }
        Ok(value)
    }

    fn shown(&self) -> String {
        self.path.display().to_string()
    }

    fn render(&self, error: &Error) -> String {
        error.render(&self.shown(), self.text)
    }
}

/// A `const` that names another one, which names another one, and so on so often.
const MOST_NAMED: usize = 8;

/// The kernels' sources, relative to the package. Bico writes that of an einsum.
fn sources(spec: &TunableSpec, env: &Env) -> Result<Vec<PathBuf>, Error> {
    #[cfg(feature = "einsum")]
    let written = generated::write(spec, env)?;
    #[cfg(not(feature = "einsum"))]
    let (written, _) = match &spec.contraction {
        Some(contraction) => return Err(bico_syntax::needs_einsum(contraction.span)),
        None => (None, env),
    };
    Ok(match written {
        Some(written) => vec![written],
        None => {
            let paths = spec.kernels.iter().map(|kernel| &kernel.source.path.text);
            paths.map(PathBuf::from).collect_vec()
        }
    })
}
