//! `problem(..)`, and which arguments select among problems.

use super::arguments::{Draft, DraftKind};
use super::expr::is_placeholder;
use super::names::{Context, Place, Typed};
use super::tokens::{Entry, Value, entry, is_identifier, split};
use super::types::Type;
use crate::expr::{Expr, ExprKind};
use crate::fingerprint::same;
use crate::messages;
use crate::spec::{Element, Name, Problem};
use proc_macro2::{Group, Span};

/// The entries of one `problem(..)`.
pub(crate) struct Block {
    pub(super) entries: Vec<Entry>,
    span: Span,
}

/// Reads the entries of each problem, without their values.
pub(crate) fn blocks(groups: &[(Span, Group)], context: &mut Context) -> Vec<Block> {
    let mut blocks = Vec::new();
    for (span, group) in groups {
        let mut entries: Vec<Entry> = Vec::new();
        for part in split(group.stream(), &mut context.errors) {
            let Some(entry) = entry(&part, "m = 1024", &mut context.errors) else {
                continue;
            };
            if entries
                .iter()
                .any(|known| known.name == entry.name && known.constant == entry.constant)
            {
                context.report(entry.span, messages::repeated_size(&entry.name));
            } else if entry.constant && (!is_identifier(&entry.name) || entry.name == "device") {
                context.report(entry.span, messages::parameter_name(&entry.name));
            } else {
                entries.push(entry);
            }
        }
        blocks.push(Block {
            entries,
            span: *span,
        });
    }
    blocks
}

/// Whether a problem declares a `const` of exactly this name.
pub(crate) fn declares(blocks: &[Block], name: &str) -> bool {
    blocks
        .iter()
        .flat_map(|block| &block.entries)
        .any(|entry| entry.constant && entry.name == name)
}

/// Whether the argument `draft` selects among problems: a `const` bears its name, and it has no value itself.
pub(crate) fn is_selector(draft: &Draft, blocks: &[Block]) -> bool {
    let eligible = match draft.kind {
        DraftKind::Text => true,
        DraftKind::Scalar(element) => !element.is_float(),
        _ => false,
    };
    let mut entries = blocks.iter().flat_map(|block| &block.entries);
    let sized = entries
        .clone()
        .any(|entry| !entry.constant && entry.name == draft.name.text);
    eligible
        && !sized
        && entries.any(|entry| entry.constant && entry.name.eq_ignore_ascii_case(&draft.name.text))
}

/// Reads the values. Leaves the types of the `const`s in the known names.
pub(crate) fn problems(blocks: &[Block], drafts: &[Draft], context: &mut Context) -> Vec<Problem> {
    let scalars: Vec<(&Draft, Element)> = drafts
        .iter()
        .filter_map(|draft| match draft.kind {
            DraftKind::Scalar(element) if !is_selector(draft, blocks) => Some((draft, element)),
            _ => None,
        })
        .collect();
    let all_sizes = std::mem::take(&mut context.names.sizes);
    let mut problems: Vec<Problem> = Vec::new();
    for block in blocks {
        context.names.sizes.clear();
        context.names.later = scalars
            .iter()
            .map(|(draft, _)| draft.name.text.clone())
            .collect();
        let mut problem = Problem {
            sizes: Vec::new(),
            consts: Vec::new(),
            span: block.span,
        };
        for entry in &block.entries {
            let name = Name {
                text: entry.name.clone(),
                span: entry.span,
            };
            let Value::Assigned(tokens) = &entry.value else {
                if !matches!(entry.value, Value::Broken) {
                    context.report(entry.span, messages::expected_entry("m = 1024"));
                }
                problem
                    .sizes
                    .push((name, super::expr::placeholder(entry.span)));
                continue;
            };
            if entry.constant {
                let (value, kind) = context.expression(tokens, &Place::CONSTANT);
                constant(&name, &value, kind, drafts, context);
                problem.consts.push((name, value));
                continue;
            }
            match scalars
                .iter()
                .find(|(draft, _)| draft.name.text == entry.name)
            {
                Some((_, element)) => {
                    let value = context.typed(tokens, &Place::SIZE, Type::from(*element));
                    fits(&value, *element, context);
                    problem.sizes.push((name, value));
                    context.names.later.retain(|later| *later != entry.name);
                    context
                        .names
                        .sizes
                        .push((entry.name.clone(), Type::from(*element)));
                }
                None => not_an_argument(entry, &scalars, drafts, context),
            }
        }
        complete(&mut problem, &scalars, context);
        if problems
            .first()
            .is_some_and(|first| !same_consts(first, &problem))
        {
            context.report(block.span, messages::different_consts());
        }
        if problems.iter().any(|other| same_problem(other, &problem)) {
            context.report(block.span, messages::repeated_problem());
        }
        problems.push(problem);
    }
    context.names.sizes = all_sizes;
    context.names.later.clear();
    unselected(&problems, drafts, blocks, context);
    problems
}

/// A literal out of the argument's range is found here; other values by the build.
fn fits(value: &Expr, element: Element, context: &mut Context) {
    let ExprKind::Int(number) = value.kind else {
        return;
    };
    if !range(element).is_none_or(|(least, most)| (least..=most).contains(&i128::from(number))) {
        context.report(value.span, messages::element_range(number, element.name()));
    }
}

/// The range of an integer type on a 64-bit machine.
fn range(element: Element) -> Option<(i128, i128)> {
    if !element.is_integer() {
        return None;
    }
    let bits = 8 * element.size() as u32;
    let unsigned = element.name().starts_with('u');
    Some(if unsigned {
        (0, (1 << bits) - 1)
    } else {
        (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    })
}

/// Checks a `const` and adds it to the known names.
fn constant(name: &Name, value: &Expr, mut kind: Type, drafts: &[Draft], context: &mut Context) {
    if let Type::List(_) = kind {
        context.report(value.span, messages::const_list(&name.text));
        kind = Type::Unknown;
    }
    if drafts.iter().any(|draft| {
        draft.name.text == name.text
            && !matches!(
                draft.kind,
                DraftKind::Text | DraftKind::Scalar(_) | DraftKind::Broken
            )
    }) {
        context.report(name.span, messages::const_is_argument(&name.text));
    }
    for draft in drafts
        .iter()
        .filter(|draft| draft.name.text.eq_ignore_ascii_case(&name.text))
    {
        let element = match draft.kind {
            DraftKind::Text => Element::Str,
            DraftKind::Scalar(element) if !element.is_float() => element,
            _ => continue,
        };
        if Type::from(element).unify(&kind).is_none() {
            let message =
                messages::selector_type(&draft.name.text, element.name(), &name.text, value, &kind);
            context.report(value.span, message);
            kind = Type::Unknown;
        }
        fits(value, element, context);
    }
    let known: Option<&mut Typed> = context
        .names
        .constants
        .iter_mut()
        .find(|(known, _)| *known == name.text);
    match known {
        None => context.names.constants.push((name.text.clone(), kind)),
        Some((_, known)) => match known.unify(&kind) {
            Some(both) => *known = both,
            None => {
                let message = messages::const_types(&name.text, known, &kind);
                context.report(value.span, message);
            }
        },
    }
}

fn not_an_argument(
    entry: &Entry,
    scalars: &[(&Draft, Element)],
    drafts: &[Draft],
    context: &mut Context,
) {
    let draft = drafts.iter().find(|draft| draft.name.text == entry.name);
    let message = match draft.map(|draft| draft.kind) {
        Some(DraftKind::Broken) => return,
        Some(DraftKind::Text | DraftKind::Scalar(_)) => messages::selector_as_size(&entry.name),
        Some(DraftKind::Buffer { .. }) => messages::buffer_as_size(&entry.name, "a buffer"),
        Some(DraftKind::Stream) => messages::buffer_as_size(&entry.name, "the stream"),
        None => {
            let known: Vec<&str> = scalars.iter().map(|(draft, _)| &*draft.name.text).collect();
            messages::unknown_size(&entry.name, &known)
        }
    };
    context.report(entry.span, message);
}

/// Every scalar needs a value; then the sizes are put in the order of the arguments.
fn complete(problem: &mut Problem, scalars: &[(&Draft, Element)], context: &mut Context) {
    let given =
        |name: &str, problem: &Problem| problem.sizes.iter().any(|(known, _)| known.text == name);
    let missing: Vec<&str> = scalars
        .iter()
        .map(|(draft, _)| &*draft.name.text)
        .filter(|name| !given(name, problem))
        .collect();
    if !missing.is_empty() {
        context.report(problem.span, messages::missing_sizes(&missing));
    }
    problem.sizes.sort_by_key(|(name, _)| {
        scalars
            .iter()
            .position(|(draft, _)| draft.name.text == name.text)
    });
}

fn same_consts(a: &Problem, b: &Problem) -> bool {
    let holds =
        |list: &Problem, name: &str| list.consts.iter().any(|(known, _)| known.text == name);
    a.consts.len() == b.consts.len() && a.consts.iter().all(|(name, _)| holds(b, &name.text))
}

fn same_problem(a: &Problem, b: &Problem) -> bool {
    let equal = |a: &[(Name, Expr)], b: &[(Name, Expr)]| {
        let find = |name: &str| b.iter().find(|(known, _)| known.text == name);
        a.len() == b.len()
            && a.iter().all(|(name, value)| {
                find(&name.text)
                    .is_some_and(|(_, other)| same(value, other) && !is_placeholder(value))
            })
    };
    equal(&a.sizes, &b.sizes) && equal(&a.consts, &b.consts)
}

/// A `const` that differs between problems needs an argument by which a call chooses, and `&str` needs a `const`.
fn unselected(problems: &[Problem], drafts: &[Draft], blocks: &[Block], context: &mut Context) {
    let selects = |name: &str| {
        drafts
            .iter()
            .any(|draft| draft.name.text.eq_ignore_ascii_case(name) && is_selector(draft, blocks))
    };
    let literal = |value: &Expr| {
        matches!(
            value.kind,
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_) | ExprKind::Str(_)
        )
    };
    for (name, first) in problems.first().map_or(&[][..], |problem| &problem.consts) {
        let others = problems.iter().skip(1).flat_map(|problem| &problem.consts);
        let different = others.filter(|(known, value)| {
            known.text == name.text && literal(value) && !same(first, value)
                // Different kinds have been reported.
                && std::mem::discriminant(&first.kind) == std::mem::discriminant(&value.kind)
        });
        if let Some((other, value)) = different.into_iter().next()
            && literal(first)
            && !selects(&name.text)
        {
            context.report(
                other.span,
                messages::const_not_selected(&name.text, first, value),
            );
        }
    }
    for draft in drafts
        .iter()
        .filter(|draft| draft.kind == DraftKind::Text && !is_selector(draft, blocks))
    {
        context.report(draft.name.span, messages::selects_nothing(&draft.name.text));
    }
}
