//! The wrapper's arguments and their types.

use super::attributes;
use super::expr::placeholder;
use super::function::Function;
use super::names::Context;
use super::reader::joined;
use super::rust_type::{RustType, extent};
use super::tokens::Tokens;
use crate::Lists;
use crate::align::Align;
use crate::errors::Extent;
use crate::layout::Layout;
use crate::messages::{self, Message};
use crate::spec::{ArgumentKind, Element, Name};
use proc_macro2::{Span, TokenTree};

/// An argument before its length can be read: that may use parameters.
pub(crate) struct Draft {
    pub(crate) name: Name,
    /// What its type says, `&str` that it selects; `None`: something else, which has been reported.
    pub(crate) kind: Option<ArgumentKind>,
    /// The length of a buffer; the range of a `#[value]`.
    pub(crate) len: Option<Tokens>,
    /// How a buffer is filled.
    pub(crate) init: Option<Tokens>,
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
const DEVICE: [&str; 5] = [
    "CudaSlice",
    "CudaView",
    "CudaViewMut",
    "DevicePtr",
    "DevicePtrMut",
];

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
        let pattern: Vec<TokenTree> = input.pattern.clone().into_iter().collect_vec();
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
        let trees: Vec<TokenTree> = kind.clone().into_iter().collect_vec();
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
            init: None,
        };
        if is_stream(&draft) && drafts.iter().any(is_stream) {
            context.report(draft.name.span, messages::second_stream());
        }
        attributes::read(&input.attributes, &mut draft, context);
        if let Some((place, symbol)) = attributes::constant(&input.attributes, &mut draft, context)
        {
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
        RustType::Path { name, inner, .. } => match (element(kind), name.as_str()) {
            (Some(element), _) => return Ok(ArgumentKind::Scalar(element)),
            (None, "Option") if matches!(inner.as_deref(), Some(RustType::Reference { .. })) => {
                messages::optional()
            }
            (None, name) if is_texture(name) => messages::texture(name),
            (None, name) if DEVICE.contains(&name) || ["Arc", "Vec", "String"].contains(&name) => {
                messages::by_reference(name)
            }
            _ => match Layout::read(kind) {
                Some(layout) => return Ok(ArgumentKind::Structure(Box::new(layout))),
                None => messages::argument_type(cuda),
            },
        },
        _ => messages::argument_type(cuda),
    };
    Err((None, message))
}

/// The handle of a texture or a surface, as CUDA and its bindings name them.
fn is_texture(name: &str) -> bool {
    let name = name.to_lowercase();
    let of = name.strip_prefix("cuda").or(name.strip_prefix("cu"));
    of.is_some_and(|of| of.starts_with("tex") || of.starts_with("surf"))
}

/// `&[T]`
fn is_slice(kind: &RustType) -> bool {
    matches!(kind, RustType::Reference { mutable: false, target }
        if matches!(**target, RustType::Slice { .. }))
}

fn reference(mutable: bool) -> &'static str {
    if mutable { "&mut " } else { "&" }
}

/// What an element may be besides a number.
const MORE: &str = ", arrays of one: `[f32; 4]`, or a `#[repr(C)]` struct of such";

impl Layout {
    /// What a type says by its looks: of a structure no more than its name.
    pub fn read(kind: &RustType) -> Option<Layout> {
        match kind {
            RustType::Array { element: one, len } => {
                let len = len.filter(|len| *len > 0)?;
                element(one).map(|one| Layout::of(one, Some(len)))
            }
            RustType::Path {
                name,
                path,
                plain: true,
                place,
                ..
            } if name.starts_with(char::is_uppercase) && name != "String" => {
                Some(Layout::structure(Name::new(path, place.first)))
            }
            one => element(one).map(|one| Layout::of(one, None)),
        }
    }
}

/// A buffer of these elements.
fn buffer(kind: &RustType, mutable: bool, align: Align) -> Result<ArgumentKind, Unfit> {
    let place = match kind {
        RustType::Path { place, .. } | RustType::Other(place) => Some(*place),
        _ => None,
    };
    let layout = Layout::read(kind).ok_or_else(|| (place, messages::element_type(MORE)))?;
    Ok(ArgumentKind::Buffer {
        layout: Box::new(layout),
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
        ("DevicePtr", _) if mutable => messages::any_buffer("&mut impl DevicePtr"),
        ("DevicePtrMut", _) if !mutable => messages::any_buffer("&impl DevicePtrMut"),
        ("CudaSlice", Some(element)) => return buffer(element, mutable, Align::Allocation),
        (_, Some(element)) if device => return buffer(element, mutable, Align::Element),
        _ if device => messages::element_type(MORE),
        ("Arc" | "CudaStream", _) if cuda == Some(false) => messages::stream_on_cpu(),
        ("Arc" | "CudaStream", Some(RustType::Path { name, .. }))
            if name == "CudaStream" && !mutable =>
        {
            return Ok(ArgumentKind::Stream);
        }
        ("Arc" | "CudaStream", _) => messages::stream_type(),
        (name, _) if is_texture(name) => messages::texture(name),
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
