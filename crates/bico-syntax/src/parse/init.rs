//! `#[init(..)]`: how a buffer is filled.

use super::check::Type;
use super::names::{Context, Place};
use super::source::check_path;
use super::tokens::{Tokens, Value, entry, split};
use crate::expr::{Expr, ExprKind};
use crate::layout::Layout;
use crate::messages;
use crate::spec::{Element, Init, Name};
use proc_macro2::{TokenStream, TokenTree};

/// Reads what stands in the parentheses; `None` beside a mistake.
pub(super) fn init(tokens: &Tokens, layout: &Layout, context: &mut Context) -> Option<Init> {
    // The fields of a structure, of which nothing is known here, are filled alike.
    let element = layout.element().unwrap_or(Element::F32);
    let known = context.errors.len();
    let stream = TokenStream::from_iter(tokens.trees.clone());
    let (mut init, mut path) = (None, None);
    for part in split(stream, &mut context.errors) {
        let is_file = matches!(part.trees.as_slice(), [TokenTree::Ident(word), TokenTree::Punct(_), ..] if word == "file");
        if is_file && layout.structure.is_some() {
            context.report(part.whole(), messages::init_file_of_structures());
        } else if is_file && path.is_none() {
            path = Some(file(&part, context));
        } else if !is_file && init.is_none() {
            init = Some(filling(&part, element, context));
        } else {
            context.report(part.whole(), messages::init_twice());
        }
    }
    if context.errors.len() > known {
        return None;
    }
    match (init.flatten(), path.flatten()) {
        (other, Some(path)) => Some(Init::File(path, other.map(Box::new))),
        (init, None) => init,
    }
}

/// `file = "x.npy"`
fn file(part: &Tokens, context: &mut Context) -> Option<Name> {
    let example = "file = \"data/x.npy\"";
    let Some(Value::Assigned(value)) = entry(part, example, &mut context.errors).map(|of| of.value)
    else {
        return None;
    };
    let path = context.string(&value)?;
    check_path(&path.text, path.span, context);
    if !path.text.ends_with(".npy") {
        context.report(path.span, messages::init_file(&path.text));
    }
    Some(path)
}

fn filling(part: &Tokens, element: Element, context: &mut Context) -> Option<Init> {
    let (name, inside) = match part.trees.as_slice() {
        [TokenTree::Ident(name)] => (name.to_string(), None),
        [TokenTree::Ident(name), TokenTree::Group(group)] => {
            (name.to_string(), Some(group.stream()))
        }
        _ => (String::new(), None),
    };
    let whole = |value| Expr::new(ExprKind::Int(value), part.span());
    match (name.as_str(), inside) {
        ("zeros", None) => return Some(Init::Zeros),
        ("ones", None) => return Some(Init::Ones),
        ("iota", None) => return Some(Init::Iota),
        ("normal", _) if !element.is_float() => {
            context.report(part.whole(), messages::init_normal(element.name()));
            return None;
        }
        ("normal", None) => return Some(Init::Normal(whole(0), whole(1))),
        ("uniform" | "normal", Some(inside)) => {
            if let [first, second] = &split(inside, &mut context.errors)[..] {
                let (first, second) = (
                    number(first, element, context),
                    number(second, element, context),
                );
                let fault = match (name.as_str(), first.number(), second.number()) {
                    ("uniform", Some(low), Some(high)) if low >= high => messages::init_bounds(),
                    ("normal", _, Some(deviation)) if deviation <= 0.0 => {
                        messages::init_deviation()
                    }
                    ("uniform", ..) => return Some(Init::Uniform(first, second)),
                    _ => return Some(Init::Normal(first, second)),
                };
                context.report(part.whole(), fault);
                return None;
            }
        }
        _ => {}
    }
    context.report(part.whole(), messages::init());
    None
}

/// A number that is written out, or follows from the sizes: integers from integers, so that an index stays below `n / 2`.
fn number(tokens: &Tokens, element: Element, context: &mut Context) -> Expr {
    let known = context.errors.len();
    let written = context.read(tokens).map(|(expr, _)| expr);
    context.errors.truncate(known);
    match written.filter(|expr| expr.number().is_some()) {
        Some(number) => number,
        None if element.is_float() => context.typed(tokens, &Place::REAL_INIT, Type::Number),
        None => context.typed(tokens, &Place::INIT, Type::Int),
    }
}
