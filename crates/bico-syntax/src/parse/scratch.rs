//! `scratch(NAME: f32, len = .., zeroed)`.

use super::arguments;
use super::names::{self, Context};
use super::options::{Known, Options};
use super::rust_type::{Place, RustType};
use super::tokens::Tokens;
use super::tokens::{self, Value, is_identifier};
use super::types::Type;
use crate::errors::Errors;
use crate::messages;
use crate::spec::{Argument, Name, Scratch};
use proc_macro2::TokenTree;

const ZEROED: &str = "zeroed";

const SCRATCH: &[Known] = &[
    Known::once("len", "len = m * n"),
    Known::once(ZEROED, ZEROED),
];

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
                context.report(span, messages::expected_entry(example));
            }
            continue;
        };
        let element = match &first.value {
            Value::Typed(tokens) => {
                let element = arguments::element(&RustType::read(&tokens.trees));
                if element.is_none() {
                    let place = Place::of(&tokens.trees);
                    context.report(place, messages::element_type());
                }
                element
            }
            Value::Broken => None,
            _ => {
                context.report(first.span, messages::expected_entry(example));
                None
            }
        };
        let taken = arguments
            .iter()
            .any(|argument| argument.name.text == first.name)
            || list.iter().any(|other| other.name.text == first.name)
            || context.names.declared(&first.name);
        if !is_identifier(&first.name) {
            context.report(first.span, messages::parameter_name(&first.name));
        } else if taken {
            context.report(first.span, messages::name_taken(&first.name));
        }
        let mut rest = parts[1..].to_vec();
        let zeroed = take_zeroed(&mut rest, &mut context.errors);
        let rest = Options::from_parts(&rest, "scratch", SCRATCH, &mut context.errors);
        rest.require("len", span, SCRATCH[0].example, &mut context.errors);
        let len = rest
            .value("len")
            .map(|tokens| context.typed(&tokens, &names::Place::full("`scratch`"), Type::Int));
        if let (Some(element), Some(len)) = (element, len) {
            list.push(Scratch {
                name: Name {
                    text: first.name,
                    span: first.span,
                },
                element,
                len,
                zeroed,
            });
        }
    }
    list
}

/// Takes out the parts that are one word, of which there is only `zeroed`, and says whether it was there.
fn take_zeroed(parts: &mut Vec<Tokens>, errors: &mut Errors) -> bool {
    let mut zeroed = false;
    parts.retain(|part| {
        let [TokenTree::Ident(word), more @ ..] = part.trees.as_slice() else {
            return true;
        };
        match (word == ZEROED, more) {
            (true, []) if zeroed => errors.report(word.span(), messages::repeated_option(ZEROED)),
            (true, []) => zeroed = true,
            (true, [first, ..]) => {
                errors.report(first.span(), messages::option_without_value(ZEROED));
            }
            // How it is written is said where options are read.
            (false, []) if word == "len" => return true,
            (false, []) => {
                let word = (word.to_string(), word.span());
                let known: Vec<&str> = SCRATCH.iter().map(|option| option.name).collect();
                errors.report(
                    word.1,
                    messages::unsupported_option(&word.0, "scratch", &known),
                );
            }
            _ => return true,
        }
        false
    });
    zeroed
}
