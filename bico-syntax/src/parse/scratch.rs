//! `scratch(NAME: f32, len = ..)`.

use super::arguments;
use super::names::{Context, Place};
use super::options::{Known, Options};
use super::tokens::{self, Value, is_identifier};
use super::types::Type;
use crate::messages;
use crate::spec::{Argument, Name, Scratch};

const SCRATCH: &[Known] = &[Known::once("len", "len = m * n")];

pub(crate) fn scratch(
    options: &Options,
    arguments: &[Argument],
    context: &mut Context,
) -> Vec<Scratch> {
    let mut list: Vec<Scratch> = Vec::new();
    for (span, group) in options.groups("scratch") {
        let parts = arguments::parts(&group, context);
        let example = "scratch(PARTIAL: f32, len = m * n)";
        let Some(first) = parts
            .first()
            .and_then(|part| tokens::entry(part, example, &mut context.errors))
        else {
            if parts.is_empty() {
                context
                    .errors
                    .report(span, messages::expected_entry(example));
            }
            continue;
        };
        let element = match &first.value {
            Value::Typed(tokens) => match tokens
                .parse::<syn::Type>(&mut context.errors)
                .map(|kind| arguments::element(&kind))
            {
                Some(Ok(element)) => Some(element),
                Some(Err((span, message))) => {
                    context.errors.report(span, message);
                    None
                }
                None => None,
            },
            Value::Broken => None,
            _ => {
                context
                    .errors
                    .report(first.span, messages::expected_entry(example));
                None
            }
        };
        let taken = arguments
            .iter()
            .any(|argument| argument.name.text == first.name)
            || list.iter().any(|other| other.name.text == first.name)
            || context.names.declared(&first.name);
        if !is_identifier(&first.name) {
            context
                .errors
                .report(first.span, messages::parameter_name(&first.name));
        } else if taken {
            context
                .errors
                .report(first.span, messages::name_taken(&first.name));
        }
        let rest = Options::from_parts(&parts[1..], "scratch", SCRATCH, &mut context.errors);
        rest.require("len", span, SCRATCH[0].example, &mut context.errors);
        let len = rest
            .value("len")
            .map(|tokens| context.typed(&tokens, &Place::full("`scratch`"), Type::Int));
        if let (Some(element), Some(len)) = (element, len) {
            list.push(Scratch {
                name: Name {
                    text: first.name,
                    span: first.span,
                },
                element,
                len,
            });
        }
    }
    list
}
