//! Values of some parameters: `with(BLOCK = 64)` of a reference, `default = { TILE: 64 }`.

use super::names::{Context, Place, find};
use super::options::Options;
use super::part::Part;
use super::tokens::{Value, entry, split};
use super::variant;
use crate::Lists;
use crate::expr::{Expr, ExprKind};
use crate::messages;
use crate::spec::{DefaultConfig, Domain, Name, Parameter};
use proc_macro2::{Delimiter, TokenStream, TokenTree};

pub(crate) const DEFAULT: &str = "default = { TILE_M: 64, TILE_N: 32 }";

/// What is said of which parameters, `mark` between name and value.
pub(super) fn values(
    stream: TokenStream,
    mark: &str,
    place: &Place,
    context: &mut Context,
) -> Vec<(Name, Expr)> {
    let mut found: Vec<(Name, Expr)> = Vec::new();
    let form = |name: &str| match mark {
        ":" => format!("{name}: 64"),
        _ => format!("{name} = 64"),
    };
    for part in split(stream, &mut context.errors) {
        let Some(entry) = entry(&part, &form("BLOCK"), &mut context.errors) else {
            continue;
        };
        let Name { text, span } = &entry.name;
        let Some(kind) = find(&context.names.parameters, text).cloned() else {
            let message = match find(&context.names.elsewhere, text).filter(|_| mark == ":") {
                Some(variant) => messages::default_of_variant(text, variant),
                None => messages::template_name(text, &context.names.parameters()),
            };
            context.report(*span, message);
            continue;
        };
        if found.iter().any(|(known, _)| known.text == *text) {
            context.report(*span, messages::repeated_option(text));
            continue;
        }
        match (entry.value, mark) {
            (Value::Assigned(tokens), "=") | (Value::Typed(tokens), ":") => {
                let value = context.typed(&tokens, place, kind);
                found.push((entry.name, value));
            }
            (Value::Broken, _) => {}
            _ => context.report(*span, messages::value_form(text, mark, &form(text))),
        }
    }
    found
}

/// `default = { TILE_M: 64, .. }`: what would run without bico.
pub(super) fn default(
    options: &Options,
    parameters: &[Parameter],
    parts: &[Part],
    context: &mut Context,
) -> Option<DefaultConfig> {
    let (tokens, span) = (options.value("default")?, options.span("default")?);
    let [TokenTree::Group(group)] = tokens.trees.as_slice() else {
        context.report(tokens.whole(), messages::default_form(DEFAULT));
        return None;
    };
    if group.delimiter() != Delimiter::Brace {
        context.report(tokens.whole(), messages::default_form(DEFAULT));
        return None;
    }
    let part = variant::named(parts, group);
    let read = |context: &mut Context| values(group.stream(), ":", &Place::DEFAULT, context);
    let mut values = match part {
        Some(part) => part.within(context, read),
        None => read(context),
    };
    let own = part.map_or(&[][..], |part| &part.parameters);
    let mut missing = Vec::new();
    for Parameter { name, domain, .. } in parameters.iter().chain(own) {
        let given = values.iter().find(|(known, _)| known.text == name.text);
        match (given, domain) {
            (Some((name, _)), Domain::Derived(_)) => {
                context.report(name.span, messages::default_derived(&name.text));
            }
            (None, Domain::In(listed)) if literals(listed).is_none_or(|of| of.len() != 1) => {
                missing.push(name.text.as_str());
            }
            (Some((_, value)), Domain::In(listed)) => {
                let known = literals(listed).filter(|_| is_literal(value));
                let text = value.to_string();
                if let Some(known) = known.filter(|known| !known.contains(&text)) {
                    let message = messages::default_outside(&name.text, &text, &known);
                    context.report(value.span, message);
                }
            }
            _ => {}
        }
    }
    if !missing.is_empty() && context.errors.is_empty() {
        context.report(span, messages::default_missing(&missing));
    }
    for (name, _) in &mut values {
        part.iter().for_each(|part| part.rename_name(name));
    }
    Some(DefaultConfig { values, span })
}

fn is_literal(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Str(_)
    )
}

/// The values of a list that is written out.
fn literals(domain: &Expr) -> Option<Vec<String>> {
    match &domain.kind {
        ExprKind::List(items) if items.iter().all(is_literal) => {
            Some(items.iter().map(Expr::to_string).collect_vec())
        }
        _ => None,
    }
}
