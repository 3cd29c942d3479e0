//! `flags = ["-O3", "-march={ISA}"]`.

use super::names::{Context, Place};
use super::space::brackets;
use super::tokens::{Tokens, is_identifier};
use crate::messages;
use crate::spec::{FlagPart, Name};
use proc_macro2::Span;

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
                Some(Name { text, span }) => flags.push(parts(&text, span, context)),
            }
        }
    }
    flags
}

/// Cuts `-march={ISA}` at its braces.
fn parts(text: &str, span: Span, context: &mut Context) -> Vec<FlagPart> {
    let mut parts = Vec::new();
    let mut literal = String::new();
    let mut rest = text;
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
            context.report(span, messages::flag_brace(text));
            return parts;
        };
        context.resolve(name, span, &Place::FLAGS);
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
