//! `scratch(NAME: f32, len = .., zeroed)`.

use super::arguments;
use super::check::Type;
use super::names::{Context, Place};
use super::options::{Known, Options, name};
use super::rust_type::{RustType, extent};
use super::tokens::{Tokens, Value, entry, is_identifier, split};
use crate::errors::Errors;
use crate::messages;
use crate::spec::{Argument, Scratch};
use proc_macro2::TokenTree;

const ZEROED: &str = "zeroed";

const SCRATCH: [Known; 2] = ["len = m * n", ZEROED];

/// Adds those of the only kernel, of all variants, or `of` one.
pub(crate) fn scratch(
    options: &Options,
    arguments: &[Argument],
    of: Option<usize>,
    list: &mut Vec<Scratch>,
    context: &mut Context,
) {
    for (span, group) in options.groups("scratch") {
        let mut rest = split(group.stream(), &mut context.errors);
        let example = "scratch(PARTIAL: f32, len = m * n)";
        if rest.is_empty() {
            context.report(span, messages::expected_entry(example));
            continue;
        }
        let Some(first) = entry(&rest.remove(0), example, &mut context.errors) else {
            continue;
        };
        let name = first.name;
        let element = match &first.value {
            Value::Typed(tokens) => {
                let element = arguments::element(&RustType::read(&tokens.trees));
                if element.is_none() {
                    context.report(extent(&tokens.trees), messages::element_type(""));
                }
                element
            }
            Value::Broken => None,
            _ => {
                context.report(name.span, messages::expected_entry(example));
                None
            }
        };
        let mut known = arguments.iter().map(|argument| &argument.name);
        let taken = known.any(|known| known.text == name.text)
            || list.iter().any(|other| {
                other.name.text == name.text && (other.of.is_none() || other.of == of)
            })
            || context.names.declared(&name.text);
        if !is_identifier(&name.text) {
            context.report(name.span, messages::parameter_name(&name.text));
        } else if taken {
            context.report(name.span, messages::name_taken(&name.text));
        }
        let zeroed = take_zeroed(&mut rest, &mut context.errors);
        let rest = Options::from_parts(&rest, "scratch", &SCRATCH, &mut context.errors);
        rest.require("len", span, SCRATCH[0], &mut context.errors);
        let len = rest.typed("len", &Place::full("`scratch`"), Type::Int, context);
        if let (Some(element), Some(len)) = (element, len) {
            list.push(Scratch {
                name,
                element,
                len,
                zeroed,
                of,
            });
        }
    }
}

/// Takes out the parts that are one word, of which there is only `zeroed`, and says whether it was there.
fn take_zeroed(parts: &mut Vec<Tokens>, errors: &mut Errors) -> bool {
    let mut zeroed = false;
    parts.retain(|part| {
        let [TokenTree::Ident(word), more @ ..] = part.trees.as_slice() else {
            return true;
        };
        let (text, span) = (word.to_string(), word.span());
        match (text.as_str(), more) {
            (ZEROED, []) if zeroed => errors.report(span, messages::repeated_option(ZEROED)),
            (ZEROED, []) => zeroed = true,
            (ZEROED, [first, ..]) => {
                errors.report(first.span(), messages::option_without_value(ZEROED));
            }
            // How it is written is said where options are read.
            ("len", []) => return true,
            (_, []) => {
                let known = SCRATCH.map(name);
                errors.report(span, messages::unsupported_option(&text, "scratch", &known));
            }
            _ => return true,
        }
        false
    });
    zeroed
}
