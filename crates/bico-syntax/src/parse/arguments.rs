//! The wrapper's arguments: types, `#[len(..)]`, `#[init(..)]`.

use super::function::{Attribute, Function};
use super::names::Context;
use super::reader::joined;
use super::rust_type::{Place, RustType};
use super::tokens::{Tokens, split};
use crate::expr::ExprKind;
use crate::messages::{self, Message};
use crate::spec::{Element, Init, Name};
use proc_macro2::{Span, TokenTree};

/// An argument before its length can be read: that may use parameters.
pub(crate) struct Draft {
    pub(crate) name: Name,
    pub(crate) kind: DraftKind,
    pub(crate) len: Option<Tokens>,
    pub(crate) init: Option<Init>,
}

/// What the type of a [`Draft`] says.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum DraftKind {
    Buffer {
        element: Element,
        mutable: bool,
    },
    Scalar(Element),
    Stream,
    /// `&str`
    Text,
    /// Something else, which has been reported.
    Broken,
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
    for input in &function.inputs {
        let pattern: Vec<TokenTree> = input.pattern.clone().into_iter().collect();
        let Some(kind) = &input.kind else {
            let word = pattern
                .iter()
                .find(|tree| matches!(tree, TokenTree::Ident(word) if word == "self"));
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
        let place = Place::of(&trees);
        let kind = classify(&RustType::read(&trees), cuda).unwrap_or_else(|(own, message)| {
            context.report(own.unwrap_or(place), message);
            DraftKind::Broken
        });
        if kind == DraftKind::Stream && drafts.iter().any(|draft| draft.kind == DraftKind::Stream) {
            context.report(name.span, messages::second_stream());
        }
        let mut draft = Draft {
            name,
            kind,
            len: None,
            init: None,
        };
        attributes(&input.attributes, &mut draft, context);
        if let (DraftKind::Buffer { .. }, None) = (kind, &draft.len)
            && lengths
            && !input.attributes.iter().any(|own| own.name == "len")
        {
            context.report(draft.name.span, messages::missing_len(&draft.name.text));
        }
        drafts.push(draft);
    }
    let broken = drafts.iter().any(|draft| draft.kind == DraftKind::Broken);
    if cuda == Some(true) && !broken && !drafts.iter().any(|draft| draft.kind == DraftKind::Stream)
    {
        let place = function.parentheses.span_open();
        context.report(place, messages::missing_stream());
    }
    drafts
}

fn name(pattern: &[TokenTree], context: &mut Context) -> Option<Name> {
    let (mark, name) = match pattern {
        [TokenTree::Ident(mark), TokenTree::Ident(name), ..] if mark == "mut" || mark == "ref" => {
            (Some(mark.span()), name)
        }
        [TokenTree::Ident(name), ..] if name != "_" => {
            let more =
                (pattern.len() > 1 || name.to_string().starts_with("r#")).then(|| name.span());
            (more, name)
        }
        _ => {
            let place = joined(
                pattern
                    .first()
                    .map_or_else(Span::call_site, TokenTree::span),
                pattern.last().map_or_else(Span::call_site, TokenTree::span),
            );
            context.report(place, messages::argument_pattern());
            return None;
        }
    };
    if let Some(place) = mark {
        context.report(place, messages::argument_pattern());
    }
    Some(Name {
        text: name.to_string(),
        span: name.span(),
    })
}

/// What is wrong with a type, and with which part of it if not with all.
type Unfit = (Option<Place>, Message);

fn classify(kind: &RustType, cuda: Option<bool>) -> Result<DraftKind, Unfit> {
    let unfit = |message| Err((None, message));
    match kind {
        RustType::Reference { mutable, target } => match &**target {
            RustType::Slice { element: own, .. } if cuda == Some(true) => {
                unfit(messages::slice_on_gpu(*mutable, element(own)))
            }
            RustType::Slice { element: own, .. } => buffer(own, *mutable),
            RustType::Path { .. } => referenced(target, *mutable, cuda),
            _ => unfit(messages::argument_type(cuda)),
        },
        RustType::Path { name, .. } => match (element(kind), name.as_str()) {
            (Some(element), _) => Ok(DraftKind::Scalar(element)),
            (None, "CudaSlice" | "CudaView" | "CudaViewMut" | "Arc" | "Vec" | "String") => {
                unfit(messages::by_reference(name))
            }
            _ => unfit(messages::argument_type(cuda)),
        },
        _ => unfit(messages::argument_type(cuda)),
    }
}

/// A buffer of these elements.
fn buffer(kind: &RustType, mutable: bool) -> Result<DraftKind, Unfit> {
    let place = match kind {
        RustType::Path { place, .. } | RustType::Other(place) => Some(*place),
        _ => None,
    };
    let element = element(kind).ok_or_else(|| (place, messages::element_type()))?;
    Ok(DraftKind::Buffer { element, mutable })
}

/// What `&path` or `&mut path` is.
fn referenced(kind: &RustType, mutable: bool, cuda: Option<bool>) -> Result<DraftKind, Unfit> {
    let unfit = |message| Err((None, message));
    let RustType::Path { name, inner, .. } = kind else {
        return unfit(messages::argument_type(cuda));
    };
    let device = DEVICE.contains(&name.as_str());
    match name.as_str() {
        _ if device && cuda == Some(false) => unfit(messages::device_buffer_on_cpu(mutable)),
        "CudaView" if mutable => {
            unfit(messages::view("&mut CudaView", "&mut CudaViewMut<'_, f32>"))
        }
        "CudaViewMut" if !mutable => {
            unfit(messages::view("&CudaViewMut", "&mut CudaViewMut<'_, f32>"))
        }
        _ if device => match inner {
            Some(kind) => buffer(kind, mutable),
            None => unfit(messages::element_type()),
        },
        "Arc" | "CudaStream" => {
            let stream = matches!(inner.as_deref(), Some(RustType::Path { name, .. }) if name == "CudaStream");
            match (stream && !mutable, cuda) {
                (_, Some(false)) => unfit(messages::stream_on_cpu()),
                (true, _) => Ok(DraftKind::Stream),
                (false, _) => unfit(messages::stream_type()),
            }
        }
        "str" if !mutable => Ok(DraftKind::Text),
        _ if element(kind).is_some() => unfit(messages::by_value(name)),
        _ => unfit(messages::argument_type(cuda)),
    }
}

/// The element type that `kind` names.
pub(crate) fn element(kind: &RustType) -> Option<Element> {
    let RustType::Path {
        name, plain: true, ..
    } = kind
    else {
        return None;
    };
    Element::NUMBERS
        .into_iter()
        .find(|element| name == element.name())
}

fn attributes(list: &[Attribute], draft: &mut Draft, context: &mut Context) {
    let buffer = matches!(draft.kind, DraftKind::Buffer { .. } | DraftKind::Broken);
    let mut seen: Vec<&str> = Vec::new();
    for attribute in list {
        let name = attribute.name.as_str();
        let span = attribute
            .inside
            .first()
            .map_or(draft.name.span, TokenTree::span);
        let errors = &mut context.errors;
        match name {
            "allow" | "expect" | "warn" | "deny" | "forbid" => continue,
            "len" | "init" if seen.contains(&name) => {
                errors.report(span, messages::repeated_option(name))
            }
            "len" | "init" if !buffer => {
                errors.report(span, messages::not_a_buffer(name, &draft.name.text))
            }
            "len" | "init" => {
                let example = if name == "len" {
                    "#[len(m * n)]"
                } else {
                    "#[init(zeros)]"
                };
                let tokens = match attribute.inside.as_slice() {
                    [_, TokenTree::Group(group)] => Tokens::from_stream(group.stream()),
                    _ => None,
                };
                match tokens {
                    None => errors.report(span, messages::option_form(name, true, example)),
                    Some(tokens) if name == "len" => draft.len = Some(tokens),
                    Some(tokens) => draft.init = init(&tokens, context),
                }
            }
            _ => errors.report(span, messages::argument_attribute()),
        }
        seen.push(name);
    }
}

fn init(tokens: &Tokens, context: &mut Context) -> Option<Init> {
    let init = match (tokens.trees.as_slice(), tokens.word().as_deref()) {
        (_, Some("zeros")) => Some(Init::Zeros),
        (_, Some("ones")) => Some(Init::Ones),
        (_, Some("iota")) => Some(Init::Iota),
        ([TokenTree::Ident(name), TokenTree::Group(group)], _) if name == "uniform" => {
            let known = context.errors.len();
            let parts = split(group.stream(), &mut context.errors);
            let read = parts.iter().map(|part| context.read(part));
            let numbers = read.map(|expr| match expr?.0.kind {
                ExprKind::Int(value) => Some(value as f64),
                ExprKind::Float(value) => Some(value),
                _ => None,
            });
            let bounds: Option<Vec<f64>> = numbers.collect();
            context.errors.truncate(known);
            match bounds.as_deref() {
                Some(&[low, high]) if low < high => Some(Init::Uniform(low, high)),
                Some([_, _]) => {
                    let message = messages::init_bounds();
                    context.report(tokens.whole(), message);
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

/// Splits the parentheses of `scratch(NAME: f32, len = ..)` as arguments are split.
pub(crate) fn parts(group: &proc_macro2::Group, context: &mut Context) -> Vec<Tokens> {
    split(group.stream(), &mut context.errors)
}
