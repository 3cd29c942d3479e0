//! A function with a body beside no source: what is tuned is the function itself, for its const parameters.

use super::check::Type;
use super::function::Function;
use super::names::{Context, find};
use super::options::Options;
use super::problem::{Block, constants};
use super::reader::is_punct;
use super::tokens::{Tokens, split};
use crate::Lists;
use crate::errors::Errors;
use crate::expr::ExprKind;
use crate::messages;
use crate::rust::{ConstKind, ConstParameter, RustFunction};
use crate::spec::{Domain, Language, Name, Parameter, ReferenceKind, Source, TunableSpec};
use proc_macro2::{TokenStream, TokenTree};

/// How `ship` is written.
pub(crate) const SHIP: &str = "ship = measured";

/// What only a kernel in another file can have; `flags` where what was measured is linked, too.
const OF_FILES: [&str; 13] = [
    "entry", "template", "args", "pass", "scratch", "include", "flags", "link", "launch",
    "compiler", "arch", "family", "drive",
];

/// Whether the attribute names what is to be compiled: then a body is a mistake.
pub(crate) fn names_source(attribute: &TokenStream) -> bool {
    let names = |tree: TokenTree| match tree {
        TokenTree::Ident(word) => word == "source" || word == "einsum" || word == "variant",
        _ => false,
    };
    attribute.clone().into_iter().any(names)
}

/// Reads the const parameters of a function, and says what else no such function can have.
pub(crate) fn read(
    function: &Function,
    options: &Options,
    context: &mut Context,
) -> Option<RustFunction> {
    let of_file = ["source", "einsum", "variant"];
    let body = function.body()?.clone();
    if of_file.iter().any(|name| options.given(name)) {
        return None;
    }
    let errors = &mut context.errors;
    let of_another = |name: &str| ["target_feature", "test", "no_mangle", "unsafe"].contains(&name);
    for own in &function.attributes {
        if let (true, Some(TokenTree::Ident(word))) = (of_another(&own.name), own.inside.first()) {
            errors.report(word.span(), messages::attribute_of_function(&own.name));
        }
    }
    let inner: Vec<TokenTree> = function.generics.clone().into_iter().collect_vec();
    let inner = match inner.as_slice() {
        [_, inner @ .., _] => inner.to_vec(),
        _ => Vec::new(),
    };
    let mut consts = Vec::new();
    for part in split(TokenStream::from_iter(inner), errors) {
        consts.extend(parameter(&part, errors));
    }
    Some(RustFunction {
        consts,
        ships_measured: ships_measured(options, context),
        body,
    })
}

/// Whether what was measured is to be linked.
fn ships_measured(options: &Options, context: &mut Context) -> bool {
    let Some(tokens) = options.value("ship") else {
        return false;
    };
    let is_word = |word: &str| tokens.trees.len() == 1 && tokens.trees[0].to_string() == word;
    if !is_word("measured") {
        context.report(tokens.whole(), messages::ship());
    }
    true
}

fn parameter(part: &Tokens, errors: &mut Errors) -> Option<ConstParameter> {
    let [
        TokenTree::Ident(word),
        TokenTree::Ident(name),
        colon,
        TokenTree::Ident(kind),
    ] = part.trees.as_slice()
    else {
        errors.report(part.whole(), messages::generic_parameter());
        // Enough was said of it.
        return match part.trees.as_slice() {
            [TokenTree::Ident(word), TokenTree::Ident(name), ..] if word == "const" => {
                Some(ConstParameter {
                    name: Name::new(name, name.span()),
                    kind: ConstKind::Integer,
                    written: String::new(),
                })
            }
            _ => None,
        };
    };
    if word != "const" || !is_punct(colon, ':') {
        errors.report(part.whole(), messages::generic_parameter());
        return None;
    }
    let written = kind.to_string();
    let kind = match written.as_str() {
        "bool" => ConstKind::Bool,
        "char" => ConstKind::Char,
        _ => ConstKind::Integer,
    };
    Some(ConstParameter {
        name: Name::new(name, name.span()),
        kind,
        written,
    })
}

/// The source that stands for the function: no file, as far as the parser knows.
pub(crate) fn source(function: &Name) -> Source {
    Source {
        path: Name::new(format!("fn {}", function.text), function.span),
        language: Language::Rust,
        before: Vec::new(),
        include: Vec::new(),
    }
}

/// Reports options and constants that no Rust function has, and forgets them.
pub(crate) fn without(
    function: Option<&RustFunction>,
    options: &mut Options,
    blocks: &[Block],
    context: &mut Context,
) {
    let Some(function) = function else { return };
    for name in OF_FILES {
        if name == "flags" && function.ships_measured {
            continue;
        }
        if let Some(span) = options.span(name) {
            context.report(span, messages::beside_function(name));
            options.remove(name);
        }
    }
    for Name { text, span } in constants(blocks) {
        context.report(*span, messages::const_beside_function(text));
    }
}

/// Whether the space's parameters are the function's, each of its type.
pub(crate) fn check(
    function: Option<&RustFunction>,
    name: &Name,
    parameters: &[Parameter],
    options: &Options,
    context: &mut Context,
) {
    let Some(function) = function else {
        if let Some(span) = options.span("ship") {
            context.report(span, messages::ship_of_files());
        }
        return;
    };
    // Flags may have parameters of their own.
    let flags = options.values("flags").into_iter();
    let text = |list: Tokens| TokenStream::from_iter(list.trees).to_string();
    let flags = flags.map(text).collect_vec();
    let is_flag = |name: &str| {
        flags
            .iter()
            .any(|list| list.contains(&format!("{{{name}}}")))
    };
    let known = function.consts.iter().map(|of| of.name.text.as_str());
    let known: Vec<&str> = known.collect_vec();
    for Parameter {
        name: own, domain, ..
    } in parameters
    {
        let Some(of) = function.consts.iter().find(|of| of.name.text == own.text) else {
            if !is_flag(&own.text) {
                context.report(own.span, messages::no_const(&own.text, &name.text, &known));
            }
            continue;
        };
        let kind = find(&context.names.parameters, &own.text);
        let fits = match (of.kind, kind) {
            (_, None | Some(Type::Unknown)) => true,
            (ConstKind::Bool, Some(kind)) => *kind == Type::Bool,
            (ConstKind::Char, Some(kind)) => *kind == Type::Str,
            (ConstKind::Integer, Some(kind)) => *kind == Type::Int,
        };
        if !fits {
            context.report(own.span, messages::const_type(&own.text, &of.written));
        }
        let Domain::In(list) = domain else { continue };
        if let (ConstKind::Char, ExprKind::List(items)) = (of.kind, &list.kind) {
            // The lock does not take all there are.
            let odd = |c: char| c.is_control() || ['"', '\\'].contains(&c);
            let long = |text: &str| text.chars().count() != 1 || text.contains(odd);
            let wrong = items
                .iter()
                .find(|item| matches!(&item.kind, ExprKind::Str(text) if long(text)));
            if let Some(item) = wrong {
                context.report(item.span, messages::no_char());
            }
        }
    }
    for of in &function.consts {
        let is_there = parameters.iter().any(|own| own.name.text == of.name.text);
        if !is_there && find(&context.names.parameters, &of.name.text).is_none() {
            context.report(of.name.span, messages::const_without_values(&of.name.text));
        }
    }
}

/// Reports what fixes parameters for a reference that has none.
pub(crate) fn check_reference(spec: &TunableSpec, context: &mut Context) {
    let reference = spec
        .verify
        .reference
        .as_ref()
        .filter(|_| spec.rust.is_some());
    if let Some(reference) = reference
        && let (Some((name, _)), ReferenceKind::Entry(entry)) =
            (reference.with.first(), &reference.kind)
    {
        context.report(name.span, messages::reference_of_function(entry));
    }
}
