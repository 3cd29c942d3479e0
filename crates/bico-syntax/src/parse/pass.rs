//! `pass(entry = .., launch(..), args(..))`: the kernels that a call runs, one after the other.

use super::args;
use super::names::Context;
use super::options::{Known, Options, name};
use super::part::Part;
use super::source;
use super::space;
use super::tunable::kernel_launch;
use crate::Lists;
use crate::messages;
use crate::spec::{Argument, Language, Name, Pass, Scratch};
use proc_macro2::Span;

/// What is said of each kernel.
const PASS: [Known; 4] = [
    "entry = \"partial_sums\"",
    "template = [TILE]",
    "launch(grid = .., block = ..)",
    "args(x, PARTIAL, n)",
];

/// The options of each pass of a part.
pub(crate) fn of(part: &Part, options: &Options, context: &mut Context) -> Vec<(Span, Options)> {
    given(part.of(options), context)
}

/// The same, or those of the part itself, which is one pass.
pub(crate) fn listed<'a>(
    part: &'a Part,
    own: &'a [(Span, Options)],
    options: &'a Options,
) -> Vec<(Span, &'a Options)> {
    match part.of(options).given("pass") {
        true => own.iter().map(|(span, own)| (*span, own)).collect_vec(),
        false => vec![(part.span, part.of(options))],
    }
}

/// The options of each pass: those of `pass(..)`, and where they stand.
fn given(options: &Options, context: &mut Context) -> Vec<(Span, Options)> {
    let mut passes = Vec::new();
    for (span, group) in options.groups("pass") {
        let own = Options::read(group.stream(), "pass", &PASS, &mut context.errors);
        own.require(name(PASS[0]), span, PASS[0], &mut context.errors);
        passes.push((span, own));
    }
    for name in PASS.map(name) {
        if let (Some(span), false) = (options.span(name), passes.is_empty()) {
            context.report(span, messages::beside_pass(name));
        }
    }
    passes
}

/// What is compiled of each; the rest of it needs names that are not known yet.
pub(crate) fn compiled(
    passes: &[(Span, &Options)],
    function: &Name,
    language: Option<Language>,
    context: &mut Context,
) -> Vec<Pass> {
    let passes = passes.iter().map(|(_, own)| Pass {
        entry: source::entry(own, function, context),
        template: space::template(own, language, context),
        launch: None,
        args: None,
    });
    passes.collect_vec()
}

/// How each is launched; a function of the `host` is one.
pub(crate) fn launched(
    passes: &mut [Pass],
    given: &[(Span, &Options)],
    host: bool,
    context: &mut Context,
) {
    if let (true, [_, (span, _), ..]) = (host, given) {
        context.report(*span, messages::of_kernels_only("pass"));
    }
    for (pass, (span, own)) in passes.iter_mut().zip(given) {
        pass.launch = kernel_launch(own, *span, host, context);
    }
}

/// What each gets.
pub(crate) fn passed(
    passes: &mut [Pass],
    given: &[(Span, &Options)],
    arguments: &[Argument],
    scratch: &[(usize, &Scratch)],
    context: &mut Context,
) {
    let mut place = None;
    for (pass, (_, own)) in passes.iter_mut().zip(given) {
        pass.args = args::args(own, arguments, scratch, context);
        place = own.span("args");
    }
    let Some(place) = place else { return };
    for name in args::unpassed(passes, arguments, scratch) {
        let message = match passes.len() {
            1 => messages::not_passed(name),
            _ => messages::passed_to_none(name),
        };
        context.report(place, message);
    }
}
