//! `launch(..)`, of the kernel and of its reference, and `verify(..)`.

use super::c_function::c_function;
use super::check::Type;
use super::config;
use super::names::{Context, Place};
use super::options::{Known, Options, name};
use super::reader::{inside, is_punct};
use super::source::{check_path, is_entry};
use super::tokens::{Tokens, Value, entry, split};
use crate::Lists;
use crate::errors::Errors;
use crate::expr::{BinaryOp, Expr};
use crate::messages;
use crate::spec::{Argument, ArgumentKind, Launch, Name, Reference, ReferenceKind, Verify};
use crate::tensor::{accelerated, binary};
use crate::tolerance::Tolerance;
use proc_macro2::{Delimiter, Span, TokenTree};

const LAUNCH: [Known; 5] = [
    "grid = (n.div_ceil(TILE_N), m.div_ceil(TILE_M))",
    "block = (BLOCK_X, BLOCK_Y)",
    "cluster = (CLUSTER_X, 1)",
    "shared = 4 * TILE_K * TILE_N",
    "dependent = true",
];

pub(crate) const LAUNCH_EXAMPLE: &str =
    "launch(grid = (n.div_ceil(TILE_N), m.div_ceil(TILE_M)), block = (BLOCK_X, BLOCK_Y))";

/// Reads `launch(..)`, and says where it stands.
pub(crate) fn launch(options: &Options, context: &mut Context) -> Option<(Span, Launch)> {
    let span = options.span("launch")?;
    let options = options.inner("launch", &LAUNCH, context);
    for option in &LAUNCH[..2] {
        options.require(name(option), span, option, &mut context.errors);
    }
    let launch = Launch {
        grid: extents(options.value("grid"), context),
        block: extents(options.value("block"), context),
        cluster: extents(options.value("cluster"), context),
        shared: options.typed("shared", &Place::LAUNCH, Type::Int, context),
        dependent: dependent(&options, context),
    };
    Some((span, launch))
}

/// Whether a launch may begin early, where the GPU has that.
fn dependent(options: &Options, context: &mut Context) -> Option<Expr> {
    let asked = options.typed("dependent", &Place::LAUNCH, Type::Bool, context)?;
    let newer = accelerated(asked.span);
    Some(binary(BinaryOp::And, asked, newer))
}

/// One extent, or up to three in parentheses.
fn extents(tokens: Option<Tokens>, context: &mut Context) -> Vec<Expr> {
    let Some(tokens) = tokens else {
        return Vec::new();
    };
    let whole = tokens.whole();
    let parts = listed(tokens, &mut context.errors);
    if !(1..=3).contains(&parts.len()) {
        context.report(whole, messages::extents(parts.len()));
    }
    context.each(&parts, &Place::LAUNCH, Type::Int)
}

/// One expression, or several in parentheses.
pub(super) fn listed(tokens: Tokens, errors: &mut Errors) -> Vec<Tokens> {
    if let [TokenTree::Group(group)] = tokens.trees.as_slice()
        && group.delimiter() == Delimiter::Parenthesis
    {
        let trees = inside(group);
        // Parentheses around one expression are only parentheses.
        if trees.is_empty() || trees.iter().any(|tree| is_punct(tree, ',')) {
            return split(group.stream(), errors);
        }
    }
    vec![tokens]
}

const VERIFY: &[Known] = &[
    "reference = \"gemm_naive\"",
    "entry = \"gemm_reference\"",
    "rtol = 1e-3",
    "atol = 1e-6",
    "live = true",
    "launch(grid = .., block = ..)",
    "with(BLOCK = 64)",
    "judge(file = \"kernels/judge.c\", entry = \"is_sorted\")",
];

/// Reads `verify(..)`; `function` is the default name of functions in C.
pub(crate) fn verify(
    options: &Options,
    function: &str,
    arguments: &[Argument],
    passes: bool,
    context: &mut Context,
) -> Verify {
    let options = options.inner("verify", VERIFY, context);
    let tolerance = Tolerance {
        rtol: context.number(options.value("rtol"), false),
        atol: context.number(options.value("atol"), false),
    };
    let mut outputs: Vec<(String, Tolerance)> = Vec::new();
    for what in ["rtol", "atol"] {
        for (name, value) in of_outputs(&options, what, arguments, context) {
            let known = outputs.iter().position(|(known, _)| *known == name);
            let at = known.unwrap_or(outputs.len());
            if known.is_none() {
                outputs.push((name, Tolerance::default()));
            }
            let of = &mut outputs[at].1;
            match what {
                "rtol" => of.rtol = Some(value),
                _ => of.atol = Some(value),
            }
        }
    }
    let live = context.truth(options.value("live")) == Some(true);
    if let Some(span) = options.span("live")
        && live
        && context.names.cuda == Some(true)
    {
        context.report(span, messages::live_on_gpu());
    }
    let structures = arguments.iter().find(|of| {
        of.kind.is_output() && of.kind.layout().is_some_and(|of| of.structure.is_some())
    });
    if let (Some(span), true, Some(of)) = (options.span("live"), live, structures) {
        context.report(span, messages::live_structures(&of.name.text));
    }
    for name in ["rtol", "atol", "live"] {
        if let (Some(span), true) = (options.span(name), options.given("judge")) {
            context.report(span, messages::beside_judge(name));
        }
    }
    Verify {
        judge: c_function(&options, "judge", function, context),
        reference: reference(&options, function, passes, context),
        tolerance,
        outputs,
        live,
    }
}

/// What `rtol(y = 1e-3, ..)` says of which outputs.
fn of_outputs(
    options: &Options,
    what: &str,
    arguments: &[Argument],
    context: &mut Context,
) -> Vec<(String, f64)> {
    let is_output =
        |argument: &&Argument| matches!(argument.kind, ArgumentKind::Buffer { mutable: true, .. });
    let outputs = arguments.iter().filter(is_output);
    let outputs: Vec<&str> = outputs
        .map(|output| output.name.text.as_str())
        .collect_vec();
    let mut found: Vec<(String, f64)> = Vec::new();
    for (_, group) in options.groups(what) {
        for part in split(group.stream(), &mut context.errors) {
            let example = format!("{} = 1e-3", outputs.first().unwrap_or(&"y"));
            let Some(entry) = entry(&part, &example, &mut context.errors) else {
                continue;
            };
            let Name { text, span } = entry.name;
            if !outputs.contains(&text.as_str()) {
                context.report(span, messages::no_output(what, &text, &outputs));
                continue;
            }
            if found.iter().any(|(known, _)| *known == text) {
                context.report(span, messages::repeated_option(&text));
                continue;
            }
            match entry.value {
                Value::Assigned(tokens) => {
                    let value = context.number(Some(tokens), false);
                    found.extend(value.map(|value| (text, value)));
                }
                Value::Broken => {}
                _ => {
                    let form = format!("{text} = 1e-3");
                    context.report(span, messages::option_form(&text, false, &form));
                }
            }
        }
    }
    found
}

/// The function that results are compared with, by what its text says; whether the kernel is several `passes`.
fn reference(
    options: &Options,
    function: &str,
    passes: bool,
    context: &mut Context,
) -> Option<Reference> {
    let launch = launch(options, context);
    let with = match options.group("with") {
        Some((_, group)) => config::values(group.stream(), "=", &Place::WITH, context),
        None => Vec::new(),
    };
    let entry = options.string("entry", context);
    if let Some(Name { text, span }) = &entry
        && !is_entry(text)
    {
        context.report(*span, messages::entry_name(text));
    }
    if !options.given("reference") {
        for name in ["entry", "launch", "with"] {
            if let Some(span) = options.span(name) {
                context.report(span, messages::without_reference(name));
            }
        }
    }
    let Name { text, span } = options.string("reference", context)?;
    let launched = launch.as_ref().map(|(span, _)| *span);
    let kind = if text.ends_with(".c") {
        check_path(&text, span, context);
        if let Some(span) = launched {
            context.report(span, messages::launch_of_file());
        }
        if let Some(span) = options.span("with") {
            context.report(span, messages::with_of_file());
        }
        ReferenceKind::File {
            path: text,
            entry: entry.map_or_else(|| function.to_string(), |entry| entry.text),
        }
    } else {
        if !is_entry(&text) {
            context.report(span, messages::reference(&text));
        }
        if let Some(span) = options.span("entry") {
            context.report(span, messages::entry_of_entry());
        }
        if let (Some(span), Some(false)) = (launched, context.names.cuda) {
            context.report(span, messages::launch_on_cpu());
        }
        if passes && !options.given("launch") && context.names.cuda == Some(true) {
            context.report(span, messages::launch_of_passes(&text));
        }
        ReferenceKind::Entry(text)
    };
    Some(Reference {
        kind,
        span,
        launch: launch.map(|(_, launch)| launch),
        with,
    })
}
