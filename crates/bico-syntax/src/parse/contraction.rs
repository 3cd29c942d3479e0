//! `einsum = ".."`: reads it, finds its arguments, and supplies the options of the kernel that bico writes.

use super::arguments::{Draft, DraftKind};
use super::names::Context;
use super::options::Options;
use super::problem::Block;
use super::tokens::{Tokens, Value, entry, split};
use super::tunable::OPTIONS;
use crate::contraction::{Operands, cpu, cuda, product};
use crate::einsum::{Einsum, EinsumError};
use crate::messages;
use crate::spec::{Contraction, Element, Language, Name, Source};
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
    fn report(&self, error: EinsumError, context: &mut Context) {
        let letters = self.place(&error.range);
        let shown = letters.is_none().then(|| self.carets(&error.range));
        let place = letters.unwrap_or(self.span);
        context.errors.report(place, messages::einsum(error, shown));
    }

    /// The same, on the first place of a letter.
    fn report_letter(&self, letter: char, mut error: EinsumError, context: &mut Context) {
        let at = self.value.find(letter).unwrap_or_default();
        error.range = at..at + letter.len_utf8();
        self.report(error, context);
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
    match Einsum::parse(&text.value) {
        Ok(einsum) => {
            let missing = einsum.plan().missing();
            for dim_type in &missing {
                let mut error = messages::no_such_index(*dim_type);
                error.range = 0..text.value.len();
                text.report(error, context);
            }
            missing.is_empty().then_some(Written { einsum, text })
        }
        Err(errors) => {
            for error in errors {
                text.report(error, context);
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
            context.errors.report(span, messages::beside_einsum(name));
            options.remove(name);
        }
    }
    for (name, span) in super::problem::constants(blocks) {
        let message = messages::const_beside_einsum(name);
        context.errors.report(span, message);
    }
    let Written { einsum, text } = written;
    sizes(&einsum, &text, drafts, context);
    let buffers = buffers(&einsum, function, drafts, context);
    let (output, inputs) = buffers.filter(|_| context.errors.len() == before)?;
    let cuda = context.names.cuda == Some(true);
    let (of_output, of_input) = (element(&drafts[output])?, element(&drafts[inputs[0]])?);
    lengths(&einsum, output, &inputs, text.span, drafts, context);
    let name = function.text.trim_start_matches("r#");
    let contraction = Contraction {
        span: text.span,
        output,
        inputs,
        kernel: format!("{name}_kernel"),
        reference: format!("{name}_reference"),
        einsum,
    };
    let operands = Operands {
        einsum: &contraction.einsum,
        input: of_input,
        output: of_output,
    };
    let mut text = match cuda {
        true => cuda::text(&operands),
        false => cpu::text(&operands),
    };
    text.require.extend(not_negative(drafts));
    let text = text.options(&operands, &contraction.kernel, &contraction.reference);
    supply(&text, contraction.span, options, context);
    Some(contraction)
}

/// Two negative sizes have the product of positive ones: lengths do not see them.
fn not_negative(drafts: &[Draft]) -> impl Iterator<Item = String> {
    let is_signed = |draft: &&Draft| match draft.kind {
        DraftKind::Scalar(element) => matches!(
            element,
            Element::I8 | Element::I16 | Element::I32 | Element::I64 | Element::Isize
        ),
        _ => false,
    };
    let signed = drafts.iter().filter(is_signed);
    signed.map(|draft| format!("{} >= 0", draft.name.text))
}

/// Every letter is an integer by value, and nothing else is passed by value.
fn sizes(einsum: &Einsum, text: &Text, drafts: &[Draft], context: &mut Context) {
    let letters: Vec<char> = einsum.letters().iter().map(|(letter, _)| *letter).collect();
    for &letter in &letters {
        let draft = drafts
            .iter()
            .find(|draft| draft.name.text == letter.to_string());
        match draft.map(|draft| (draft, draft.kind)) {
            None => text.report_letter(letter, messages::index_without_argument(letter), context),
            Some((_, DraftKind::Broken)) => {}
            Some((_, DraftKind::Scalar(element))) if element.is_integer() => {}
            Some((draft, _)) => {
                context
                    .errors
                    .report(draft.name.span, messages::index_type(letter));
            }
        }
    }
    let names: Vec<String> = letters.iter().map(char::to_string).collect();
    for draft in drafts {
        let by_value = matches!(draft.kind, DraftKind::Scalar(_) | DraftKind::Text);
        if by_value && !names.contains(&draft.name.text) {
            let message = messages::no_index(&draft.name.text, &names.join(", "));
            context.errors.report(draft.name.span, message);
        }
    }
}

/// The arguments of the output and of the inputs.
fn buffers(
    einsum: &Einsum,
    function: &Name,
    drafts: &[Draft],
    context: &mut Context,
) -> Option<(usize, Vec<usize>)> {
    if drafts.iter().any(|draft| draft.kind == DraftKind::Broken) {
        // What it is has been asked already.
        return None;
    }
    let (mut outputs, mut inputs) = (Vec::new(), Vec::new());
    for (index, draft) in drafts.iter().enumerate() {
        match draft.kind {
            DraftKind::Buffer { mutable: true, .. } => outputs.push(index),
            DraftKind::Buffer { mutable: false, .. } => inputs.push(index),
            _ => {}
        }
    }
    let Some(&output) = outputs.first() else {
        context.errors.report(function.span, messages::no_output());
        return None;
    };
    let name = &drafts[output].name.text;
    for other in &outputs[1..] {
        let message = messages::second_output(name);
        context.errors.report(drafts[*other].name.span, message);
    }
    if drafts[output].init.is_some() {
        let message = messages::init_of_output(name);
        context.errors.report(drafts[output].name.span, message);
    }
    let wanted = einsum.inputs.len();
    if inputs.len() != wanted {
        let place = inputs
            .get(wanted)
            .map_or(function.span, |extra| drafts[*extra].name.span);
        let message = messages::input_count(wanted, inputs.len());
        context.errors.report(place, message);
        return None;
    }
    elements(output, &inputs, drafts, context);
    Some((output, inputs))
}

/// Which elements there are generators for.
fn elements(output: usize, inputs: &[usize], drafts: &[Draft], context: &mut Context) {
    let cuda = context.names.cuda == Some(true);
    let first = inputs.first().and_then(|first| element(&drafts[*first]));
    let f16 = cuda && first == Some(Element::F16);
    for (number, &index) in inputs.iter().chain([&output]).enumerate() {
        let wanted: &[Element] = match number {
            0 if cuda => &[Element::F32, Element::F16],
            // What the first one should be, it says itself.
            _ if !cuda || first == Some(Element::F32) => &[Element::F32],
            _ if f16 && number == inputs.len() => &[Element::F16, Element::F32],
            _ if f16 => &[Element::F16],
            _ => continue,
        };
        let draft = &drafts[index];
        if element(draft).is_some_and(|element| !wanted.contains(&element)) {
            let names: Vec<&str> = wanted.iter().map(|element| element.name()).collect();
            let message = messages::element(&draft.name.text, cuda, &names);
            context.errors.report(draft.name.span, message);
        }
    }
}

fn element(draft: &Draft) -> Option<Element> {
    match draft.kind {
        DraftKind::Buffer { element, .. } => Some(element),
        _ => None,
    }
}

/// The length of each buffer: the product of the tensor's sizes.
///
/// The author's would be no better: a shorter one would let the kernel leave a buffer.
fn lengths(
    einsum: &Einsum,
    output: usize,
    inputs: &[usize],
    span: Span,
    drafts: &mut [Draft],
    context: &mut Context,
) {
    let tensors = inputs.iter().zip(&einsum.inputs);
    for (&index, letters) in tensors.chain([(&output, &einsum.output)]) {
        let draft = &mut drafts[index];
        let own = product(letters);
        if let Some(theirs) = &draft.len {
            let message = messages::len_beside_einsum(&draft.name.text, &own);
            context.errors.report(theirs.whole(), message);
        }
        draft.len = located(&own, span).and_then(Tokens::from_stream);
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
        return context.errors.report(span, messages::own_text());
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
            Err(place) => context.errors.report(place, messages::own_text()),
        }
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
            context.errors.report(*span, message);
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
            // Of one name twice the parser of spaces speaks.
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
                context.errors.report(span, messages::own_reference(&name));
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
