//! `tensor_map(a, dims = (k, m), box = (TILE_K, TILE_M), swizzle = 128)`: a buffer as a tensor, whose boxes a GPU copies.

use super::args;
use super::check::Type;
use super::names::{Context, Place};
use super::options::{Known, Options, name};
use super::tokens::{Tokens, split};
use super::verify::listed;
use crate::args::KernelArgument;
use crate::expr::{BinaryOp, Expr, ExprKind};
use crate::messages;
use crate::spec::{Argument, ArgumentKind, Element, Scratch};
use crate::tensor::{TensorMap, binary};
use bico_core::device::{MOST_DIMS, MOST_OF_BOX, PROMOTIONS, SWIZZLES};
use proc_macro2::{Group, Span};

const TENSOR: [Known; 6] = [
    "dims = (k, m)",
    "box = (TILE_K, TILE_M)",
    "strides = k",
    "swizzle = 128",
    "l2_promotion = 256",
    "fill = nan",
];

/// Its numbers: what `args` knows but for what `#[value]` says, since the space has conditions on them.
const PLACE: Place = Place::full("`tensor_map`");

/// A tensor map: the word stands at `span`.
pub(super) fn tensor(
    span: Span,
    group: &Group,
    arguments: &[Argument],
    scratch: &[(usize, &Scratch)],
    context: &mut Context,
) -> Option<KernelArgument> {
    if context.names.cuda != Some(true) {
        context.report(span, messages::tensor_on_cpu());
        return None;
    }
    let parts = split(group.stream(), &mut context.errors);
    let Some((first, rest)) = parts.split_first() else {
        context.report(span, messages::tensor_without_buffer());
        return None;
    };
    let options = Options::from_parts(rest, "tensor_map", &TENSOR, &mut context.errors);
    for option in &TENSOR[..2] {
        options.require(name(option), span, option, &mut context.errors);
    }
    let (buffer, element) = buffer(first, arguments, scratch, context)?;
    let dims = extents("dims", &options, context);
    let rank = dims.len();
    let stands = options.span("dims")?;
    if !(1..=MOST_DIMS).contains(&rank) {
        context.report(stands, messages::tensor_rank(rank));
        return None;
    }
    let tile = extents("box", &options, context);
    let given = extents("strides", &options, context);
    let counts = [
        ("box", tile.len(), rank),
        ("strides", given.len(), rank - 1),
    ];
    for (what, count, wanted) in counts {
        if let Some(span) = options.span(what)
            && count != wanted
        {
            context.report(span, messages::tensor_extents(what, count, wanted));
            return None;
        }
    }
    for extent in &tile {
        if let Some(given) = written(extent).filter(|of| !(1..=MOST_OF_BOX).contains(of)) {
            context.report(extent.span, messages::tensor_box(given));
        }
    }
    let swizzle = bytes("swizzle", SWIZZLES, &options, context);
    let promotion = bytes("l2_promotion", PROMOTIONS, &options, context);
    let nothing = || Expr::new(ExprKind::Int(0), span);
    let nan = fill(&options, element, context);
    // With an error there is no tensor map, and nobody looks at it.
    (!tile.is_empty()).then(|| {
        KernelArgument::Tensor(Box::new(TensorMap {
            buffer,
            element,
            strides: if given.is_empty() {
                dense(&dims)
            } else {
                given
            },
            dims,
            tile,
            swizzle: swizzle.unwrap_or_else(nothing),
            promotion: promotion.unwrap_or_else(nothing),
            nan,
        }))
    })
}

/// What it is a view of.
fn buffer(
    part: &Tokens,
    arguments: &[Argument],
    scratch: &[(usize, &Scratch)],
    context: &mut Context,
) -> Option<(KernelArgument, Element)> {
    let word = part.word().unwrap_or_default();
    let found = args::named(&word, arguments, scratch).and_then(|of| {
        let element = match &of {
            KernelArgument::Argument(at) => match &arguments[*at].kind {
                ArgumentKind::Buffer {
                    layout,
                    symbol: None,
                    ..
                } => layout.number(),
                _ => None,
            },
            _ => {
                let mut list = scratch.iter();
                list.find(|(_, of)| of.name.text == word)
                    .map(|(_, of)| of.element)
            }
        };
        Some((of, element?))
    });
    if found.is_none() {
        context.report(part.whole(), messages::tensor_without_buffer());
    }
    found
}

/// An extent, or several in parentheses.
fn extents(what: &str, options: &Options, context: &mut Context) -> Vec<Expr> {
    let Some(tokens) = options.value(what) else {
        return Vec::new();
    };
    let parts = listed(tokens, &mut context.errors);
    context.each(&parts, &PLACE, Type::Int)
}

/// Bytes, of which only these can be asked for.
fn bytes(what: &str, known: [i64; 4], options: &Options, context: &mut Context) -> Option<Expr> {
    let given = options.typed(what, &PLACE, Type::Int, context)?;
    if written(&given).is_some_and(|of| !known.contains(&of)) {
        context.report(given.span, messages::tensor_bytes(what, &known));
    }
    Some(given)
}

/// The strides of a tensor without gaps.
fn dense(dims: &[Expr]) -> Vec<Expr> {
    let mut strides: Vec<Expr> = Vec::new();
    for extent in &dims[..dims.len() - 1] {
        strides.push(match strides.last() {
            Some(before) => binary(BinaryOp::Mul, before.clone(), extent.clone()),
            None => extent.clone(),
        });
    }
    strides
}

/// Whether what lies outside is NaN.
fn fill(options: &Options, element: Element, context: &mut Context) -> bool {
    let Some(tokens) = options.value("fill") else {
        return false;
    };
    match tokens.word().as_deref() {
        Some("zero") => false,
        Some("nan") if element.is_float() => true,
        _ => {
            context.report(tokens.whole(), messages::tensor_fill(element.name()));
            false
        }
    }
}

/// A number that stands there as such.
fn written(expr: &Expr) -> Option<i64> {
    match expr.kind {
        ExprKind::Int(value) => Some(value),
        _ => None,
    }
}
