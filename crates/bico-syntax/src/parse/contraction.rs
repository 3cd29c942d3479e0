//! `einsum = ".."`: reads it, finds its arguments, and supplies the options of the kernel that bico writes.

use super::arguments::Draft;
use super::names::Context;
use super::options::{self, Options};
use super::problem::{Block, constants};
use super::tokens::{Tokens, Value, entry, split};
use super::tunable::OPTIONS;
use crate::Lists;
use crate::messages;
use crate::spec::{ArgumentKind, Contraction, Element, Language, Name, Source};
use bico_einsum::{Argument, Call, Einsum, EinsumError, Float, Kind, Place};
use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};

/// An einsum as it stands in the attribute.
pub(crate) struct Written {
    pub(crate) einsum: Einsum,
    text: Name,
    tokens: Tokens,
}

/// Reports mistakes in an einsum, on its letters where the compiler can point into a string.
fn report(text: &Name, tokens: &Tokens, error: EinsumError, context: &mut Context) {
    let mut notes = error.notes;
    let letters = tokens.letters(&text.text, &error.range);
    if letters.is_none() {
        let carets = bico_einsum::carets(&text.text, &error.range, "    ");
        notes.insert(0, format!("in the einsum\n{carets}"));
    }
    let message = messages::of_einsum(error.message, notes);
    context.report(letters.unwrap_or(text.span), message);
}

/// Reads `einsum`; a mistake gives `None`.
pub(crate) fn einsum(options: &Options, context: &mut Context) -> Option<Written> {
    let tokens = options.value("einsum")?;
    let text = context.string(&tokens)?;
    match Einsum::parse_tiled(&text.text) {
        Ok(einsum) => Some(Written {
            einsum,
            text,
            tokens,
        }),
        Err(errors) => {
            for error in errors {
                report(&text, &tokens, error, context);
            }
            None
        }
    }
}

/// The source that bico writes: its language, and a path that no file has.
pub(crate) fn source(written: &Written, cuda: bool) -> Source {
    let path = format!("einsum \"{}\"", written.einsum);
    Source {
        path: Name::new(path, written.text.span),
        language: match cuda {
            true => Language::Cuda,
            false => Language::C,
        },
        before: Vec::new(),
        include: Vec::new(),
    }
}

/// Finds the arguments of an einsum, and adds the options and lengths that follow from it.
pub(crate) fn contraction(
    written: Written,
    function: &Name,
    drafts: &mut [Draft],
    blocks: &[Block],
    options: &mut Options,
    context: &mut Context,
) -> Option<Contraction> {
    let before = context.errors.len();
    for name in [
        "source", "include", "entry", "template", "launch", "scratch", "args", "pass", "inputs",
        "link", "threads", "variant",
    ] {
        if let Some(span) = options.span(name) {
            context.report(span, messages::beside_einsum(name));
            options.remove(name);
        }
    }
    for Name { text, span } in constants(blocks) {
        context.report(*span, messages::const_beside_einsum(text));
    }
    let Written {
        einsum,
        text,
        tokens,
    } = written;
    let arguments: Vec<Argument> = drafts.iter().map(argument).collect_vec();
    let cuda = context.names.cuda == Some(true);
    let call = bico_einsum::call(&einsum, &function.text, &arguments, cuda);
    let call = call.unwrap_or_else(|mistakes| {
        for (place, error) in mistakes {
            let place = match place {
                Place::Text => {
                    report(&text, &tokens, error, context);
                    continue;
                }
                Place::Argument(at) => drafts[at].name.span,
                Place::Function => function.span,
            };
            context.report(place, messages::of_einsum(error.message, error.notes));
        }
        Call::default()
    });
    if call.inputs.is_empty() || context.errors.len() > before {
        return None;
    }
    for (at, own) in &call.lengths {
        let draft = &mut drafts[*at];
        if let Some(theirs) = &draft.len {
            // The author's would be no better: a shorter one would let the kernel leave a buffer.
            let message = messages::len_beside_einsum(&draft.name.text, own);
            context.report(theirs.whole(), message);
        }
        draft.len = located(own, text.span).and_then(Tokens::from_stream);
    }
    supply(&call.options, text.span, options, context);
    Some(Contraction {
        span: text.span,
        output: call.output,
        inputs: call.inputs,
        kernel: call.kernel,
        reference: call.reference,
        einsum: einsum.to_string(),
    })
}

/// What an einsum sees of an argument.
fn argument(draft: &Draft) -> Argument<'_> {
    let kind = match &draft.kind {
        Some(ArgumentKind::Buffer {
            layout,
            mutable,
            init,
            ..
        }) => Kind::Buffer {
            element: match layout.number() {
                Some(Element::F16) => Some(Float::F16),
                Some(Element::F32) => Some(Float::F32),
                _ => None,
            },
            mutable: *mutable,
            filled: init.is_some(),
        },
        Some(ArgumentKind::Scalar(element)) if element.is_integer() => Kind::Integer {
            signed: element.name().starts_with('i'),
        },
        Some(ArgumentKind::Scalar(_) | ArgumentKind::Selector(_) | ArgumentKind::Value { .. }) => {
            Kind::Value
        }
        Some(ArgumentKind::Structure(_)) => Kind::Other,
        Some(ArgumentKind::Stream) => Kind::Other,
        None => Kind::Broken,
    };
    (&draft.name.text, kind)
}

/// The tokens of a text, all of them at `span`.
fn located(text: &str, span: Span) -> Option<TokenStream> {
    fn at(stream: TokenStream, span: Span) -> TokenStream {
        let trees = stream.into_iter().map(|mut tree| {
            if let TokenTree::Group(group) = tree {
                tree = Group::new(group.delimiter(), at(group.stream(), span)).into();
            }
            tree.set_span(span);
            tree
        });
        trees.collect()
    }
    let stream: TokenStream = text.parse().ok()?;
    Some(at(stream, span))
}

/// Adds the options of `text`; what the user wrote narrows, adds to or replaces them.
fn supply(text: &str, span: Span, options: &mut Options, context: &mut Context) {
    let Some(stream) = located(text, span) else {
        return context.report(span, messages::own_text());
    };
    // Before the user's options, in their own order: that of scratch buffers is the kernel's.
    let mut number = 0;
    for part in split(stream, &mut context.errors) {
        let Some(own) = entry(&part, "", &mut context.errors) else {
            continue;
        };
        let name = own.name.text.as_str();
        let value = match (name, own.value, options.group(name)) {
            ("score" | "work", ..) if options.given(name) => continue,
            ("space", Value::Called(own), Some((_, theirs))) => {
                Value::Called(narrowed(&own, &theirs, context))
            }
            ("verify", Value::Called(own), Some((_, theirs))) => {
                Value::Called(verify(&own, &theirs, context))
            }
            (_, own, _) => own,
        };
        if ["space", "verify"].contains(&name) {
            options.remove(name);
        }
        match options::find(OPTIONS, name).map(options::name) {
            Some(name) => {
                options.list.insert(number, (name, own.name.span, value));
                number += 1;
            }
            None => context.report(own.name.span, messages::own_text()),
        }
    }
}

/// A part of a list, and the name that it begins with, if it is a name.
type Named = (Option<Name>, Tokens);

fn named(group: &Group, context: &mut Context) -> Vec<Named> {
    let parts = split(group.stream(), &mut context.errors).into_iter();
    let named = parts.map(|part| match part.trees.first() {
        Some(TokenTree::Ident(name)) if name != "const" => {
            (Some(Name::new(name, name.span())), part)
        }
        _ => (None, part),
    });
    named.collect_vec()
}

/// A list in parentheses that stand at `span`.
fn list(parts: Vec<Tokens>, span: Span) -> Group {
    let comma = || TokenTree::from(proc_macro2::Punct::new(',', proc_macro2::Spacing::Alone));
    let parts = parts.into_iter();
    let stream = parts.flat_map(|part| part.trees.into_iter().chain([comma()]));
    let mut group = Group::new(Delimiter::Parenthesis, stream.collect());
    group.set_span(span);
    group
}

/// bico's space with the user's domains in the place of its own.
fn narrowed(own: &Group, theirs: &Group, context: &mut Context) -> Group {
    let own = named(own, context);
    let theirs = named(theirs, context);
    let name = |(name, _): &Named| name.as_ref().map(|name| name.text.clone());
    let known: Vec<String> = own.iter().filter_map(name).collect_vec();
    let known: Vec<&str> = known.iter().map(String::as_str).collect_vec();
    for Name { text, span } in theirs.iter().filter_map(|(name, _)| name.as_ref()) {
        if !known.contains(&&**text) {
            context.report(*span, messages::unknown_parameter(text, &known));
        }
    }
    let span = own
        .first()
        .map_or_else(Span::call_site, |(_, part)| part.span());
    let mut parts = Vec::new();
    for part in own {
        let same = |theirs: &&Named| theirs.0.is_some() && name(theirs) == name(&part);
        // The parser of spaces reports a name that stands twice.
        let replaced = theirs.iter().filter(same).map(|(_, part)| part.clone());
        let before = parts.len();
        parts.extend(replaced);
        if parts.len() == before {
            parts.push(part.1);
        }
    }
    // What begins with no name is a mistake, which the parser of spaces reports.
    let nameless = theirs.into_iter().filter(|(name, _)| name.is_none());
    parts.extend(nameless.map(|(_, part)| part));
    list(parts, span)
}

/// The user's tolerances beside bico's reference.
fn verify(own: &Group, theirs: &Group, context: &mut Context) -> Group {
    let mut parts = Vec::new();
    let mut given = Vec::new();
    for (name, part) in named(theirs, context) {
        if let Some(Name { text, span }) = name {
            if ["reference", "entry", "launch", "with", "judge"].contains(&text.as_str()) {
                context.report(span, messages::own_reference(&text));
                continue;
            }
            given.push(text);
        }
        parts.push(part);
    }
    for (name, part) in named(own, context) {
        if !name.is_some_and(|name| given.contains(&name.text)) {
            parts.push(part);
        }
    }
    list(parts, theirs.span())
}
