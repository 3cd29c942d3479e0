//! `problem(..)`, and which arguments select among problems.

use super::arguments::Draft;
use super::check::Type;
use super::expr::{is_placeholder, placeholder};
use super::names::{Context, Place};
use super::tokens::{Entry, Tokens, Value, entry, is_identifier, split};
use crate::Lists;
use crate::canonical::same;
use crate::expr::{BinaryOp, Expr, ExprKind};
use crate::messages;
use crate::sorted::sorted_by_key;
use crate::spec::{ArgumentKind, Element, Name, Problem};
use proc_macro2::{Group, Span};

/// The entries of one `problem(..)`.
pub(crate) struct Block {
    pub(super) entries: Vec<Entry>,
    span: Span,
}

/// Reads the entries of each problem, without their values.
pub(crate) fn blocks(groups: Vec<(Span, Group)>, context: &mut Context) -> Vec<Block> {
    let mut blocks = Vec::new();
    for (span, group) in groups {
        let mut entries: Vec<Entry> = Vec::new();
        for part in split(group.stream(), &mut context.errors) {
            let Some(entry) = entry(&part, "m = 1024", &mut context.errors) else {
                continue;
            };
            let Name { text: name, span } = &entry.name;
            let same = |known: &Entry| known.name.text == *name && known.constant == entry.constant;
            if entries.iter().any(same) {
                context.report(*span, messages::repeated_size(name));
            } else if entry.constant && (!is_identifier(name) || name == "device") {
                context.report(*span, messages::parameter_name(name));
            } else {
                entries.push(entry);
            }
        }
        blocks.push(Block { entries, span });
    }
    blocks
}

/// All entries, whatever problem they are of.
fn entries(blocks: &[Block]) -> Vec<&Entry> {
    let mut entries = Vec::new();
    for block in blocks {
        entries.extend(&block.entries);
    }
    entries
}

/// The names of the `const`s of all problems.
pub(crate) fn constants(blocks: &[Block]) -> Vec<&Name> {
    let mut constants = Vec::new();
    for entry in entries(blocks) {
        if entry.constant {
            constants.push(&entry.name);
        }
    }
    constants
}

/// Whether the argument `draft` selects among problems: a `const` bears its name, and it has no value itself.
pub(crate) fn is_selector(draft: &Draft, blocks: &[Block]) -> bool {
    let name = &draft.name.text;
    let sized = |entry: &Entry| !entry.constant && entry.name.text == *name;
    selecting(draft).is_some()
        && !entries(blocks).into_iter().any(sized)
        && constants(blocks)
            .iter()
            .any(|constant| constant.text.eq_ignore_ascii_case(name))
}

/// The type of an argument by which a call can select a problem.
pub(crate) fn selecting(draft: &Draft) -> Option<Element> {
    match draft.kind {
        Some(ArgumentKind::Selector(element)) => Some(element),
        Some(ArgumentKind::Scalar(element)) if !element.is_float() => Some(element),
        _ => None,
    }
}

/// An argument that a problem gives a value to, by value.
type Scalar<'a> = (&'a str, &'a ArgumentKind, Element);

/// Reads the values. Leaves the types of the `const`s in the known names.
pub(crate) fn problems(blocks: &[Block], drafts: &[Draft], context: &mut Context) -> Vec<Problem> {
    let scalars = drafts.iter().filter_map(|draft| {
        let kind = draft.kind.as_ref()?;
        Some((&*draft.name.text, kind, kind.by_value()?))
    });
    let scalars: Vec<Scalar<'_>> = scalars.collect_vec();
    let all_sizes = std::mem::take(&mut context.names.sizes);
    let mut problems: Vec<Problem> = Vec::new();
    for block in blocks {
        let problem = problem(block, &scalars, drafts, context);
        let first = problems.first();
        if first.is_some_and(|first| !same_consts(first, &problem)) {
            context.report(block.span, messages::different_consts());
        }
        if let Some(other) = problems.iter().find(|other| same_problem(other, &problem)) {
            let message = match each(&other.values, &problem.values, &same) {
                true => messages::repeated_problem(),
                false => messages::only_values_differ(),
            };
            context.report(block.span, message);
        }
        problems.push(problem);
    }
    context.names.sizes = all_sizes;
    context.names.later.clear();
    unselected(&problems, drafts, blocks, context);
    problems
}

fn problem(
    block: &Block,
    scalars: &[Scalar<'_>],
    drafts: &[Draft],
    context: &mut Context,
) -> Problem {
    let names = scalars.iter().map(|(name, ..)| *name);
    let is_size = |kind: &ArgumentKind| matches!(kind, ArgumentKind::Scalar(_));
    let later = scalars.iter().filter(|(_, kind, _)| is_size(kind));
    context.names.sizes.clear();
    context.names.later = later.map(|(name, ..)| name.to_string()).collect_vec();
    let (mut sizes, mut consts, mut ranged) = (Vec::new(), Vec::new(), false);
    for entry in &block.entries {
        let name = entry.name.clone();
        let scalar = scalars.iter().find(|(scalar, ..)| *scalar == name.text);
        match (&entry.value, scalar) {
            (Value::Assigned(tokens), _) if entry.constant => {
                let (value, kind) = context.expression(tokens, &Place::CONSTANT);
                constant(&name, &value, kind, drafts, context);
                consts.push((name, value));
            }
            (Value::Assigned(tokens), Some(&(_, kind, element))) => {
                let value = sized(tokens, element, is_size(kind), context);
                if matches!(value.kind, ExprKind::Range { .. })
                    && std::mem::replace(&mut ranged, true)
                {
                    context.report(value.span, messages::two_ranges());
                }
                let known = &mut context.names;
                known.later.retain(|later| *later != name.text);
                if is_size(kind) {
                    known.sizes.push((name.text.clone(), Type::from(element)));
                }
                sizes.push((name, value));
            }
            (Value::Assigned(_), None) => not_an_argument(&name, scalars, drafts, context),
            (value, _) => {
                if !matches!(value, Value::Broken) {
                    context.report(name.span, messages::expected_entry("m = 1024"));
                }
                let value = placeholder(name.span);
                sizes.push((name, value));
            }
        }
    }
    // Every scalar needs a value; then the sizes are put in the order of the arguments.
    let known = |(known, _): &(Name, Expr), name: &str| known.text == name;
    let given = |name: &str| sizes.iter().any(|of| known(of, name));
    let ranges = drafts.iter().filter_map(|draft| match draft.kind {
        Some(ArgumentKind::Value { range: Some(_), .. }) => {
            Some((&draft.name, draft.len.as_ref()?))
        }
        _ => None,
    });
    let ranges: Vec<(Name, Expr)> = ranges
        .filter(|(name, _)| !given(&name.text))
        .map(|(name, tokens)| (name.clone(), middle(tokens, context)))
        .collect_vec();
    sizes.extend(ranges);
    let given = |name: &str| sizes.iter().any(|of| known(of, name));
    let missing: Vec<&str> = names.clone().filter(|name| !given(name)).collect_vec();
    if !missing.is_empty() {
        context.report(block.span, messages::missing_sizes(&missing));
    }
    let place = |(name, _): &(Name, Expr)| names.clone().position(|scalar| scalar == name.text);
    let sizes = sorted_by_key(sizes, place);
    let of_value = |(name, _): &(Name, Expr)| {
        let mut scalars = scalars.iter();
        scalars.any(|(scalar, kind, _)| *scalar == name.text && !is_size(kind))
    };
    let (values, sizes) = sizes.into_iter().partition(of_value);
    Problem {
        sizes,
        values,
        consts,
        span: block.span,
    }
}

/// The value of an argument; of one that is a size, it may be a range.
fn sized(tokens: &Tokens, element: Element, is_size: bool, context: &mut Context) -> Expr {
    let (value, found) = context.expression(tokens, &Place::SIZE);
    match &value.kind {
        ExprKind::Range {
            start,
            end,
            inclusive,
        } if is_size && element.is_integer() => {
            fits(start, element, context);
            if *inclusive {
                fits(end, element, context);
            }
            if matches!(start.kind, ExprKind::Int(..=0)) {
                context.report(start.span, messages::range_from());
            }
        }
        _ => {
            let want = Type::from(element);
            if found.unify(&want).is_none() {
                let message = messages::needs(Place::SIZE.what, &want, &value, &found);
                context.report(value.span, message);
            }
            fits(&value, element, context);
        }
    }
    value
}

/// The number in the middle of a range. What is wrong with that is told where it stands.
fn middle(tokens: &Tokens, context: &mut Context) -> Expr {
    let known = context.errors.len();
    let range = context.read(tokens).map(|(range, _)| range);
    context.errors.truncate(known);
    let Some(ExprKind::Range { start, end, .. }) = range.map(|range| range.kind) else {
        return placeholder(tokens.span());
    };
    let op = |op, a, b| Expr::new(ExprKind::Binary(op, a, b), tokens.span());
    let length = op(BinaryOp::Sub, end, start.clone());
    let two = Expr::new(ExprKind::Int(2), tokens.span());
    let half = op(BinaryOp::Div, Box::new(length), Box::new(two));
    op(BinaryOp::Add, start, Box::new(half))
}

/// A literal out of the argument's range is found here; other values by the build.
pub(super) fn fits(value: &Expr, element: Element, context: &mut Context) {
    let (ExprKind::Int(number), true) = (&value.kind, element.is_integer()) else {
        return;
    };
    // As on a 64-bit machine.
    let signed = i128::from(element.name().starts_with('i'));
    let values = 1_i128 << (8 * element.size());
    let least = -signed * values / 2;
    if !(least..least + values).contains(&i128::from(*number)) {
        context.report(value.span, messages::element_range(*number, element.name()));
    }
}

/// Checks a `const` and adds it to the known names.
fn constant(name: &Name, value: &Expr, mut kind: Type, drafts: &[Draft], context: &mut Context) {
    let Name { text, span } = name;
    if let Type::List(_) = kind {
        context.report(value.span, messages::const_list(text));
        kind = Type::Unknown;
    }
    let no_scalar = |draft: &Draft| {
        draft.name.text == *text
            && matches!(
                draft.kind,
                Some(ArgumentKind::Buffer { .. } | ArgumentKind::Stream)
            )
    };
    if drafts.iter().any(no_scalar) {
        context.report(*span, messages::const_is_argument(text));
    }
    for draft in drafts {
        let argument = &draft.name.text;
        let Some(element) = selecting(draft).filter(|_| argument.eq_ignore_ascii_case(text)) else {
            continue;
        };
        if Type::from(element).unify(&kind).is_none() {
            let message = messages::selector_type(argument, element.name(), text, value, &kind);
            context.report(value.span, message);
            kind = Type::Unknown;
        }
        fits(value, element, context);
    }
    let mut constants = context.names.constants.iter_mut();
    match constants.find(|(known, _)| known == text) {
        None => context.names.constants.push((text.clone(), kind)),
        Some((_, known)) => match known.unify(&kind) {
            Some(both) => *known = both,
            None => {
                let message = messages::const_types(text, known, &kind);
                context.report(value.span, message);
            }
        },
    }
}

fn not_an_argument(name: &Name, scalars: &[Scalar<'_>], drafts: &[Draft], context: &mut Context) {
    let Name { text, span } = name;
    let draft = drafts.iter().find(|draft| draft.name.text == *text);
    let message = match draft.map(|draft| &draft.kind) {
        Some(None) => return,
        Some(Some(ArgumentKind::Selector(_) | ArgumentKind::Scalar(_))) => {
            messages::selector_as_size(text)
        }
        // Numbers that have values were found before.
        Some(Some(ArgumentKind::Value { .. })) => return,
        Some(Some(ArgumentKind::Buffer { .. })) => messages::buffer_as_size(text, "a buffer"),
        Some(Some(ArgumentKind::Structure(_))) => messages::buffer_as_size(text, "a structure"),
        Some(Some(ArgumentKind::Stream)) => messages::buffer_as_size(text, "the stream"),
        None => {
            let known: Vec<&str> = scalars.iter().map(|(name, ..)| *name).collect_vec();
            messages::unknown_size(text, &known)
        }
    };
    context.report(*span, message);
}

/// Whether `all` holds for each value of `a` and the one of the same name in `b`, and there are no others.
fn each(a: &[(Name, Expr)], b: &[(Name, Expr)], all: &dyn Fn(&Expr, &Expr) -> bool) -> bool {
    let matched = |(name, value): &(Name, Expr)| {
        let other = b.iter().find(|(known, _)| known.text == name.text);
        other.is_some_and(|(_, other)| all(value, other))
    };
    a.len() == b.len() && a.iter().all(matched)
}

fn same_consts(a: &Problem, b: &Problem) -> bool {
    each(&a.consts, &b.consts, &|_, _| true)
}

fn same_problem(a: &Problem, b: &Problem) -> bool {
    let equal = |value: &Expr, other: &Expr| same(value, other) && !is_placeholder(value);
    each(&a.sizes, &b.sizes, &equal) && each(&a.consts, &b.consts, &equal)
}

/// A `const` that differs between problems needs an argument by which a call chooses, and `&str` needs a `const`.
fn unselected(problems: &[Problem], drafts: &[Draft], blocks: &[Block], context: &mut Context) {
    for (name, first) in problems.first().map_or(&[][..], |problem| &problem.consts) {
        let mut others = problems.iter().skip(1).flat_map(|problem| &problem.consts);
        let different = others.find(|(known, value)| {
            known.text == name.text && value.is_literal() && !same(first, value)
                // Different kinds have been reported.
                && std::mem::discriminant(&first.kind) == std::mem::discriminant(&value.kind)
        });
        let mut selecting = drafts.iter().filter(|draft| is_selector(draft, blocks));
        if let Some((other, value)) = different
            && first.is_literal()
            && !selecting.any(|draft| draft.name.text.eq_ignore_ascii_case(&name.text))
        {
            let message = messages::const_not_selected(&name.text, first, value);
            context.report(other.span, message);
        }
    }
    for draft in drafts {
        if selecting(draft) == Some(Element::Str) && !is_selector(draft, blocks) {
            context.report(draft.name.span, messages::selects_nothing(&draft.name.text));
        }
    }
}
