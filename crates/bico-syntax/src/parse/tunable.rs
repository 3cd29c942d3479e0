//! All options together.
//!
//! The order matters: the source says CPU or GPU, which the arguments need; arguments and
//! problems declare the names that parameters may not take; parameters come before all that
//! computes with them.

use super::arguments::{self, Draft};
use super::c_function::c_function;
use super::check::Type;
use super::function::Function;
use super::names::{Context, Names, Place};
use super::options::{self, Known, Options};
use super::part::Part;
use super::rust_function;
use super::tokens::{Tokens, split};
use super::{
    attributes, budget, config, contraction, drive, init, pass, problem, source, variant, verify,
};
use crate::Lists;
use crate::expr::Expr;
use crate::messages;
use crate::spec::*;
use proc_macro2::Span;

/// The options of the attribute.
pub(crate) const OPTIONS: &[Known] = &[
    "source = \"kernels/gemm.c\"",
    "entry = \"gemm_kernel\"",
    "template = [TILE_M, TILE_N]",
    "space(TILE in [4, 8, 16])",
    "require(TILE_M * TILE_N <= 1024)",
    "launch(grid = .., block = ..)",
    "problem(m = 1024, n = 1024)",
    "work(flops = 2 * m * n * k)",
    "score = TILE_M * TILE_N",
    "verify(reference = \"gemm_naive\", rtol = 1e-3)",
    "budget(evaluations = 20, seconds = 60)",
    "budget_scale = 4 * TILE_K * (TILE_M + TILE_N)",
    "measure(cache = warm)",
    config::DEFAULT,
    source::LIKE,
    "flags = [\"-O3\"]",
    source::INCLUDE,
    source::LINK,
    "threads = device.cores",
    source::COMPILER,
    source::ARCH,
    rust_function::SHIP,
    "scratch(PARTIAL: f32, len = m * n)",
    "args(x, y, n, PARTIAL)",
    "inputs(file = \"kernels/fill.c\", entry = \"fill\")",
    drive::DRIVE,
    "pass(entry = \"partial_sums\", launch(..), args(x, PARTIAL, n))",
    "name = \"gemm_f32\"",
    "family(T in [f32 = \"float\", f64 = \"double\"])",
    variant::EXAMPLE,
    "crate = ::bico",
    "einsum = \"mk, kn -> mn\"",
];

const WORK: &[Known] = &["flops = 2 * m * n * k", "bytes = 4 * m * n"];

/// The spec; `None` only beside a mistake.
pub(crate) fn tunable(
    options: &mut Options,
    item: &Function,
    context: &mut Context,
) -> Option<TunableSpec> {
    let function = Name::new(&item.name, item.name.span());
    let einsum = options.given("einsum");
    let written = contraction::einsum(options, context);
    let mut parts = variant::parts(options, function.span, context);
    let rust = rust_function::read(item, options, context);
    let own = own_source(written.as_ref(), rust.is_some(), &function, item);
    let sources = match own.is_some() || einsum {
        true => vec![own],
        false => variant::sources(&mut parts, options, context),
    };
    let mut sure = sources.iter().flatten();
    let cuda = sure.next().map(|source| source.language.is_cuda());
    context.names.cuda = cuda;
    required(options, einsum, function.span, context);
    let mut drafts = arguments::drafts(item, cuda, !einsum, context);
    let blocks = problem::blocks(options.groups("problem"), context);
    rust_function::without(rust.as_ref(), options, &blocks, context);
    let contraction = written.and_then(|written| {
        contraction::contraction(written, &function, &mut drafts, &blocks, options, context)
    });
    if einsum && contraction.is_none() {
        // Without the kernel's space and sizes all else would be guesses.
        return None;
    }
    declare(&mut drafts, &blocks, context);
    let options = &*options;
    let space = variant::entries(&mut parts, options, context);
    let problems = problem::problems(&blocks, &drafts, context);
    let parameters = variant::parameters(&mut parts, &space, context);
    rust_function::check(rust.as_ref(), &function, &parameters, options, context);

    let all = calls(&parts, &sources, options, &function, drafts, context);
    let (passes, mut require, arguments, scratch) = all;
    let several = passes[0].len() > 1;
    let sources = sources.into_iter().zip(passes);
    let kernels = kernels(&parts, sources, options, &mut require, context);
    let mut spec = TunableSpec {
        drive: None,
        scratch,
        inputs: c_function(options, "inputs", &function.text, context),
        // A reference in a source is in that of the first.
        verify: parts[0].verify(context, |context| {
            verify::verify(options, &function.text, &arguments, several, context)
        }),
        score: variant::score(&parts, options, context),
        flags: source::flags(&options.values("flags"), context),
        link: source::link(options, true, context),
        threads: threads(options, context),
        nvcc: source::nvcc(options, context),
        work: work(options, context),
        budget: budget::budget(options, context),
        budget_scale: budget::scale(options, context),
        measure: budget::measure(options, context),
        default: config::default(options, &parameters, &parts, context),
        like: source::like(options, &function, context),
        key: source::key(options, &function, context),
        crate_path: source::crate_path(options, context),
        function,
        kernels,
        contraction,
        rust,
        parameters: variant::joined(parameters, &parts),
        require,
        problems,
        arguments,
        consts: std::mem::take(&mut context.consts),
        is_unsafe: item.is_unsafe(),
    };
    if spec.kernels.is_empty() {
        return None;
    }
    rust_function::check_reference(&spec, context);
    drive::drive(&mut spec, options, context);
    Some(spec)
}

/// What configs are ranked by, as a tunable or one of its variants says it.
pub(crate) fn score(options: &Options, context: &mut Context) -> Option<Expr> {
    options.typed("score", &Place::real("`score`"), Type::Number, context)
}

/// Those whose source is known.
fn kernels(
    parts: &[Part],
    sources: impl Iterator<Item = (Option<Source>, Vec<Pass>)>,
    options: &Options,
    require: &mut Vec<Expr>,
    context: &mut Context,
) -> Vec<Kernel> {
    let kernels = parts.iter().zip(sources);
    kernels
        .filter_map(|(part, (source, passes))| {
            let mut kernel = part.kernel(source?, passes, require, context);
            kernel.exact = source::exact(part.of(options), kernel.host, context);
            Some(kernel)
        })
        .collect_vec()
}

/// The source that bico writes itself; `None` where that of an einsum cannot be told.
fn own_source(
    written: Option<&contraction::Written>,
    is_rust: bool,
    function: &Name,
    item: &Function,
) -> Option<Source> {
    match written {
        Some(written) => Some(contraction::source(written, arguments::on_gpu(item))),
        None => is_rust.then(|| rust_function::source(function)),
    }
}

/// What is called, what configs must meet, and what is passed: the passes of each kernel, conditions, arguments and
/// scratch buffers.
type Calls = (Vec<Vec<Pass>>, Vec<Expr>, Vec<Argument>, Vec<Scratch>);

/// In the order in which mistakes are told, and `const`s of the file met.
fn calls(
    parts: &[Part],
    sources: &[Option<Source>],
    options: &Options,
    function: &Name,
    drafts: Vec<Draft>,
    context: &mut Context,
) -> Calls {
    let given = parts.iter().map(|part| pass::of(part, options, context));
    let given: Vec<Vec<(Span, Options)>> = given.collect_vec();
    let mut passes = Vec::new();
    for ((part, own), source) in parts.iter().zip(&given).zip(sources) {
        let given = pass::listed(part, own, options);
        let language = source.as_ref().map(|source| source.language);
        let of = |context: &mut Context| pass::compiled(&given, function, language, context);
        passes.push(part.within(context, of));
    }
    let require = require(options, context);
    for (at, passes) in passes.iter_mut().enumerate() {
        let part = &parts[at];
        let given = pass::listed(part, &given[at], options);
        let own = sources[at].as_ref();
        let host = own.is_some_and(|own| source::is_host(own, context));
        part.within(context, |context| {
            pass::launched(passes, &given, host, context);
        });
    }
    let arguments = finish(drafts, context);
    let scratch = variant::scratch(parts, options, &arguments, context);
    for (at, passes) in passes.iter_mut().enumerate() {
        let given = pass::listed(&parts[at], &given[at], options);
        let scratch = scratch.iter().enumerate();
        let scratch = scratch.filter(|(_, of)| of.is_of(at)).collect_vec();
        parts[at].within(context, |context| {
            pass::passed(passes, &given, &arguments, &scratch, context);
        });
    }
    (passes, require, arguments, scratch)
}

/// Reports options that must be there and are not.
fn required(options: &Options, einsum: bool, owner: Span, context: &mut Context) {
    for name in ["space", "problem"] {
        // An einsum brings a space, and variants are one.
        if name == "space" && (einsum || options.given("variant")) {
            continue;
        }
        let example = options::find(OPTIONS, name).unwrap_or_default();
        options.require(name, owner, example, &mut context.errors);
    }
}

/// Makes the arguments known, now that problems tell which of them select.
fn declare(drafts: &mut [Draft], blocks: &[problem::Block], context: &mut Context) {
    let Names {
        sizes,
        values,
        others,
        ..
    } = &mut context.names;
    for draft in drafts {
        let name = draft.name.text.clone();
        if problem::is_selector(draft, blocks) {
            draft.kind = problem::selecting(draft).map(ArgumentKind::Selector);
            // Where both have one name, the `const` is what it means.
            if !problem::constants(blocks)
                .iter()
                .any(|own| own.text == name)
            {
                others.push((name, "the argument that selects a problem"));
            }
            continue;
        }
        match draft.kind {
            Some(ArgumentKind::Scalar(element)) => sizes.push((name, Type::from(element))),
            Some(ArgumentKind::Value { element, .. }) => values.push((name, Type::from(element))),
            None => sizes.push((name, Type::Unknown)),
            Some(ArgumentKind::Buffer { .. }) => others.push((name, "a buffer")),
            Some(ArgumentKind::Structure(_)) => others.push((name, "a structure")),
            Some(ArgumentKind::Stream) => others.push((name, "the stream")),
            Some(ArgumentKind::Selector(_)) => others.push((name, "a string")),
        }
    }
}

pub(super) fn require(options: &Options, context: &mut Context) -> Vec<Expr> {
    let groups = options.groups("require").into_iter();
    let parts = groups.flat_map(|(_, group)| split(group.stream(), &mut context.errors));
    let parts: Vec<Tokens> = parts.collect_vec();
    context.each(&parts, &Place::full("`require`"), Type::Bool)
}

/// How a kernel is launched, or a function of the host called; `owner` is what must say it.
pub(crate) fn kernel_launch(
    options: &Options,
    owner: Span,
    host: bool,
    context: &mut Context,
) -> Option<Launch> {
    let launch = verify::launch(options, context);
    if host {
        if let Some((span, _)) = launch {
            context.report(span, messages::of_kernels_only("launch"));
        }
        return Some(Launch::once(owner));
    }
    match (context.names.cuda, &launch) {
        (Some(true), None) => {
            options.require("launch", owner, verify::LAUNCH_EXAMPLE, &mut context.errors)
        }
        (Some(false), Some((span, _))) => context.report(*span, messages::launch_on_cpu()),
        _ => {}
    }
    launch.map(|(_, launch)| launch)
}

/// A GPU's threads are its launch's.
fn threads(options: &Options, context: &mut Context) -> Option<Expr> {
    source::on_cpu("threads", options, context);
    options.typed("threads", &Place::THREADS, Type::Int, context)
}

/// Reads lengths, fillings and ranges, now that all names are known.
fn finish(drafts: Vec<Draft>, context: &mut Context) -> Vec<Argument> {
    let arguments = drafts.into_iter().filter_map(|draft| {
        let mut kind = draft.kind?;
        if let (ArgumentKind::Buffer { len, mutable, .. }, Some(tokens)) = (&mut kind, &draft.len) {
            let place = match mutable {
                true => Place::OUTPUT_LEN,
                false => Place::LEN,
            };
            *len = context.typed(tokens, &place, Type::Int);
        }
        if let (ArgumentKind::Buffer { layout, init, .. }, Some(tokens)) = (&mut kind, &draft.init)
        {
            *init = init::init(tokens, layout, context);
        }
        if let (ArgumentKind::Value { element, range }, Some(tokens)) = (&mut kind, &draft.len) {
            *range = Some(attributes::value_range(tokens, *element, context));
        }
        let name = draft.name;
        Some(Argument { name, kind })
    });
    arguments.collect_vec()
}

fn work(options: &Options, context: &mut Context) -> Work {
    let options = options.inner("work", WORK, context);
    let mut value = |name| options.typed(name, &Place::real("`work`"), Type::Number, context);
    Work {
        flops: value("flops"),
        bytes: value("bytes"),
    }
}
