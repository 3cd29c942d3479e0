//! `verify(..)`.

use super::launch::launch;
use super::names::Context;
use super::options::{Known, Options};
use crate::messages;
use crate::spec::{Launch, Name, Reference, ReferenceKind, Verify};
use proc_macro2::{Group, Span};

const OPTIONS: &[Known] = &[
    Known::once("reference", "reference = \"gemm_naive\""),
    Known::once("entry", "entry = \"gemm_reference\""),
    Known::once("rtol", "rtol = 1e-3"),
    Known::once("atol", "atol = 1e-6"),
    Known::once("live", "live = true"),
    Known::once("launch", "launch(grid = .., block = ..)"),
];

/// Reads `verify(..)`; `function` is the default name of a C reference, `rtol` the default tolerance.
pub(crate) fn verify(
    group: Option<&Group>,
    function: &str,
    rtol: f64,
    context: &mut Context,
) -> Verify {
    let mut verify = Verify {
        reference: None,
        rtol,
        atol: None,
        live: false,
    };
    let Some(group) = group else { return verify };
    let options = Options::read(group.stream(), "verify", OPTIONS, &mut context.errors);
    if let Some(tokens) = options.value("rtol") {
        verify.rtol = context.number(&tokens, false).unwrap_or(rtol);
    }
    verify.atol = options
        .value("atol")
        .and_then(|tokens| context.number(&tokens, false));
    if let Some(tokens) = options.value("live") {
        verify.live = context.truth(&tokens).unwrap_or_default();
        if let (true, Some(true), Some(span)) =
            (verify.live, context.names.cuda, options.span("live"))
        {
            context.report(span, messages::live_on_gpu());
        }
    }
    let own_launch = options
        .group("launch")
        .map(|(span, group)| (span, launch(span, &group, context)));
    let entry = options
        .value("entry")
        .and_then(|tokens| context.string(&tokens));
    if let Some(entry) = &entry
        && !super::source::is_entry(&entry.text)
    {
        context.report(entry.span, messages::entry_name(&entry.text));
    }
    let Some(tokens) = options.value("reference") else {
        for name in ["entry", "launch"] {
            if let Some(span) = options.span(name)
                && !options.given("reference")
            {
                context.report(span, messages::without_reference(name));
            }
        }
        return verify;
    };
    let Some(reference) = context.string(&tokens) else {
        return verify;
    };
    verify.reference = Some(referred(
        reference, entry, own_launch, &options, function, context,
    ));
    verify
}

/// The function that results are compared with, by what its text says.
fn referred(
    reference: Name,
    entry: Option<Name>,
    launch: Option<(Span, Launch)>,
    options: &Options,
    function: &str,
    context: &mut Context,
) -> Reference {
    let launched = launch.as_ref().map(|(span, _)| *span);
    let kind = if reference.text.ends_with(".c") {
        super::source::check_path(&reference, context);
        if let Some(span) = launched {
            context.report(span, messages::launch_of_file());
        }
        ReferenceKind::File {
            path: reference.text,
            entry: entry.map_or_else(|| function.to_string(), |entry| entry.text),
        }
    } else {
        if !super::source::is_entry(&reference.text) {
            context.report(reference.span, messages::reference(&reference.text));
        }
        if let Some(span) = options.span("entry") {
            context.report(span, messages::entry_of_entry());
        }
        if let (Some(span), Some(false)) = (launched, context.names.cuda) {
            context.report(span, messages::launch_on_cpu());
        }
        ReferenceKind::Entry(reference.text)
    };
    Reference {
        kind,
        span: reference.span,
        launch: launch.map(|(_, launch)| launch),
    }
}
