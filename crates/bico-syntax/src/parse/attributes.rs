//! What stands on an argument: `#[len(..)]`, `#[init(..)]`, `#[align(..)]`, `#[constant(..)]`, `#[value]`.

use super::arguments::Draft;
use super::check::Type;
use super::expr::placeholder;
use super::function::Attribute;
use super::names::{Context, Place};
use super::problem::fits;
use super::tokens::Tokens;
use crate::align::Align;
use crate::expr::{Expr, ExprKind};
use crate::messages;
use crate::spec::{ArgumentKind, Element, Init};
use proc_macro2::{Span, TokenTree};

/// A page: where a buffer ends at one, none can be told from it.
const LARGEST_ALIGNMENT: f64 = 4096.0;

/// Reads what stands on an argument; a range or a length is kept for later.
pub(super) fn read(list: &[Attribute], draft: &mut Draft, context: &mut Context) {
    let buffer = matches!(draft.kind, Some(ArgumentKind::Buffer { .. }) | None);
    let mut seen: Vec<&str> = Vec::new();
    for attribute in list {
        let name = attribute.name.as_str();
        let first = attribute.inside.first();
        let span = first.map_or(draft.name.span, TokenTree::span);
        let example = match name {
            "allow" | "expect" | "warn" | "deny" | "forbid" | "constant" => continue,
            "len" => "#[len(m * n)]",
            "align" => "#[align(64)]",
            "value" => "#[value(0..=255)]",
            _ => "#[init(zeros)]",
        };
        let tokens = match attribute.inside.as_slice() {
            [_, TokenTree::Group(group)] => Tokens::from_stream(group.stream()),
            _ => None,
        };
        let fault = match (name, tokens) {
            ("len" | "init" | "align" | "value", _) if seen.contains(&name) => {
                Some(messages::repeated_option(name))
            }
            ("len" | "init" | "align", _) if !buffer => {
                Some(messages::not_a_buffer(name, &draft.name.text))
            }
            ("len" | "init" | "align", None) => Some(messages::option_form(name, true, example)),
            ("len", tokens) => {
                draft.len = tokens;
                None
            }
            ("value", tokens) => match draft.kind {
                Some(ArgumentKind::Scalar(_)) if tokens.is_none() && attribute.inside.len() > 1 => {
                    Some(messages::value_range())
                }
                Some(ArgumentKind::Scalar(element)) => {
                    let range = tokens.as_ref().map(|tokens| placeholder(tokens.span()));
                    draft.kind = Some(ArgumentKind::Value { element, range });
                    draft.len = tokens;
                    None
                }
                None => None,
                _ => Some(messages::not_a_number(&draft.name.text)),
            },
            ("init", Some(tokens)) => {
                // That it is there is known at once, what it says when all names are.
                if let Some(ArgumentKind::Buffer { init, .. }) = &mut draft.kind {
                    *init = Some(Init::Zeros);
                }
                draft.init = Some(tokens);
                None
            }
            ("align", Some(tokens)) => {
                let written = declared(&tokens, context);
                if let (Some(ArgumentKind::Buffer { align, .. }), Some(written)) =
                    (&mut draft.kind, written)
                {
                    *align = written;
                }
                None
            }
            _ => Some(messages::argument_attribute()),
        };
        if let Some(message) = fault {
            context.report(span, message);
        }
        seen.push(name);
    }
}

/// The range of a `#[value(..)]`.
pub(super) fn value_range(tokens: &Tokens, element: Element, context: &mut Context) -> Expr {
    let known = context.errors.len();
    let (range, kind) = context.expression(tokens, &Place::VALUE);
    let message = match &range.kind {
        _ if context.errors.len() > known => None,
        _ if !element.is_integer() => Some(messages::value_of_float(element.name())),
        ExprKind::Range {
            start,
            end,
            inclusive,
        } if kind.unify(&Type::List(Box::new(Type::Int))).is_some() => {
            fits(start, element, context);
            if *inclusive {
                fits(end, element, context);
            }
            None
        }
        _ => Some(messages::value_range()),
    };
    if let Some(message) = message {
        context.report(tokens.whole(), message);
    }
    range
}

/// Reads `#[constant(NAME)]`: where it stands, and what it names.
pub(super) fn constant(
    list: &[Attribute],
    draft: &mut Draft,
    context: &mut Context,
) -> Option<(Span, String)> {
    let mut own = list.iter().filter(|own| own.name == "constant");
    let attribute = own.next()?;
    let place = |of: &Attribute| of.inside.first().map_or(draft.name.span, TokenTree::span);
    if let Some(second) = own.next() {
        context.report(place(second), messages::repeated_option("constant"));
    }
    if let Some(align) = list.iter().find(|own| own.name == "align") {
        context.report(place(align), messages::constant_align());
    }
    let written = match attribute.inside.as_slice() {
        [_, TokenTree::Group(group)] => Tokens::from_stream(group.stream()),
        _ => None,
    };
    let place = place(attribute);
    let Some(name) = written.as_ref().and_then(Tokens::word) else {
        let place = written.map_or(place.into(), |tokens| tokens.whole());
        context.report(place, messages::constant_name());
        return None;
    };
    if let Some(ArgumentKind::Buffer { symbol, .. }) = &mut draft.kind {
        *symbol = Some(name.clone());
    }
    Some((place, name))
}

/// The alignment that is written.
fn declared(tokens: &Tokens, context: &mut Context) -> Option<Align> {
    let known = context.errors.len();
    let number = context.read(tokens).and_then(|read| read.0.number());
    context.errors.truncate(known);
    let bytes = number.filter(|number| (1.0..=LARGEST_ALIGNMENT).contains(number));
    let bytes = bytes
        .map(|bytes| bytes as usize)
        .filter(|bytes| bytes.is_power_of_two() && number == Some(*bytes as f64));
    if bytes.is_none() {
        context.report(tokens.whole(), messages::align());
    }
    bytes.map(Align::Declared)
}
