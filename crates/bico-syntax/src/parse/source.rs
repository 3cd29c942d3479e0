//! `source`, `entry`, `name`, `crate`: files, functions and paths.

use super::names::{Context, Place};
use super::options::Options;
use super::tokens::is_identifier;
use super::types::Type;
use crate::expr::{Expr, ExprKind};
use crate::messages;
use crate::spec::{Language, Name, Source};
use proc_macro2::Span;

pub(crate) fn source(options: &Options, owner: Span, context: &mut Context) -> Option<Source> {
    options.require(
        "source",
        owner,
        super::tunable::OPTIONS[0].example,
        &mut context.errors,
    );
    let path = context.string(&options.value("source")?)?;
    let language = match path.text.rsplit_once('.').map(|(_, ending)| ending) {
        Some("c") => Language::C,
        Some("cpp" | "cc") => Language::Cpp,
        Some("cu") => Language::Cuda,
        _ => {
            context.report(path.span, messages::source_ending(&path.text));
            return None;
        }
    };
    check_path(&path, context);
    Some(Source { path, language })
}

/// A path is relative to the package and written the same way on every system.
pub(crate) fn check_path(path: &Name, context: &mut Context) {
    if path.text.starts_with('/') || path.text.contains('\\') || path.text.contains(':') {
        context.report(path.span, messages::path(&path.text));
    }
}

/// Whether `text` can be the name of a kernel's function, perhaps in a namespace.
pub(crate) fn is_entry(text: &str) -> bool {
    let plain = |part: &str| {
        part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && part.starts_with(|c: char| !c.is_ascii_digit())
    };
    text.split("::").all(plain)
}

pub(crate) fn entry(options: &Options, function: &Name, context: &mut Context) -> Expr {
    let Some(tokens) = options.value("entry") else {
        return Expr {
            kind: ExprKind::Str(function.text.clone()),
            span: function.span,
        };
    };
    let entry = context.typed(&tokens, &Place::ENTRY, Type::Str);
    if let ExprKind::Str(text) = &entry.kind
        && !is_entry(text)
    {
        context.report(entry.span, messages::entry_name(text));
    }
    entry
}

pub(crate) fn key(options: &Options, function: &Name, context: &mut Context) -> Name {
    let Some(name) = options
        .value("name")
        .and_then(|tokens| context.string(&tokens))
    else {
        return function.clone();
    };
    if !is_key(&name.text) {
        context.report(name.span, messages::key(&name.text));
    }
    name
}

/// Identifiers joined by `-`, `.` or `::`.
fn is_key(text: &str) -> bool {
    text.replace("::", ".").split(['-', '.']).all(is_entry_part)
}

/// An identifier of ASCII letters: it becomes part of a file's name.
fn is_entry_part(part: &str) -> bool {
    is_entry(part) && !part.contains(':')
}

pub(crate) fn crate_path(options: &Options, context: &mut Context) -> String {
    let default = "::bico".to_string();
    let Some(tokens) = options.value("crate") else {
        return default;
    };
    // However it was spaced, it is printed the same way.
    let path: Vec<String> = tokens.trees.iter().map(ToString::to_string).collect();
    match is_path(&path.concat()) {
        true => path.concat(),
        false => {
            context.report(tokens.whole(), messages::crate_path());
            default
        }
    }
}

/// Whether `text`, without blanks, is a path without type arguments.
pub fn is_path(text: &str) -> bool {
    let mut words = text.strip_prefix("::").unwrap_or(text).split("::");
    words.all(|word| is_identifier(word) || ["self", "super", "crate"].contains(&word))
}
