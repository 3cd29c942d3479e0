//! `args(x, PARTIAL, n, 2 * n as u32, null)`: what the kernel gets, in its order.

use super::arguments::element;
use super::check::Type;
use super::names::{Context, Place};
use super::options::Options;
use super::rust_type::RustType;
use super::tokens::{Tokens, split};
use crate::Lists;
use crate::args::KernelArgument;
use crate::messages;
use crate::spec::{Argument, ArgumentKind, Element, Pass, Scratch};
use proc_macro2::TokenTree;

/// The list, where there is one.
pub(crate) fn args(
    options: &Options,
    arguments: &[Argument],
    scratch: &[(usize, &Scratch)],
    context: &mut Context,
) -> Option<Vec<KernelArgument>> {
    let (_, group) = options.group("args")?;
    let mut list: Vec<KernelArgument> = Vec::new();
    for part in split(group.stream(), &mut context.errors) {
        let Some(item) = item(&part, arguments, scratch, context) else {
            continue;
        };
        // There may be several maps of a buffer, and itself.
        let whole = |of: &KernelArgument| match of {
            KernelArgument::Tensor(_) => None,
            of => of.buffer_of(arguments),
        };
        let again = list.iter().any(|other| whole(other) == whole(&item));
        if whole(&item).is_some() && again {
            context.report(
                part.whole(),
                messages::passed_twice(&part.trees[0].to_string()),
            );
        }
        list.push(item);
    }
    Some(list)
}

/// The buffers that no pass gets.
pub(crate) fn unpassed<'a>(
    passes: &[Pass],
    arguments: &'a [Argument],
    scratch: &[(usize, &'a Scratch)],
) -> Vec<&'a str> {
    let mut buffers = Vec::new();
    for (at, argument) in arguments.iter().enumerate() {
        let kind = &argument.kind;
        if matches!(kind, ArgumentKind::Buffer { .. }) && kind.symbol().is_none() {
            buffers.push((KernelArgument::Argument(at), &argument.name));
        }
    }
    for (at, scratch) in scratch {
        buffers.push((KernelArgument::Scratch(*at), &scratch.name));
    }
    let is_passed = |buffer: &KernelArgument| {
        let buffer = buffer.buffer_of(arguments);
        // Without a list a kernel gets all of them.
        passes.iter().any(|pass| match &pass.args {
            Some(args) => args.iter().any(|item| item.buffer_of(arguments) == buffer),
            None => true,
        })
    };
    buffers.retain(|(of, _)| !is_passed(of));
    buffers
        .iter()
        .map(|(_, name)| name.text.as_str())
        .collect_vec()
}

fn item(
    part: &Tokens,
    arguments: &[Argument],
    scratch: &[(usize, &Scratch)],
    context: &mut Context,
) -> Option<KernelArgument> {
    if let [TokenTree::Ident(word), TokenTree::Group(group)] = part.trees.as_slice()
        && word == "tensor_map"
    {
        return super::tensor::tensor(word.span(), group, arguments, scratch, context);
    }
    if let Some(word) = part.word() {
        let named = named(&word, arguments, scratch);
        if let Some(KernelArgument::Argument(at)) = named {
            let kind = &arguments[at].kind;
            if matches!(kind, ArgumentKind::Stream | ArgumentKind::Selector(_))
                || kind.symbol().is_some()
            {
                context.report(part.span(), messages::never_passed(&word));
                return None;
            }
        }
        if named.is_some() {
            return named;
        }
        if word == "null" {
            return Some(KernelArgument::Null);
        }
    }
    // The type is that of the whole, whatever binds how strongly.
    let [
        value @ ..,
        TokenTree::Ident(word),
        kind @ TokenTree::Ident(_),
    ] = part.trees.as_slice()
    else {
        context.report(part.whole(), messages::passed_without_type());
        return None;
    };
    let halves = [Element::F16, Element::Bf16];
    let element =
        element(&RustType::read(std::slice::from_ref(kind))).filter(|of| !halves.contains(of));
    let (true, Some(element), false) = (word == "as", element, value.is_empty()) else {
        context.report(part.whole(), messages::passed_without_type());
        return None;
    };
    let value = Tokens {
        trees: value.to_vec(),
        last: word.span(),
    };
    let (place, want) = match element {
        Element::Bool => (Place::ARGS, Type::Bool),
        _ if element.is_float() => (Place::REAL_ARGS, Type::Number),
        _ => (Place::ARGS, Type::Int),
    };
    Some(KernelArgument::Value(
        context.typed(&value, &place, want),
        element,
    ))
}

/// The argument of the wrapper of this name, or the scratch buffer.
pub(super) fn named(
    word: &str,
    arguments: &[Argument],
    scratch: &[(usize, &Scratch)],
) -> Option<KernelArgument> {
    let mut own = arguments.iter();
    let argument = own.position(|of| of.name.text == word);
    let scratch = || {
        let mut all = scratch.iter();
        all.find(|(_, of)| of.name.text == word)
    };
    let argument = argument.map(KernelArgument::Argument);
    argument.or_else(|| scratch().map(|(at, _)| KernelArgument::Scratch(*at)))
}
