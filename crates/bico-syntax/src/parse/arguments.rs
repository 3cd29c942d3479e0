//! The wrapper's arguments: types, `#[len(..)]`, `#[init(..)]`.

use super::names::Context;
use super::tokens::{Tokens, split};
use crate::errors::Extent;
use crate::messages::{self, Message};
use crate::spec::{Element, Init, Name};
use proc_macro2::Span;
use syn::spanned::Spanned;

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
pub(crate) fn on_gpu(signature: &syn::Signature) -> bool {
    signature.inputs.iter().any(|input| {
        let syn::FnArg::Typed(argument) = input else {
            return false;
        };
        let syn::Type::Reference(reference) = &*argument.ty else {
            return false;
        };
        matches!(&*reference.elem, syn::Type::Path(path)
            if ["CudaSlice", "CudaView", "CudaViewMut", "Arc", "CudaStream"].contains(&last(path).as_str()))
    })
}

/// Reads the arguments of a wrapper for the GPU or the CPU (`None`: not known). `lengths`: whether each buffer
/// must have one.
pub(crate) fn drafts(
    signature: &syn::Signature,
    cuda: Option<bool>,
    lengths: bool,
    context: &mut Context,
) -> Vec<Draft> {
    let mut drafts: Vec<Draft> = Vec::new();
    for input in &signature.inputs {
        let argument = match input {
            syn::FnArg::Typed(argument) => argument,
            syn::FnArg::Receiver(receiver) => {
                context
                    .errors
                    .report(receiver.self_token.span, messages::receiver());
                continue;
            }
        };
        let Some(name) = name(&argument.pat, context) else {
            continue;
        };
        if drafts.iter().any(|draft| draft.name.text == name.text) {
            context
                .errors
                .report(name.span, messages::repeated_argument(&name.text));
            continue;
        }
        let kind = classify(&argument.ty, cuda).unwrap_or_else(|(place, message)| {
            context.errors.report(place, message);
            DraftKind::Broken
        });
        if kind == DraftKind::Stream && drafts.iter().any(|draft| draft.kind == DraftKind::Stream) {
            context.errors.report(name.span, messages::second_stream());
        }
        let mut draft = Draft {
            name,
            kind,
            len: None,
            init: None,
        };
        attributes(&argument.attrs, &mut draft, context);
        if let (DraftKind::Buffer { .. }, None) = (kind, &draft.len)
            && lengths
            && !argument
                .attrs
                .iter()
                .any(|attribute| attribute.path().is_ident("len"))
        {
            context
                .errors
                .report(draft.name.span, messages::missing_len(&draft.name.text));
        }
        drafts.push(draft);
    }
    let broken = drafts.iter().any(|draft| draft.kind == DraftKind::Broken);
    if cuda == Some(true) && !broken && !drafts.iter().any(|draft| draft.kind == DraftKind::Stream)
    {
        context.errors.report(
            signature.paren_token.span.open(),
            messages::missing_stream(),
        );
    }
    drafts
}

fn name(pattern: &syn::Pat, context: &mut Context) -> Option<Name> {
    let syn::Pat::Ident(ident) = pattern else {
        context
            .errors
            .report(pattern.span(), messages::argument_pattern());
        return None;
    };
    let text = ident.ident.to_string();
    let extra = ident
        .by_ref
        .map(|token| token.span)
        .or(ident.mutability.map(|token| token.span));
    if let Some(span) = extra {
        context.errors.report(span, messages::argument_pattern());
    } else if text.starts_with("r#") || ident.subpat.is_some() {
        context
            .errors
            .report(ident.ident.span(), messages::argument_pattern());
    }
    Some(Name {
        text,
        span: ident.ident.span(),
    })
}

/// All of a type's tokens.
pub(crate) fn extent(kind: &syn::Type) -> Extent {
    Extent::new(kind.span(), last_token(kind))
}

fn last_token(kind: &syn::Type) -> Span {
    match kind {
        syn::Type::Reference(reference) => last_token(&reference.elem),
        syn::Type::Ptr(pointer) => last_token(&pointer.elem),
        syn::Type::Slice(slice) => slice.bracket_token.span.close(),
        syn::Type::Array(array) => array.bracket_token.span.close(),
        syn::Type::Path(path) => match path.path.segments.last() {
            Some(segment) => match &segment.arguments {
                syn::PathArguments::AngleBracketed(arguments) => arguments.gt_token.span,
                _ => segment.ident.span(),
            },
            None => path.span(),
        },
        other => other.span(),
    }
}

type Unfit = (Extent, Message);

fn classify(kind: &syn::Type, cuda: Option<bool>) -> Result<DraftKind, Unfit> {
    let place = extent(kind);
    let unfit = |message| Err((place, message));
    match kind {
        syn::Type::Paren(inner) => classify(&inner.elem, cuda),
        syn::Type::Group(inner) => classify(&inner.elem, cuda),
        syn::Type::Reference(reference) => {
            let mutable = reference.mutability.is_some();
            let mut target = &*reference.elem;
            while let syn::Type::Paren(syn::TypeParen { elem, .. })
            | syn::Type::Group(syn::TypeGroup { elem, .. }) = target
            {
                target = elem;
            }
            match target {
                syn::Type::Slice(slice) if cuda == Some(true) => {
                    unfit(messages::slice_on_gpu(mutable, element(&slice.elem).ok()))
                }
                syn::Type::Slice(slice) => Ok(DraftKind::Buffer {
                    element: element(&slice.elem)?,
                    mutable,
                }),
                syn::Type::Path(path) => referenced(place, path, mutable, cuda),
                _ => unfit(messages::argument_type(cuda)),
            }
        }
        syn::Type::Path(path) => match (scalar(path), last(path).as_str()) {
            (Some(element), _) => Ok(DraftKind::Scalar(element)),
            (None, "CudaSlice" | "CudaView" | "CudaViewMut" | "Arc" | "Vec" | "String") => {
                unfit(messages::by_reference(&last(path)))
            }
            _ => unfit(messages::argument_type(cuda)),
        },
        _ => unfit(messages::argument_type(cuda)),
    }
}

/// What `&path` or `&mut path` is.
fn referenced(
    place: Extent,
    path: &syn::TypePath,
    mutable: bool,
    cuda: Option<bool>,
) -> Result<DraftKind, Unfit> {
    let name = last(path);
    let device = ["CudaSlice", "CudaView", "CudaViewMut"].contains(&name.as_str());
    let unfit = |message| Err((place, message));
    match name.as_str() {
        _ if device && cuda == Some(false) => unfit(messages::device_buffer_on_cpu(mutable)),
        "CudaView" if mutable => {
            unfit(messages::view("&mut CudaView", "&mut CudaViewMut<'_, f32>"))
        }
        "CudaViewMut" if !mutable => {
            unfit(messages::view("&CudaViewMut", "&mut CudaViewMut<'_, f32>"))
        }
        _ if device => match inner(path) {
            Some(kind) => Ok(DraftKind::Buffer {
                element: element(kind)?,
                mutable,
            }),
            None => unfit(messages::element_type()),
        },
        "Arc" | "CudaStream" => {
            let stream =
                matches!(inner(path), Some(syn::Type::Path(inner)) if last(inner) == "CudaStream");
            match (stream && !mutable, cuda) {
                (_, Some(false)) => unfit(messages::stream_on_cpu()),
                (true, _) => Ok(DraftKind::Stream),
                (false, _) => unfit(messages::stream_type()),
            }
        }
        "str" if !mutable => Ok(DraftKind::Text),
        _ if scalar(path).is_some() => unfit(messages::by_value(&name)),
        _ => unfit(messages::argument_type(cuda)),
    }
}

/// The last segment of a path: how it was imported does not matter.
fn last(path: &syn::TypePath) -> String {
    path.path
        .segments
        .last()
        .map(|segment| segment.ident.to_string())
        .unwrap_or_default()
}

/// The type in angle brackets.
fn inner(path: &syn::TypePath) -> Option<&syn::Type> {
    let syn::PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments
    else {
        return None;
    };
    arguments.args.iter().find_map(|argument| match argument {
        syn::GenericArgument::Type(kind) => Some(kind),
        _ => None,
    })
}

fn scalar(path: &syn::TypePath) -> Option<Element> {
    let segment = path.path.segments.last()?;
    let known = Element::NUMBERS
        .into_iter()
        .find(|element| segment.ident == element.name());
    known.filter(|_| segment.arguments.is_none() && path.qself.is_none())
}

/// The element type that `kind` names.
pub(crate) fn element(kind: &syn::Type) -> Result<Element, Unfit> {
    let found = match kind {
        syn::Type::Path(path) => scalar(path),
        syn::Type::Group(group) => return element(&group.elem),
        _ => None,
    };
    found.ok_or_else(|| (extent(kind), messages::element_type()))
}

fn attributes(list: &[syn::Attribute], draft: &mut Draft, context: &mut Context) {
    let buffer = matches!(draft.kind, DraftKind::Buffer { .. } | DraftKind::Broken);
    let mut seen: Vec<String> = Vec::new();
    for attribute in list {
        let Some(name) = attribute.path().get_ident().map(ToString::to_string) else {
            context
                .errors
                .report(attribute.path().span(), messages::argument_attribute());
            continue;
        };
        let span = attribute.path().span();
        let errors = &mut context.errors;
        match name.as_str() {
            "allow" | "expect" | "warn" | "deny" | "forbid" => continue,
            "len" | "init" if seen.contains(&name) => {
                errors.report(span, messages::repeated_option(&name))
            }
            "len" | "init" if !buffer => {
                errors.report(span, messages::not_a_buffer(&name, &draft.name.text))
            }
            "len" | "init" => {
                let example = if name == "len" {
                    "#[len(m * n)]"
                } else {
                    "#[init(zeros)]"
                };
                let tokens = match &attribute.meta {
                    syn::Meta::List(list) => Tokens::from_stream(list.tokens.clone()),
                    _ => None,
                };
                match tokens {
                    None => errors.report(span, messages::option_form(&name, true, example)),
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
    let value = tokens.parse::<syn::Expr>(&mut context.errors)?;
    let (name, arguments) = match &value {
        syn::Expr::Path(path) => (path.path.get_ident(), None),
        syn::Expr::Call(call) => match &*call.func {
            syn::Expr::Path(path) => (path.path.get_ident(), Some(&call.args)),
            _ => (None, None),
        },
        _ => (None, None),
    };
    let init = match (name.map(ToString::to_string).as_deref(), arguments) {
        (Some("zeros"), None) => Some(Init::Zeros),
        (Some("ones"), None) => Some(Init::Ones),
        (Some("iota"), None) => Some(Init::Iota),
        (Some("uniform"), Some(arguments)) if arguments.len() == 2 => {
            let bounds: Vec<f64> = arguments.iter().filter_map(number).collect();
            match bounds[..] {
                [low, high] if low < high => Some(Init::Uniform(low, high)),
                [_, _] => {
                    context
                        .errors
                        .report(tokens.whole(), messages::init_bounds());
                    return None;
                }
                _ => None,
            }
        }
        _ => None,
    };
    if init.is_none() {
        context.errors.report(tokens.whole(), messages::init());
    }
    init
}

/// The value of a literal, possibly negative.
fn number(expr: &syn::Expr) -> Option<f64> {
    match expr {
        syn::Expr::Lit(syn::ExprLit {
            lit: syn::Lit::Int(value),
            ..
        }) => value.base10_digits().parse().ok(),
        syn::Expr::Lit(syn::ExprLit {
            lit: syn::Lit::Float(value),
            ..
        }) => value
            .base10_parse()
            .ok()
            .filter(|value: &f64| value.is_finite()),
        syn::Expr::Unary(syn::ExprUnary {
            op: syn::UnOp::Neg(_),
            expr,
            ..
        }) => number(expr).map(|value| -value),
        syn::Expr::Group(group) => number(&group.expr),
        _ => None,
    }
}

/// Splits the parentheses of `scratch(NAME: f32, len = ..)` as arguments are split.
pub(crate) fn parts(group: &proc_macro2::Group, context: &mut Context) -> Vec<Tokens> {
    split(group.stream(), &mut context.errors)
}
