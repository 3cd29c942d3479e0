//! `variant(NAME, source = .., ..)`: several kernels of one tunable, each with its own space and conditions.
//!
//! Their spaces become one, with a parameter that says which variant a config is of. What only one of them has is called
//! `NAME.TILE` behind the parser, and has a single value in the configs of others.

use super::check::Type;
use super::names::Context;
use super::options::{Known, Options};
use super::part::Part;
use super::space;
use super::tokens::{Entry, Tokens, is_identifier, split};
use super::{scratch, source, tunable};
use crate::Lists;
use crate::errors::Errors;
use crate::expr::{Expr, ExprKind};
use crate::kernel::VARIANT;
use crate::messages;
use crate::spec::*;
use proc_macro2::{Group, Span};

/// How a variant is written.
pub(crate) const EXAMPLE: Known = "variant(blocked, source = \"kernels/blocked.c\", space(..))";

/// The options of a variant.
const OPTIONS: &[Known] = &[
    "source = \"kernels/blocked.c\"",
    "entry = \"gemm_kernel\"",
    "template = [TILE_M, TILE_N]",
    "space(TILE in [4, 8, 16])",
    "require(TILE_M * TILE_N <= 1024)",
    "launch(grid = .., block = ..)",
    "flags = [\"-O3\"]",
    source::INCLUDE,
    source::LINK,
    source::ARCH,
    "scratch(PARTIAL: f32, len = m * n)",
    "args(x, y, n, PARTIAL)",
    "pass(entry = \"partial_sums\", launch(..), args(x, PARTIAL, n))",
    "score = TILE_M * TILE_N",
];

/// What one says of each pass.
const OF_PASS: [&str; 4] = ["entry", "template", "launch", "args"];

/// The variants; one part without a name where there are none.
pub(crate) fn parts(options: &Options, owner: Span, context: &mut Context) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    // Beside an einsum they are a mistake of their own.
    let groups = options.groups("variant").into_iter();
    for (span, group) in groups.filter(|_| !options.given("einsum")) {
        let mut rest = split(group.stream(), &mut context.errors);
        let Some(text) = rest.first().and_then(Tokens::word) else {
            context.report(span, messages::variant_name());
            continue;
        };
        let name = Name::new(text, rest.remove(0).span());
        if !is_identifier(&name.text) {
            context.report(name.span, messages::parameter_name(&name.text));
        } else if parts.iter().any(|of| of.is(&name.text)) {
            context.report(name.span, messages::repeated_variant(&name.text));
        }
        let own = Options::from_parts(&rest, "variant", OPTIONS, &mut context.errors);
        parts.push(Part::new(Some(name), span, Some(own)));
    }
    match options.span("source") {
        Some(span) if !parts.is_empty() => {
            context.report(span, messages::beside_variants("source"));
        }
        _ => {}
    }
    if parts.is_empty() {
        parts.push(Part::new(None, owner, None));
    }
    parts
}

/// What the tunable says of a kernel, where the variant says nothing. A function of the `host` is called as it is.
fn inherit(own: &mut Options, options: &Options, host: bool) {
    let passes = own.given("pass");
    let says = OF_PASS.iter().any(|name| own.given(name));
    for (name, span, value) in &options.list {
        let wanted = match *name {
            "pass" | "launch" | "template" | "arch" if host => false,
            "arch" => !own.given(name),
            "pass" => !passes && !says,
            name => OF_PASS.contains(&name) && !passes && !own.given(name),
        };
        if wanted {
            own.list.push((name, *span, value.clone()));
        }
    }
}

/// The source of each; `None` beside a mistake. Each variant then has what the tunable says of all. The first one says what kind
/// of device they are for.
pub(crate) fn sources(
    parts: &mut [Part],
    options: &Options,
    context: &mut Context,
) -> Vec<Option<Source>> {
    let mut sources: Vec<Option<Source>> = Vec::new();
    let mut first: Option<(String, bool)> = None;
    for part in parts {
        // Of variants that cannot be read enough was said.
        if part.own.is_none() && options.given("variant") {
            return vec![None];
        }
        let beside = part.own.is_some().then_some(options);
        let source = source::source(part.of(options), beside, part.span, context);
        let mut host = false;
        if let (Some(source), Some(Name { text, .. })) = (&source, &part.name) {
            let cuda = source.language.is_cuda();
            let (known, on_gpu) = first.get_or_insert_with(|| (text.clone(), cuda));
            if cuda && !*on_gpu {
                context.report(source.path.span, messages::variant_device(text, known));
            }
            host = *on_gpu && !cuda;
        }
        if let Some(own) = &mut part.own {
            inherit(own, options, host);
        }
        sources.push(source);
    }
    sources
}

/// The entries of the tunable's own `space(..)`, and of each variant's, which it keeps. All are known by name then.
pub(crate) fn entries(parts: &mut [Part], options: &Options, context: &mut Context) -> Vec<Entry> {
    let of = |options: &Options, context: &mut Context| {
        let space = options.group("space");
        space.map_or_else(Vec::new, |(_, group)| space::entries(&group, context))
    };
    if parts[0].name.is_some() {
        let known = &mut context.names.parameters;
        known.push((VARIANT.to_string(), Type::Str));
    }
    let entries = of(options, context);
    let outer = context.names.parameters.clone();
    let mut all = outer.clone();
    for part in parts {
        let (Some(own), Some(Name { text, .. })) = (&part.own, &part.name) else {
            continue;
        };
        context.names.parameters.clone_from(&outer);
        part.entries = of(own, context);
        for entry in &part.entries {
            let name = &entry.name.text;
            all.push((name.clone(), Type::Unknown));
            let elsewhere = &mut context.names.elsewhere;
            elsewhere.push((name.clone(), text.clone()));
        }
    }
    context.names.parameters = all;
    entries
}

/// Reads the domains of all, in order. What only one variant has is kept there; behind this only those that all have are
/// known.
pub(crate) fn parameters(
    parts: &mut [Part],
    entries: &[Entry],
    context: &mut Context,
) -> Vec<Parameter> {
    context.names.parameters.clear();
    let mut parameters = Vec::new();
    let named = parts.iter().filter_map(|part| part.name.as_ref());
    let variants = named.map(|name| Expr::new(ExprKind::Str(name.text.clone()), name.span));
    let variants: Vec<Expr> = variants.collect_vec();
    if let Some(first) = variants.first() {
        let span = first.span;
        let known = &mut context.names.parameters;
        known.push((VARIANT.to_string(), Type::Str));
        parameters.push(Parameter {
            name: Name::new(VARIANT, span),
            domain: Domain::In(Expr::new(ExprKind::List(variants), span)),
            elsewhere: None,
        });
    }
    parameters.extend(space::parameters(entries, context));
    let outer = context.names.parameters.clone();
    for part in parts {
        part.parameters = space::parameters(&part.entries, context);
        part.known = std::mem::replace(&mut context.names.parameters, outer.clone());
    }
    parameters
}

/// The scratch buffers of all.
pub(crate) fn scratch(
    parts: &[Part],
    options: &Options,
    arguments: &[Argument],
    context: &mut Context,
) -> Vec<Scratch> {
    let mut all = Vec::new();
    scratch::scratch(options, arguments, None, &mut all, context);
    for (at, part) in parts.iter().enumerate() {
        part.scratch(at, arguments, &mut all, context);
    }
    all
}

/// What configs are ranked by: each variant's own score, and the tunable's for those that have none.
pub(crate) fn score(parts: &[Part], options: &Options, context: &mut Context) -> Option<Expr> {
    let outer = tunable::score(options, context);
    let own = parts.iter().map(|part| part.score(context)).collect_vec();
    let scored = own.iter().position(Option::is_some);
    if let (Some(scored), Some(without), None) =
        (scored, own.iter().position(Option::is_none), &outer)
        && let [Some(scored), Some(without)] = [scored, without].map(|at| &parts[at].name)
    {
        context.report(
            without.span,
            messages::unscored_variant(&without.text, &scored.text),
        );
    }
    let parts = parts.iter().zip(own).rev();
    parts.fold(outer, |others, (part, own)| {
        match (own, others, &part.name) {
            (Some(own), Some(others), Some(name)) => Some(Kernel::only(&name.text, own, others)),
            (own, others, _) => own.or(others),
        }
    })
}

/// The parameters of all, of which the tunable has `parameters` whatever the variant.
pub(crate) fn joined(mut parameters: Vec<Parameter>, parts: &[Part]) -> Vec<Parameter> {
    parameters.extend(parts.iter().flat_map(Part::joined));
    parameters
}

/// Of which part a config is whose values are written out: `default = { VARIANT: "blocked", .. }`.
pub(crate) fn named<'a>(parts: &'a [Part], config: &Group) -> Option<&'a Part> {
    // What is wrong there is told by who reads it.
    let mut listed = split(config.stream(), &mut Errors::default()).into_iter();
    let found = listed.find(|of| of.trees[0].to_string() == VARIANT)?;
    let text = super::string(&found.trees.last()?.to_string())?;
    parts.iter().find(|part| part.is(&text))
}
