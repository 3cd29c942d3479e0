//! `verify(..)`.

use super::launch::launch;
use super::names::Context;
use super::options::{Known, Options};
use super::source::{check_path, is_entry};
use crate::messages;
use crate::spec::{Name, Reference, ReferenceKind, Verify};

const OPTIONS: &[Known] = &[
    "reference = \"gemm_naive\"",
    "entry = \"gemm_reference\"",
    "rtol = 1e-3",
    "atol = 1e-6",
    "live = true",
    "launch(grid = .., block = ..)",
];

/// Reads `verify(..)`; `function` is the default name of a C reference, `rtol` the default tolerance.
pub(crate) fn verify(
    options: &Options,
    function: &str,
    rtol: f64,
    context: &mut Context,
) -> Verify {
    let options = options.inner("verify", OPTIONS, context);
    let own = options.number("rtol", false, context);
    let atol = options.number("atol", false, context);
    let live = options.value("live");
    let live = live.and_then(|tokens| context.truth(&tokens)) == Some(true);
    if let Some(span) = options.span("live")
        && live
        && context.names.cuda == Some(true)
    {
        context.report(span, messages::live_on_gpu());
    }
    Verify {
        reference: reference(&options, function, context),
        rtol: own.unwrap_or(rtol),
        atol,
        live,
    }
}

/// The function that results are compared with, by what its text says.
fn reference(options: &Options, function: &str, context: &mut Context) -> Option<Reference> {
    let launch = launch(options, context);
    let entry = options.string("entry", context);
    if let Some(Name { text, span }) = &entry
        && !is_entry(text)
    {
        context.report(*span, messages::entry_name(text));
    }
    if !options.given("reference") {
        for name in ["entry", "launch"] {
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
        ReferenceKind::Entry(text)
    };
    Some(Reference {
        kind,
        span,
        launch: launch.map(|(_, launch)| launch),
    })
}
