//! All options together.
//!
//! The order matters: the source says CPU or GPU, which the arguments need; arguments and
//! problems declare the names that parameters may not take; parameters come before all that
//! computes with them.

use super::arguments::{self, Draft, DraftKind};
use super::expr::placeholder;
use super::names::{Context, Place};
use super::options::{Known, Options};
use super::types::Type;
use super::{budget, contraction, flags, launch, problem, scratch, source, space, verify};
use crate::expr::Expr;
use crate::messages;
use crate::spec::*;
use proc_macro2::Span;

/// The options of the attribute.
pub(crate) const OPTIONS: &[Known] = &[
    Known::once("source", "source = \"kernels/gemm.c\""),
    Known::once("entry", "entry = \"gemm_kernel\""),
    Known::once("template", "template = [TILE_M, TILE_N]"),
    Known::once("space", "space(TILE in [4, 8, 16])"),
    Known::once("require", "require(TILE_M * TILE_N <= 1024)"),
    Known::once("launch", "launch(grid = .., block = ..)"),
    Known::many("problem", "problem(m = 1024, n = 1024)"),
    Known::once("work", "work(flops = 2 * m * n * k)"),
    Known::once("score", "score = TILE_M * TILE_N"),
    Known::once("verify", "verify(reference = \"gemm_naive\", rtol = 1e-3)"),
    Known::once("budget", "budget(evaluations = 20, seconds = 60)"),
    Known::once(
        "budget_scale",
        "budget_scale = 4 * TILE_K * (TILE_M + TILE_N)",
    ),
    Known::once("measure", "measure(cache = warm)"),
    Known::once("flags", "flags = [\"-O3\"]"),
    Known::many("scratch", "scratch(PARTIAL: f32, len = m * n)"),
    Known::once("name", "name = \"gemm_f32\""),
    Known::once("crate", "crate = ::bico"),
    Known::once("einsum", "einsum = \"mk, kn -> mn\""),
];

const WORK: &[Known] = &[
    Known::once("flops", "flops = 2 * m * n * k"),
    Known::once("bytes", "bytes = 4 * m * n"),
];

/// The spec; `None` only beside a mistake.
pub(crate) fn tunable(
    mut options: Options,
    signature: &syn::Signature,
    context: &mut Context,
) -> Option<TunableSpec> {
    let options = &mut options;
    let function = Name {
        text: signature.ident.to_string(),
        span: signature.ident.span(),
    };
    let einsum = options.given("einsum");
    let written = contraction::einsum(options, context);
    let source = match &written {
        Some(written) => Some(contraction::source(written, arguments::on_gpu(signature))),
        None if einsum => None,
        None => source::source(options, function.span, context),
    };
    context.names.cuda = source.as_ref().map(|source| source.language.is_cuda());
    let cuda = context.names.cuda;
    for name in ["space", "problem"]
        .into_iter()
        .filter(|name| !einsum || *name != "space")
    {
        let example = OPTIONS
            .iter()
            .find(|option| option.name == name)
            .map_or("", |option| option.example);
        options.require(name, function.span, example, &mut context.errors);
    }

    let mut drafts = arguments::drafts(signature, cuda, !einsum, context);
    let blocks = problem::blocks(&options.groups("problem"), context);
    let contraction = written.and_then(|written| {
        contraction::contraction(written, &function, &mut drafts, &blocks, options, context)
    });
    if einsum && contraction.is_none() {
        // Without the kernel's space and sizes all else would be guesses.
        return None;
    }
    for draft in &drafts {
        let name = draft.name.text.clone();
        match draft.kind {
            _ if problem::is_selector(draft, &blocks) => {
                // Where both have one name, the `const` is what it means.
                if !problem::declares(&blocks, &name) {
                    context
                        .names
                        .others
                        .push((name, "the argument that selects a problem"));
                }
            }
            DraftKind::Scalar(element) => context.names.sizes.push((name, Type::from(element))),
            DraftKind::Broken => context.names.sizes.push((name, Type::Unknown)),
            DraftKind::Buffer { .. } => context.names.others.push((name, "a buffer")),
            DraftKind::Stream => context.names.others.push((name, "the stream")),
            DraftKind::Text => context.names.others.push((name, "a string")),
        }
    }
    let space = options
        .group("space")
        .map(|(_, group)| space::entries(&group, context))
        .unwrap_or_default();
    context.names.parameters = space
        .iter()
        .map(|entry| (entry.name.clone(), Type::Unknown))
        .collect();
    let problems = problem::problems(&blocks, &drafts, context);
    let parameters = space::parameters(&space, context);

    let entry = source::entry(options, &function, context);
    let template = template(options, source.as_ref(), context);
    let require = require(options, context);
    let launch = kernel_launch(options, function.span, context);
    let arguments = finish(drafts, &blocks, context);
    let scratch = scratch::scratch(options, &arguments, context);
    let verify = options.group("verify").map(|(_, group)| group);
    let verify = verify::verify(
        verify.as_ref(),
        &function.text,
        tolerance(&arguments),
        context,
    );
    let score = options
        .value("score")
        .map(|tokens| context.typed(&tokens, &Place::real("`score`"), Type::Number));
    let flags = options.values("flags");
    let flags = flags
        .iter()
        .flat_map(|tokens| flags::flags(tokens, context))
        .collect();
    let work = work(options, context);
    let budget = budget::budget(options, context);
    let budget_scale = budget::scale(options, context);
    let cache_warm = budget::measure(options, context);
    let key = source::key(options, &function, context);
    let crate_path = source::crate_path(options, context);
    Some(TunableSpec {
        key,
        function,
        source: source?,
        contraction,
        entry,
        template,
        parameters,
        require,
        launch,
        problems,
        work,
        score,
        verify,
        budget,
        budget_scale,
        cache_warm,
        flags,
        arguments,
        scratch,
        consts: std::mem::take(&mut context.consts),
        is_unsafe: matches!(signature.safety, syn::Safety::Unsafe(_)),
        crate_path,
    })
}

fn template(options: &Options, source: Option<&Source>, context: &mut Context) -> Vec<Name> {
    let Some(tokens) = options.value("template") else {
        return Vec::new();
    };
    if let (
        Some(Source {
            language: Language::C,
            ..
        }),
        Some(span),
    ) = (source, options.span("template"))
    {
        context.errors.report(span, messages::template_in_c());
    }
    space::template(&tokens, context)
}

fn require(options: &Options, context: &mut Context) -> Vec<Expr> {
    let groups = options.groups("require").into_iter();
    let parts: Vec<_> = groups
        .flat_map(|(_, group)| arguments::parts(&group, context))
        .collect();
    parts
        .iter()
        .map(|tokens| context.typed(tokens, &Place::full("`require`"), Type::Bool))
        .collect()
}

fn kernel_launch(options: &Options, owner: Span, context: &mut Context) -> Option<Launch> {
    let launch = options
        .group("launch")
        .map(|(span, group)| (span, launch::launch(span, &group, context)));
    match (context.names.cuda, &launch) {
        (Some(true), None) => {
            options.require("launch", owner, launch::EXAMPLE, &mut context.errors)
        }
        (Some(false), Some((span, _))) => context.errors.report(*span, messages::launch_on_cpu()),
        _ => {}
    }
    launch.map(|(_, launch)| launch)
}

/// Reads the lengths, now that all names are known.
fn finish(drafts: Vec<Draft>, blocks: &[problem::Block], context: &mut Context) -> Vec<Argument> {
    let mut arguments = Vec::new();
    for draft in drafts {
        let selector = problem::is_selector(&draft, blocks);
        let kind = match draft.kind {
            DraftKind::Buffer { element, mutable } => {
                let len = match &draft.len {
                    Some(tokens) => context.typed(tokens, &Place::LEN, Type::Int),
                    None => placeholder(draft.name.span),
                };
                ArgumentKind::Buffer {
                    element,
                    mutable,
                    len,
                    init: draft.init,
                }
            }
            DraftKind::Scalar(element) if selector => ArgumentKind::Selector(element),
            DraftKind::Scalar(element) => ArgumentKind::Scalar(element),
            DraftKind::Stream => ArgumentKind::Stream,
            DraftKind::Text => ArgumentKind::Selector(Element::Str),
            DraftKind::Broken => continue,
        };
        arguments.push(Argument {
            name: draft.name,
            kind,
        });
    }
    arguments
}

fn work(options: &Options, context: &mut Context) -> Work {
    let Some((_, group)) = options.group("work") else {
        return Work::default();
    };
    let options = Options::read(group.stream(), "work", WORK, &mut context.errors);
    let mut value = |name| {
        options
            .value(name)
            .map(|tokens| context.typed(&tokens, &Place::real("`work`"), Type::Number))
    };
    Work {
        flops: value("flops"),
        bytes: value("bytes"),
    }
}

/// The default relative tolerance. Neighbours of bfloat16 are up to 2^-7 of their size apart, those of
/// half precision 2^-10: a right kernel that rounds the other way must pass.
fn tolerance(arguments: &[Argument]) -> f64 {
    let of = |argument: &Argument| match &argument.kind {
        ArgumentKind::Buffer {
            element: Element::Bf16,
            mutable: true,
            ..
        } => 1e-2,
        ArgumentKind::Buffer { element, .. } if element.is_float() => 1e-3,
        _ => 0.0,
    };
    arguments.iter().map(of).fold(0.0, f64::max)
}
