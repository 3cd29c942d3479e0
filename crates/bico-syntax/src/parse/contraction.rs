//! `einsum = ".."`: reads it, finds its arguments, and supplies the options of the kernel that bico writes.

use super::arguments::{Draft, DraftKind};
use super::names::Context;
use super::options::{Known, Options};
use super::problem::Block;
use super::tokens::{Entry, Tokens, Value, entry, split};
use super::tunable::OPTIONS;
use crate::messages;
use crate::spec::{Contraction, Element, Language, Name, Source};
use bico_einsum::{Argument, Call, Einsum, Float, Kind, Place};
use proc_macro2::{Delimiter, Group, Literal, Span, TokenStream, TokenTree};
use std::ops::Range;

/// An einsum as it stands in the attribute.
pub(crate) struct Written {
    pub(crate) einsum: Einsum,
    text: Text,
}

/// The string of an einsum.
struct Text {
    value: String,
    span: Span,
    literal: Option<Literal>,
}

impl Text {
    /// Reports a mistake, on its letters where the compiler can point into a string.
    fn report(
        &self,
        range: &Range<usize>,
        message: String,
        mut notes: Vec<String>,
        context: &mut Context,
    ) {
        let letters = self.place(range);
        if letters.is_none() {
            notes.insert(0, self.carets(range));
        }
        let message = messages::of_einsum(message, notes);
        context.report(letters.unwrap_or(self.span), message);
    }

    /// Where these bytes of the text are in the source: known of a string without escapes, to a build script
    /// and to compilers that tell macros.
    fn place(&self, range: &Range<usize>) -> Option<Span> {
        let literal = self.literal.as_ref()?;
        let written = literal.to_string();
        let start = written.find('"')? + 1;
        if !written[start..].starts_with(&self.value) {
            return None;
        }
        let (from, to) = (start + range.start, start + range.end.max(range.start + 1));
        // A compiler counts bytes, its stand-in letters.
        let count = |end: usize| match cfg!(feature = "span-locations") {
            true => written.get(..end).map(|before| before.chars().count()),
            false => Some(end),
        };
        literal.subspan(count(from)?..count(to)?)
    }

    /// The text with carets below these bytes.
    fn carets(&self, range: &Range<usize>) -> String {
        let plain = |c: char| if c.is_control() { ' ' } else { c };
        let text: String = self.value.chars().map(plain).collect();
        let count =
            |bytes: Range<usize>| self.value.get(bytes).map_or(0, |part| part.chars().count());
        format!(
            "in the einsum\n    {text}\n    {}{}",
            " ".repeat(count(0..range.start)),
            "^".repeat(count(range.clone()).max(1))
        )
    }
}

/// Reads `einsum`; a mistake gives `None`.
pub(crate) fn einsum(options: &Options, context: &mut Context) -> Option<Written> {
    let tokens = options.value("einsum")?;
    let name = context.string(&tokens)?;
    let text = Text {
        literal: match tokens.trees.as_slice() {
            [TokenTree::Literal(literal)] => Some(literal.clone()),
            _ => None,
        },
        value: name.text,
        span: name.span,
    };
    match Einsum::parse_tiled(&text.value) {
        Ok(einsum) => Some(Written { einsum, text }),
        Err(errors) => {
            for error in errors {
                text.report(&error.range, error.message, error.notes, context);
            }
            None
        }
    }
}

/// The source that bico writes: its language, and a path that no file has.
pub(crate) fn source(written: &Written, cuda: bool) -> Source {
    Source {
        path: Name {
            text: format!("einsum \"{}\"", written.einsum),
            span: written.text.span,
        },
        language: match cuda {
            true => Language::Cuda,
            false => Language::C,
        },
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
    for name in ["source", "entry", "template", "launch", "scratch"] {
        if let Some(span) = options.span(name) {
            context.report(span, messages::beside_einsum(name));
            options.remove(name);
        }
    }
    for (name, span) in constants(blocks) {
        let message = messages::const_beside_einsum(name);
        context.report(span, message);
    }
    let Written { einsum, text } = written;
    let arguments: Vec<Argument> = drafts.iter().map(argument).collect();
    let cuda = context.names.cuda == Some(true);
    let call = bico_einsum::call(&einsum, &function.text, &arguments, cuda);
    let call = call.unwrap_or_else(|mistakes| {
        for mistake in mistakes {
            let place = match mistake.place {
                Place::Text(range) => {
                    text.report(&range, mistake.message, mistake.notes, context);
                    continue;
                }
                Place::Argument(at) => drafts[at].name.span,
                Place::Function => function.span,
            };
            let message = messages::of_einsum(mistake.message, mistake.notes);
            context.report(place, message);
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

/// The `const`s of all problems, with their places.
fn constants(blocks: &[Block]) -> impl Iterator<Item = (&str, Span)> {
    let entries = blocks.iter().flat_map(|block| &block.entries);
    entries
        .filter(|entry| entry.constant)
        .map(|entry| (&*entry.name, entry.span))
}

/// What an einsum sees of an argument.
fn argument(draft: &Draft) -> Argument<'_> {
    let kind = match draft.kind {
        DraftKind::Buffer { element, mutable } => Kind::Buffer {
            element: match element {
                Element::F16 => Some(Float::F16),
                Element::F32 => Some(Float::F32),
                _ => None,
            },
            mutable,
            filled: draft.init.is_some(),
        },
        DraftKind::Scalar(element) if element.is_integer() => Kind::Integer {
            signed: element.name().starts_with('i'),
        },
        DraftKind::Scalar(_) | DraftKind::Text => Kind::Value,
        DraftKind::Stream => Kind::Other,
        DraftKind::Broken => Kind::Broken,
    };
    Argument {
        name: &draft.name.text,
        kind,
    }
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
        let Some(mut own) = entry(&part, "", &mut context.errors) else {
            continue;
        };
        let theirs = options.group(&own.name);
        match (&*own.name, &own.value) {
            ("score" | "work", _) if options.given(&own.name) => continue,
            ("space", Value::Called(group)) => {
                let narrowed = theirs.map(|(_, theirs)| narrowed(group, &theirs, context));
                own.value = Value::Called(narrowed.unwrap_or_else(|| group.clone()));
                options.remove("space");
            }
            ("verify", Value::Called(group)) => {
                let verify = theirs.map(|(_, theirs)| verify(group, &theirs, context));
                own.value = Value::Called(verify.unwrap_or_else(|| group.clone()));
                options.remove("verify");
            }
            _ => {}
        }
        match options.supply(number, own, OPTIONS) {
            Ok(()) => number += 1,
            Err(place) => context.report(place, messages::own_text()),
        }
    }
}

impl Options {
    /// Forgets `name`.
    fn remove(&mut self, name: &str) {
        self.list.retain(|(known, ..)| *known != name);
        self.broken.retain(|known| *known != name);
    }

    /// Adds what the user did not write, as the option of this number.
    fn supply(&mut self, number: usize, entry: Entry, known: &'static [Known]) -> Result<(), Span> {
        let option = known.iter().find(|option| option.name == entry.name);
        let option = option.ok_or(entry.span)?;
        let number = number.min(self.list.len());
        self.list
            .insert(number, (option.name, entry.span, entry.value));
        Ok(())
    }
}

/// The parts of a list with the names that they begin with, if it is a name.
fn named(group: &Group, context: &mut Context) -> Vec<(Option<(String, Span)>, Tokens)> {
    let parts = split(group.stream(), &mut context.errors);
    let name = |part: &Tokens| match part.trees.first() {
        Some(TokenTree::Ident(name)) if name != "const" => Some((name.to_string(), name.span())),
        _ => None,
    };
    parts.into_iter().map(|part| (name(&part), part)).collect()
}

/// A list in the parentheses of `of`.
fn list(parts: Vec<Tokens>, of: &Group) -> Group {
    let comma = || TokenTree::from(proc_macro2::Punct::new(',', proc_macro2::Spacing::Alone));
    let stream = parts
        .into_iter()
        .flat_map(|part| part.trees.into_iter().chain([comma()]));
    let mut group = Group::new(Delimiter::Parenthesis, stream.collect());
    group.set_span(of.span());
    group
}

/// bico's space with the user's domains in the place of its own.
fn narrowed(own: &Group, theirs: &Group, context: &mut Context) -> Group {
    let own = named(own, context);
    let mut theirs = named(theirs, context);
    let known: Vec<&str> = own
        .iter()
        .filter_map(|(name, _)| name.as_ref().map(|(name, _)| name.as_str()))
        .collect();
    for (name, span) in theirs.iter().filter_map(|(name, _)| name.as_ref()) {
        if !known.contains(&name.as_str()) {
            let message = messages::unknown_parameter(name, &known);
            context.report(*span, message);
        }
    }
    let mut parts = Vec::new();
    let place = own.first().map(|(_, part)| part.span());
    for (name, part) in &own {
        let same = |theirs: &(Option<(String, Span)>, Tokens)| match (&theirs.0, name) {
            (Some((theirs, _)), Some((own, _))) => theirs == own,
            _ => false,
        };
        let replaced: Vec<Tokens> = theirs
            .extract_if(.., |part| same(part))
            .map(|(_, part)| part)
            .collect();
        match replaced.is_empty() {
            true => parts.push(part.clone()),
            // The parser of spaces reports a name that stands twice.
            false => parts.extend(replaced),
        }
    }
    // What begins with no name is a mistake, which the parser of spaces reports.
    parts.extend(
        theirs
            .into_iter()
            .filter(|(name, _)| name.is_none())
            .map(|(_, part)| part),
    );
    let mut group = Group::new(Delimiter::Parenthesis, TokenStream::new());
    group.set_span(place.unwrap_or_else(Span::call_site));
    list(parts, &group)
}

/// The user's tolerances beside bico's reference.
fn verify(own: &Group, theirs: &Group, context: &mut Context) -> Group {
    let mut parts = Vec::new();
    let mut given = Vec::new();
    for (name, part) in named(theirs, context) {
        if let Some((name, span)) = name {
            if ["reference", "entry", "launch"].contains(&name.as_str()) {
                context.report(span, messages::own_reference(&name));
                continue;
            }
            given.push(name);
        }
        parts.push(part);
    }
    for (name, part) in named(own, context) {
        if !name.is_some_and(|(name, _)| given.contains(&name)) {
            parts.push(part);
        }
    }
    list(parts, theirs)
}
