//! `verify(..)`.

use super::launch::launch;
use super::names::Context;
use super::options::{Known, Options};
use crate::messages;
use crate::spec::{Reference, ReferenceKind, Verify};
use proc_macro2::Group;

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
    let file = reference.text.ends_with(".c");
    if file {
        super::source::check_path(&reference, context);
        if let Some((span, _)) = own_launch {
            context.report(span, messages::launch_of_file());
        }
    } else {
        if !super::source::is_entry(&reference.text) {
            context.report(reference.span, messages::reference(&reference.text));
        }
        if let Some(span) = options.span("entry") {
            context.report(span, messages::entry_of_entry());
        }
        if let (Some((span, _)), Some(false)) = (&own_launch, context.names.cuda) {
            context.report(*span, messages::launch_on_cpu());
        }
    }
    let kind = if file {
        let entry = entry.map_or_else(|| function.to_string(), |entry| entry.text);
        ReferenceKind::File {
            path: reference.text,
            entry,
        }
    } else {
        ReferenceKind::Entry(reference.text)
    };
    verify.reference = Some(Reference {
        kind,
        span: reference.span,
        launch: own_launch.map(|(_, launch)| launch),
    });
    verify
}
