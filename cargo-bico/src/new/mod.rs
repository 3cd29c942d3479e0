//! From a kernel's source to an attribute that one can go on from: what `cargo bico new` does.
//!
//! It is a guess. Nothing here understands C: names, brackets and a few patterns tell what the arguments are, what
//! may vary and how far indices go. What it prints always parses.

mod argument;
mod expression;
mod guess;
mod launch;
mod launched;
mod lexer;
mod parameters;
mod passed;
mod poly;
mod print;
mod python;
mod source;
mod types;
mod usage;

#[cfg(test)]
mod tests;

use crate::Error;
use bico_syntax::{Language, parse};
use guess::Guesser;
use proc_macro2::{TokenStream, TokenTree};
use source::{Function, Source};
use std::path::Path;

/// A source larger than this is no kernel's.
const LARGEST: u64 = 16 << 20;

/// The wrapper of the kernel in a file, as Rust. `tuned` is what a script for Kernel Tuner says of it.
///
/// # Errors
///
/// The file cannot be read, is of no language of kernels, or it is not clear which of its functions is meant.
pub(crate) fn wrapper(
    path: &Path,
    entry: Option<&str>,
    script: Option<&Path>,
) -> Result<String, Error> {
    let language = language(path)?;
    let text = read(path)?;
    let script = script
        .map(read)
        .transpose()?
        .map(|text| python::script(&text));
    let source = Source::new(&text, path.parent());
    let wanted = entry.or(script.as_ref().and_then(|script| script.kernel.as_deref()));
    let function = choose(&source, language, path, wanted, entry.is_some())?;
    if function.template.is_some() && !language.is_cuda() {
        return Err(Error::Work(format!(
            "`{}` is a template, and bico calls functions of C\n  = help: call an instance of it from an `extern \"C\"` function, and name that one",
            function.name
        )));
    }
    let mut guesser = Guesser::new(&source, function, language);
    let (mut require, mut notes) = (Vec::new(), Vec::new());
    if let Some(script) = script {
        guesser.tuned(script.parameters);
        (require, notes) = (script.require, script.notes);
    }
    let mut guess = guesser.guess();
    guess.require = require;
    guess.notes.extend(notes);
    let text = print::wrapper(&guess, &named(path), language.is_cuda());
    match faults(&text) {
        None => Ok(text),
        Some(why) => Err(Error::Work(format!(
            "no attribute can be made of `{}`: {why}\n  = help: write it by hand, see docs/attribute.md",
            function.name
        ))),
    }
}

/// `space(..)` and `require(..)` of a script for Kernel Tuner.
///
/// # Errors
///
/// The script cannot be read, or has no parameters.
pub(crate) fn rules(script: &Path) -> Result<String, Error> {
    let said = python::script(&read(script)?);
    if said.parameters.is_empty() {
        return Err(Error::Work(format!(
            "{} has no `tune_params` whose values are literals\n  = help: `tune_params[\"block_size_x\"] = [32, 64]` is one",
            script.display()
        )));
    }
    let notes: String = said
        .notes
        .iter()
        .map(|note| format!("// - {note}\n"))
        .collect();
    Ok(notes + &print::rules(&said.parameters, &said.require))
}

fn read(path: &Path) -> Result<String, Error> {
    let failed = |why: String| Error::Work(format!("cannot read {}: {why}", path.display()));
    let size = std::fs::metadata(path)
        .map_err(|error| failed(error.to_string()))?
        .len();
    if size > LARGEST {
        return Err(failed(format!("it is larger than {} MiB", LARGEST >> 20)));
    }
    std::fs::read(path)
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .map_err(|error| failed(error.to_string()))
}

fn language(path: &Path) -> Result<Language, Error> {
    let ending = path
        .extension()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    match ending.as_str() {
        "c" => Ok(Language::C),
        "cpp" | "cc" => Ok(Language::Cpp),
        "cu" | "cuh" => Ok(Language::Cuda),
        _ => Err(Error::usage(format_args!(
            "{}: a kernel's source ends in .c, .cpp, .cc, .cu or .cuh\n  = help: a script for Kernel Tuner is read by `--from kernel_tuner`",
            path.display()
        ))),
    }
}

/// The kernel that is meant.
fn choose<'s>(
    source: &'s Source,
    language: Language,
    path: &Path,
    wanted: Option<&str>,
    strict: bool,
) -> Result<&'s Function, Error> {
    let is_kernel = |of: &&Function| match language.is_cuda() {
        true => of.has("__global__"),
        false => {
            of.name != "main"
                && of
                    .arguments
                    .iter()
                    .any(|token| token.is("*") || token.is("["))
        }
    };
    let kernels: Vec<&Function> = source.functions.iter().filter(is_kernel).collect();
    let full = |of: &Function| format!("{}{}", of.path, of.name);
    let named = wanted.and_then(|name| {
        source
            .functions
            .iter()
            .find(|of| of.name == name || full(of) == name)
    });
    let listed = |all: &[&Function]| {
        let names: Vec<String> = all.iter().map(|of| full(of)).collect();
        names.join(", ")
    };
    let (path, all) = (path.display(), source.functions.iter().collect::<Vec<_>>());
    match (named, &kernels[..]) {
        (Some(function), _) => Ok(function),
        (None, _) if strict => Err(Error::Work(format!(
            "{path} has no function `{}`\n  = note: it has: {}",
            wanted.unwrap_or_default().escape_debug(),
            listed(&all)
        ))),
        (None, [only]) => Ok(only),
        (None, []) => Err(Error::Work(format!(
            "{path} has no kernel: {}\n  = note: {}",
            match language.is_cuda() {
                true => "no function with a body is `__global__`",
                false => "no function with a body takes a pointer",
            },
            match all.is_empty() {
                true => "no function was found at all".to_string(),
                false => format!(
                    "the functions that were found: {}; choose by `--entry`",
                    listed(&all)
                ),
            }
        ))),
        (None, several) => Err(Error::Work(format!(
            "{path} has {} kernels\n  = help: choose by `--entry`: {}",
            several.len(),
            listed(several)
        ))),
    }
}

/// How an attribute names the file: from the folder of the package that it lies in.
fn named(path: &Path) -> String {
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let root = whole
        .ancestors()
        .skip(1)
        .find(|folder| folder.join("Cargo.toml").is_file());
    let name = Path::new(whole.file_name().unwrap_or_default());
    let relative = root.and_then(|root| whole.strip_prefix(root).ok());
    let relative = relative.map_or_else(|| Path::new("kernels").join(name), Path::to_path_buf);
    let parts = relative
        .iter()
        .map(|part| part.to_string_lossy().replace(['"', '\\'], "_"));
    parts.collect::<Vec<_>>().join("/")
}

/// What the grammar says of a wrapper with its attribute, if anything.
fn faults(text: &str) -> Option<String> {
    let tokens: TokenStream = match text.parse() {
        Ok(tokens) => tokens,
        Err(error) => return Some(format!("{error}")),
    };
    let mut tokens = tokens.into_iter();
    // Behind the `use`s: `#`, then the attribute in brackets.
    tokens.find(|token| matches!(token, TokenTree::Punct(sign) if sign.as_char() == '#'));
    let Some(TokenTree::Group(attribute)) = tokens.next() else {
        return Some("no attribute".to_string());
    };
    let inside = attribute.stream().into_iter().last();
    let Some(TokenTree::Group(options)) = inside else {
        return Some("no options".to_string());
    };
    let parsed = parse(options.stream(), tokens.collect());
    let errors = parsed.err()?;
    errors.iter().next().map(|error| error.message.clone())
}
