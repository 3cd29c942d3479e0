//! `source`, `entry`, `name`, `crate`, `flags`: files, functions, paths, and how they are compiled.

use super::check::Type;
use super::names::{Context, Place};
use super::options::Options;
use super::space::brackets;
use super::tokens::{Tokens, is_identifier};
use crate::Lists;
use crate::expr::{Expr, ExprKind};
use crate::messages;
use crate::spec::{FlagPart, Language, Name, Source};
use proc_macro2::{Delimiter, Span, TokenTree};

/// How `include` is written.
pub(crate) const INCLUDE: &str = "include = [\"include\"]";

/// How `compiler` is written.
pub(crate) const COMPILER: &str = "compiler = \"nvcc\"";

/// How `arch` is written.
pub(crate) const ARCH: &str = "arch = \"exact\"";

/// How `like` is written.
pub(crate) const LIKE: &str = "like = gemm";

/// How `link` is written.
pub(crate) const LINK: &str = "link = [\"gomp\"]";

/// `beside` are options that hold for it too: their `include` comes first.
pub(crate) fn source(
    options: &Options,
    beside: Option<&Options>,
    owner: Span,
    context: &mut Context,
) -> Option<Source> {
    let example = super::tunable::OPTIONS[0];
    options.require("source", owner, example, &mut context.errors);
    let value = options.value("source")?;
    let mut files = match value.trees.as_slice() {
        [TokenTree::Group(group)] if group.delimiter() == Delimiter::Bracket => {
            paths(&[value], example, context)
        }
        _ => {
            let path = context.string(&value)?;
            check_path(&path.text, path.span, context);
            vec![path]
        }
    };
    let mut language = None;
    for Name { text, span } in &files {
        match (Language::of(text), &language) {
            (Some(own), None) => language = Some((own, text)),
            (Some(own), Some((known, first))) if own != *known => {
                context.report(*span, messages::source_languages(text, first));
            }
            _ => {}
        }
    }
    let language = language.map(|(language, _)| language);
    let path = files.pop()?;
    let Some(language) = language else {
        context.report(path.span, messages::source_ending(&path.text));
        return None;
    };
    let outer = beside.map_or_else(Vec::new, |beside| beside.values("include"));
    let include = [outer, options.values("include")].concat();
    Some(Source {
        path,
        before: files,
        language,
        include: paths(&include, INCLUDE, context),
    })
}

/// Reads lists of paths.
fn paths(lists: &[Tokens], example: &str, context: &mut Context) -> Vec<Name> {
    let mut paths = Vec::new();
    for list in lists {
        let known = context.errors.len();
        let items = brackets(list, example, context);
        if items.is_empty() && context.errors.len() == known {
            context.report(list.whole(), messages::expected_entry(example));
        }
        for item in items {
            let Some(Name { text, span }) = context.string(&item) else {
                continue;
            };
            match text.is_empty() {
                true => context.report(span, messages::empty_string()),
                false => check_path(&text, span, context),
            }
            paths.push(Name { text, span });
        }
    }
    paths
}

/// Reads the names of libraries, which a kernel of a GPU cannot have.
pub(crate) fn link(options: &Options, kernel: bool, context: &mut Context) -> Vec<Name> {
    if kernel {
        on_cpu("link", options, context);
    }
    let mut libraries = Vec::new();
    let list = options.value("link");
    let items = list.map_or_else(Vec::new, |list| brackets(&list, LINK, context));
    for item in items {
        let Some(library) = context.string(&item) else {
            continue;
        };
        let is_part = |c: char| c.is_ascii_alphanumeric() || "_-+.".contains(c);
        if library.text.is_empty()
            || !library.text.chars().all(is_part)
            || library.text.starts_with('-')
            || [".so", ".a"].iter().any(|end| library.text.ends_with(end))
        {
            context.report(library.span, messages::library(&library.text));
        }
        libraries.push(library);
    }
    libraries
}

/// Whether a source holds no kernel, but a function of the host beside kernels of a GPU.
pub(crate) fn is_host(source: &Source, context: &Context) -> bool {
    context.names.cuda == Some(true) && !source.language.is_cuda()
}

/// Whether `compiler` asks for nvcc.
pub(crate) fn nvcc(options: &Options, context: &mut Context) -> bool {
    let Some(Name { text, span }) = options.string("compiler", context) else {
        return false;
    };
    if text != "nvcc" {
        context.report(span, messages::compiler(&text));
    } else if context.names.cuda == Some(false) {
        context.report(span, messages::nvcc_on_cpu());
    }
    true
}

/// Whether `arch` asks for a GPU's own features. `host`: of a function beside kernels.
pub(crate) fn exact(options: &Options, host: bool, context: &mut Context) -> bool {
    let Some(Name { text, span }) = options.string("arch", context) else {
        return false;
    };
    if text != "exact" {
        context.report(span, messages::arch(&text));
    } else if host {
        context.report(span, messages::of_kernels_only("arch"));
    } else if context.names.cuda == Some(false) {
        context.report(span, messages::arch_on_cpu());
    }
    true
}

/// Reports an option that only kernels in C and C++ have.
pub(crate) fn on_cpu(name: &str, options: &Options, context: &mut Context) {
    if let (Some(true), Some(span)) = (context.names.cuda, options.span(name)) {
        context.report(span, messages::option_on_gpu(name));
    }
}

/// A path is relative to the package and written the same way on every system.
pub(crate) fn check_path(path: &str, span: Span, context: &mut Context) {
    if path.starts_with('/') || path.contains(['\\', ':']) {
        context.report(span, messages::path(path));
    }
}

/// Whether `text` can be the name of a kernel's function, perhaps in a namespace.
pub(crate) fn is_entry(text: &str) -> bool {
    text.split("::").all(is_plain)
}

/// Whether `text` is an identifier of ASCII letters.
fn is_plain(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && text.starts_with(|c: char| !c.is_ascii_digit())
}

pub(crate) fn entry(options: &Options, function: &Name, context: &mut Context) -> Expr {
    let entry = options.typed("entry", &Place::ENTRY, Type::Str, context);
    let Some(entry) = entry else {
        return Expr::new(ExprKind::Str(function.text.clone()), function.span);
    };
    if let ExprKind::Str(text) = &entry.kind
        && !is_entry(text)
    {
        context.report(entry.span, messages::entry_name(text));
    }
    entry
}

pub(crate) fn key(options: &Options, function: &Name, context: &mut Context) -> Name {
    let Some(name) = options.string("name", context) else {
        return function.clone();
    };
    // Identifiers joined by `-`, `.` or `::`, each of ASCII letters: it becomes part of a file's name.
    let joined = name.text.replace("::", ".");
    if !joined.split(['-', '.']).all(is_plain) {
        context.report(name.span, messages::key(&name.text));
    }
    name
}

/// Another tunable: by its function's name, a path, or the `name` in quotes that it has.
pub(crate) fn like(options: &Options, function: &Name, context: &mut Context) -> Option<Name> {
    let tokens = options.value("like")?;
    let words: Vec<String> = tokens.trees.iter().map(ToString::to_string).collect_vec();
    let other = match is_path(&words.concat()) {
        true => Name::new(words.concat(), tokens.span()),
        false => context.string(&tokens)?,
    };
    if other.text == function.text && !options.given("name") {
        context.report(other.span, messages::like_itself(&other.text));
    }
    Some(other)
}

pub(crate) fn crate_path(options: &Options, context: &mut Context) -> String {
    let default = "::bico".to_string();
    let Some(tokens) = options.value("crate") else {
        return default;
    };
    // However it was spaced, it is printed the same way.
    let path: Vec<String> = tokens.trees.iter().map(ToString::to_string).collect_vec();
    if is_path(&path.concat()) {
        return path.concat();
    }
    context.report(tokens.whole(), messages::crate_path());
    default
}

/// Whether `text`, without blanks, is a path without type arguments.
pub fn is_path(text: &str) -> bool {
    let mut words = text.strip_prefix("::").unwrap_or(text).split("::");
    words.all(|word| is_identifier(word) || ["self", "super", "crate"].contains(&word))
}

/// Reads lists of flags.
pub(crate) fn flags(lists: &[Tokens], context: &mut Context) -> Vec<Vec<FlagPart>> {
    let mut flags = Vec::new();
    for list in lists {
        for item in brackets(list, "flags = [\"-O3\"]", context) {
            match context.string(&item) {
                None => {}
                Some(Name { text, span }) if text.is_empty() => {
                    context.report(span, messages::empty_string());
                }
                Some(text) => flags.push(parts(&text, &item, context)),
            }
        }
    }
    flags
}

/// Cuts `-march={ISA}` at its braces. Mistakes are reported on what is between them, where a compiler can point into a string.
fn parts(written: &Name, tokens: &Tokens, context: &mut Context) -> Vec<FlagPart> {
    let text = &written.text;
    let mut parts = Vec::new();
    let mut literal = String::new();
    let mut rest = text.as_str();
    let place = |rest: &str, length: usize| {
        let from = text.len() - rest.len();
        let letters = tokens.letters(text, &(from..from + length));
        letters.unwrap_or(written.span)
    };
    while let Some(at) = rest.find(['{', '}']) {
        literal.push_str(&rest[..at]);
        let brace = &rest[at..];
        if brace.starts_with("{{") || brace.starts_with("}}") {
            literal.push_str(&brace[..1]);
            rest = &brace[2..];
            continue;
        }
        let inner = brace.strip_prefix('{');
        let name = inner.and_then(|inner| inner.split_once('}'));
        let Some((name, after)) = name.filter(|(name, _)| is_identifier(name)) else {
            let length = brace.find('}').map_or(brace.len(), |end| end + 1);
            context.report(place(brace, length), messages::flag_brace(text));
            return parts;
        };
        context.resolve(name, place(&brace[1..], name.len()), &Place::FLAGS);
        if !literal.is_empty() {
            parts.push(FlagPart::Text(std::mem::take(&mut literal)));
        }
        parts.push(FlagPart::Name(name.to_string()));
        rest = after;
    }
    literal.push_str(rest);
    if !literal.is_empty() {
        parts.push(FlagPart::Text(literal));
    }
    parts
}
