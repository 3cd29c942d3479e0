//! The wrapper's arguments: types, `#[len(..)]`, `#[init(..)]`, `#[align(..)]`, `#[constant(..)]`, `#[value]`.

use super::check::Type;
use super::expr::placeholder;
use super::function::{Attribute, Function};
use super::names::{Context, Place};
use super::problem::fits;
use super::reader::joined;
use super::rust_type::{RustType, extent};
use super::tokens::{Tokens, split};
use crate::align::Align;
use crate::errors::Extent;
use crate::expr::{Expr, ExprKind};
use crate::messages::{self, Message};
use crate::spec::{ArgumentKind, Element, Init, Name};
use proc_macro2::{Span, TokenTree};

/// An argument before its length can be read: that may use parameters.
pub(crate) struct Draft {
    pub(crate) name: Name,
    /// What its type says, `&str` that it selects; `None`: something else, which has been reported.
    pub(crate) kind: Option<ArgumentKind>,
    /// The length of a buffer; the range of a `#[value]`.
    pub(crate) len: Option<Tokens>,
}

/// Whether an argument lives on a GPU, by its looks.
pub(crate) fn on_gpu(function: &Function) -> bool {
    function.inputs.iter().any(|input| {
        let Some(RustType::Reference { target, .. }) = input.rust_type() else {
            return false;
        };
        matches!(&*target, RustType::Path { name, .. }
            if DEVICE.contains(&&**name) || name == "Arc" || name == "CudaStream")
    })
}

/// A page: where a buffer ends at one, none can be told from it.
const LARGEST_ALIGNMENT: f64 = 4096.0;

/// Buffers on a GPU.
const DEVICE: [&str; 3] = ["CudaSlice", "CudaView", "CudaViewMut"];

/// Reads the arguments of a wrapper for the GPU or the CPU (`None`: not known). `lengths`: whether each buffer
/// must have one.
pub(crate) fn drafts(
    function: &Function,
    cuda: Option<bool>,
    lengths: bool,
    context: &mut Context,
) -> Vec<Draft> {
    let mut drafts: Vec<Draft> = Vec::new();
    let is_stream = |draft: &Draft| matches!(draft.kind, Some(ArgumentKind::Stream));
    for input in &function.inputs {
        let pattern: Vec<TokenTree> = input.pattern.clone().into_iter().collect();
        let Some(kind) = &input.kind else {
            let is_self =
                |tree: &&TokenTree| matches!(tree, TokenTree::Ident(word) if word == "self");
            let word = pattern.iter().find(is_self);
            let place = word.map_or(function.name.span(), TokenTree::span);
            context.report(place, messages::receiver());
            continue;
        };
        let Some(name) = name(&pattern, context) else {
            continue;
        };
        if drafts.iter().any(|draft| draft.name.text == name.text) {
            context.report(name.span, messages::repeated_argument(&name.text));
            continue;
        }
        let trees: Vec<TokenTree> = kind.clone().into_iter().collect();
        let constant = input.attributes.iter().any(|own| own.name == "constant");
        let kind = classify(&RustType::read(&trees), cuda, constant);
        let mut draft = Draft {
            name,
            kind: kind
                .map_err(|(own, message)| {
                    context.report(own.unwrap_or_else(|| extent(&trees)), message);
                })
                .ok(),
            len: None,
        };
        if is_stream(&draft) && drafts.iter().any(is_stream) {
            context.report(draft.name.span, messages::second_stream());
        }
        attributes(&input.attributes, &mut draft, context);
        if let Some((place, symbol)) = declared_constant(&input.attributes, &mut draft, context) {
            let symbol_of = |draft: &Draft| draft.kind.as_ref()?.symbol().cloned();
            let by = drafts
                .iter()
                .find(|other| symbol_of(other).as_ref() == Some(&symbol));
            let fault = match by {
                _ if cuda == Some(false) => Some(messages::constant_on_cpu()),
                _ if !lengths => Some(messages::constant_in_einsum()),
                by => by.map(|other| messages::repeated_constant(&symbol, &other.name.text)),
            };
            if let Some(fault) = fault {
                context.report(place, fault);
            }
        }
        if let (Some(ArgumentKind::Buffer { .. }), None) = (&draft.kind, &draft.len)
            && lengths
            && !input.attributes.iter().any(|own| own.name == "len")
        {
            context.report(draft.name.span, messages::missing_len(&draft.name.text));
        }
        drafts.push(draft);
    }
    if cuda == Some(true)
        && drafts
            .iter()
            .all(|draft| draft.kind.is_some() && !is_stream(draft))
    {
        let place = function.parentheses.span_open();
        context.report(place, messages::missing_stream());
    }
    drafts
}

fn name(pattern: &[TokenTree], context: &mut Context) -> Option<Name> {
    let (fault, name) = match pattern {
        [TokenTree::Ident(mark), TokenTree::Ident(name), ..] if mark == "mut" || mark == "ref" => {
            (Some(mark.span()), Some(name))
        }
        [TokenTree::Ident(name), more @ ..] if name != "_" => {
            let plain = more.is_empty() && !name.to_string().starts_with("r#");
            ((!plain).then(|| name.span()), Some(name))
        }
        [first, .., last] => (Some(joined(first.span(), last.span())), None),
        [only] => (Some(only.span()), None),
        [] => (Some(Span::call_site()), None),
    };
    if let Some(place) = fault {
        context.report(place, messages::argument_pattern());
    }
    name.map(|name| Name::new(name, name.span()))
}

/// What is wrong with a type, and with which part of it if not with all.
type Unfit = (Option<Extent>, Message);

fn classify(kind: &RustType, cuda: Option<bool>, constant: bool) -> Result<ArgumentKind, Unfit> {
    let message = match kind {
        _ if constant && !is_slice(kind) => messages::constant_type(),
        RustType::Reference { mutable, target } => match &**target {
            RustType::Slice { element: own, .. } if cuda == Some(true) && !constant => {
                messages::slice_on_gpu(reference(*mutable), element(own))
            }
            RustType::Slice { element, .. } => {
                return buffer(element, *mutable, Align::Element);
            }
            RustType::Path { name, inner, .. } => {
                return referenced(target, name, inner.as_deref(), *mutable, cuda);
            }
            _ => messages::argument_type(cuda),
        },
        RustType::Path { name, .. } => match (element(kind), name.as_str()) {
            (Some(element), _) => return Ok(ArgumentKind::Scalar(element)),
            (None, "CudaSlice" | "CudaView" | "CudaViewMut" | "Arc" | "Vec" | "String") => {
                messages::by_reference(name)
            }
            _ => messages::argument_type(cuda),
        },
        _ => messages::argument_type(cuda),
    };
    Err((None, message))
}

/// `&[T]`
fn is_slice(kind: &RustType) -> bool {
    matches!(kind, RustType::Reference { mutable: false, target }
        if matches!(**target, RustType::Slice { .. }))
}

fn reference(mutable: bool) -> &'static str {
    if mutable { "&mut " } else { "&" }
}

/// A buffer of these elements.
fn buffer(kind: &RustType, mutable: bool, align: Align) -> Result<ArgumentKind, Unfit> {
    let place = match kind {
        RustType::Path { place, .. } | RustType::Other(place) => Some(*place),
        _ => None,
    };
    let element = element(kind).ok_or_else(|| (place, messages::element_type()))?;
    Ok(ArgumentKind::Buffer {
        element,
        mutable,
        len: placeholder(Span::call_site()),
        init: None,
        align,
        symbol: None,
    })
}

/// What `&path` or `&mut path` is.
fn referenced(
    kind: &RustType,
    name: &str,
    inner: Option<&RustType>,
    mutable: bool,
    cuda: Option<bool>,
) -> Result<ArgumentKind, Unfit> {
    let device = DEVICE.contains(&name);
    let message = match (name, inner) {
        _ if device && cuda == Some(false) => messages::device_buffer_on_cpu(reference(mutable)),
        ("CudaView", _) if mutable => messages::view("&mut CudaView", "&mut CudaViewMut<'_, f32>"),
        ("CudaViewMut", _) if !mutable => {
            messages::view("&CudaViewMut", "&mut CudaViewMut<'_, f32>")
        }
        ("CudaSlice", Some(element)) => return buffer(element, mutable, Align::Allocation),
        (_, Some(element)) if device => return buffer(element, mutable, Align::Element),
        _ if device => messages::element_type(),
        ("Arc" | "CudaStream", _) if cuda == Some(false) => messages::stream_on_cpu(),
        ("Arc" | "CudaStream", Some(RustType::Path { name, .. }))
            if name == "CudaStream" && !mutable =>
        {
            return Ok(ArgumentKind::Stream);
        }
        ("Arc" | "CudaStream", _) => messages::stream_type(),
        ("str", _) if !mutable => return Ok(ArgumentKind::Selector(Element::Str)),
        _ if element(kind).is_some() => messages::by_value(name),
        _ => messages::argument_type(cuda),
    };
    Err((None, message))
}

/// The element type that `kind` names.
pub(crate) fn element(kind: &RustType) -> Option<Element> {
    match kind {
        RustType::Path {
            name, plain: true, ..
        } => Element::numbers().find(|element| name == element.name()),
        _ => None,
    }
}

fn attributes(list: &[Attribute], draft: &mut Draft, context: &mut Context) {
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
                let written = init(&tokens, context);
                if let Some(ArgumentKind::Buffer { init, .. }) = &mut draft.kind {
                    *init = written;
                }
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
pub(crate) fn value_range(tokens: &Tokens, element: Element, context: &mut Context) -> Expr {
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
fn declared_constant(
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

fn init(tokens: &Tokens, context: &mut Context) -> Option<Init> {
    let init = match (tokens.trees.as_slice(), tokens.word().as_deref()) {
        (_, Some("zeros")) => Some(Init::Zeros),
        (_, Some("ones")) => Some(Init::Ones),
        (_, Some("iota")) => Some(Init::Iota),
        ([TokenTree::Ident(name), TokenTree::Group(group)], _) if name == "uniform" => {
            let known = context.errors.len();
            let parts = split(group.stream(), &mut context.errors);
            let numbers = parts.iter().map(|part| context.read(part)?.0.number());
            let bounds: Option<Vec<f64>> = numbers.collect();
            context.errors.truncate(known);
            match bounds.as_deref() {
                Some(&[low, high]) if low < high => Some(Init::Uniform(low, high)),
                Some([_, _]) => {
                    context.report(tokens.whole(), messages::init_bounds());
                    return None;
                }
                _ => None,
            }
        }
        _ => None,
    };
    if init.is_none() {
        context.report(tokens.whole(), messages::init());
    }
    init
}
