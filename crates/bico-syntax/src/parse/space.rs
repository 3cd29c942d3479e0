//! `space(..)` and `template`.

use super::check::Type;
use super::expr::is_placeholder;
use super::names::{Context, Place, find};
use super::options::Options;
use super::tokens::{Entry, Tokens, Value, entry, is_identifier, split};
use crate::Lists;
use crate::expr::ExprKind;
use crate::messages;
use crate::spec::{Domain, Language, Name, Parameter};
use proc_macro2::{Delimiter, Group, TokenTree};

const EXAMPLE: &str = "TILE in [4, 8, 16]";

/// The entries of `space(..)`, each name once; they are added to the known names: problems must know them before domains
/// are read.
pub(crate) fn entries(group: &Group, context: &mut Context) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let parts = split(group.stream(), &mut context.errors);
    for part in &parts {
        let Some(entry) = entry(part, EXAMPLE, &mut context.errors) else {
            continue;
        };
        let Name { text: name, span } = &entry.name;
        if entry.constant {
            context.report(part.span(), messages::const_in_space(name));
        } else if !is_identifier(name) || name == "device" {
            context.report(*span, messages::parameter_name(name));
        } else if find(&context.names.parameters, name).is_some() {
            context.report(*span, messages::repeated_parameter(name));
        } else {
            let known = &mut context.names.parameters;
            known.push((name.clone(), Type::Unknown));
            entries.push(entry);
        }
    }
    if parts.is_empty() {
        context.report(group.span_close(), messages::empty_space());
    }
    entries
}

/// Reads the domains, in order, and adds each parameter to the known names.
pub(crate) fn parameters(entries: &[Entry], context: &mut Context) -> Vec<Parameter> {
    let names = entries.iter().map(|entry| entry.name.text.clone());
    context.names.later = names.collect_vec();
    let mut parameters = Vec::new();
    for entry in entries {
        let Name { text: name, span } = &entry.name;
        let known = &context.names;
        if find(&known.sizes, name).is_some() || find(&known.others, name).is_some() {
            context.report(*span, messages::parameter_is_argument(name));
        } else if find(&known.constants, name).is_some() {
            context.report(*span, messages::parameter_is_const(name));
        }
        let (domain, kind) = domain(entry, context);
        context.names.later.retain(|later| later != name);
        context.names.parameters.push((name.clone(), kind));
        parameters.extend(domain.map(|domain| Parameter {
            name: entry.name.clone(),
            domain,
            elsewhere: None,
        }));
    }
    parameters
}

/// Where values come from, if it can be read, and their type.
fn domain(entry: &Entry, context: &mut Context) -> (Option<Domain>, Type) {
    let Name { text: name, span } = &entry.name;
    let (Value::In(tokens) | Value::Assigned(tokens)) = &entry.value else {
        if !matches!(entry.value, Value::Broken) {
            context.report(*span, messages::expected_entry(EXAMPLE));
        }
        return (None, Type::Unknown);
    };
    let (expr, kind) = context.expression(tokens, &Place::SPACE);
    let empty = matches!(&expr.kind, ExprKind::List(items) if items.is_empty());
    let listed = matches!(entry.value, Value::In(_));
    let (fault, kind) = match (listed, kind) {
        (true, Type::List(element)) => (empty.then(messages::empty_list), *element),
        (true, Type::Unknown) => (None, Type::Unknown),
        (true, other) => (Some(messages::not_a_domain(&expr, &other)), Type::Unknown),
        (false, Type::List(_)) => (Some(messages::derived_list(name, &expr)), Type::Unknown),
        (false, kind) => (None, kind),
    };
    if let Some(message) = fault {
        context.report(expr.span, message);
    }
    let domain = if listed { Domain::In } else { Domain::Derived };
    (Some(domain(expr)), kind)
}

/// `template = [A, B]`.
pub(crate) fn template(
    options: &Options,
    language: Option<Language>,
    context: &mut Context,
) -> Vec<Name> {
    let mut names: Vec<Name> = Vec::new();
    let (Some(tokens), Some(span)) = (options.value("template"), options.span("template")) else {
        return names;
    };
    if language == Some(Language::C) {
        context.report(span, messages::template_in_c());
    }
    for item in brackets(&tokens, "template = [TILE_M, TILE_N]", context) {
        let Some((expr, _)) = context.read(&item) else {
            continue;
        };
        let ExprKind::Name(text) = &expr.kind else {
            context.report(expr.span, messages::template_name(&expr.to_string(), &[]));
            continue;
        };
        if is_placeholder(&expr) {
            continue;
        }
        if find(&context.names.parameters, text).is_none() {
            let message = messages::template_name(text, &context.names.parameters());
            context.report(expr.span, message);
        } else if names.iter().any(|name| name.text == *text) {
            context.report(expr.span, messages::template_repeated(text));
        } else {
            names.push(Name::new(text, expr.span));
        }
    }
    names
}

/// The items of a list in brackets.
pub(crate) fn brackets(tokens: &Tokens, example: &str, context: &mut Context) -> Vec<Tokens> {
    match tokens.trees.as_slice() {
        [TokenTree::Group(group)] if group.delimiter() == Delimiter::Bracket => {
            split(group.stream(), &mut context.errors)
        }
        _ => {
            // What is no expression at all is reported as that.
            let known = context.errors.len();
            if context.read(tokens).is_some() {
                context.errors.truncate(known);
                let message = messages::expected_entry(example);
                context.report(tokens.whole(), message);
            }
            Vec::new()
        }
    }
}
