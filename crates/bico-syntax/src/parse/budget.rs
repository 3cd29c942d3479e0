//! `budget(..)`, `budget_scale` and `measure(..)`: how a search is run, and what its report tells.

use super::names::{Context, Place};
use super::options::{Known, Options};
use super::types::Type;
use crate::messages;
use crate::spec::{Budget, Scale};

/// The names that `budget(strategy = "..")` may give.
pub const STRATEGIES: [&str; 5] = ["sequential", "random", "guided", "ucb", "adaptive"];

const BUDGET: &[Known] = &[
    Known::once("evaluations", "evaluations = 20"),
    Known::once("seconds", "seconds = 60"),
    Known::once("strategy", "strategy = \"guided\""),
    Known::once("seed", "seed = 1"),
];

const MEASURE: &[Known] = &[Known::once("cache", "cache = warm")];

pub(crate) fn budget(options: &Options, context: &mut Context) -> Budget {
    let mut budget = Budget {
        evaluations: 64,
        seconds: 60.0,
        strategy: None,
        seed: 0,
    };
    let Some((_, group)) = options.group("budget") else {
        return budget;
    };
    let options = Options::read(group.stream(), "budget", BUDGET, &mut context.errors);
    if let Some(tokens) = options.value("evaluations") {
        let value = context.whole(&tokens, 1, i64::from(u32::MAX));
        budget.evaluations = value
            .and_then(|value| u32::try_from(value).ok())
            .unwrap_or(budget.evaluations);
    }
    if let Some(tokens) = options.value("seconds") {
        budget.seconds = context.number(&tokens, true).unwrap_or(budget.seconds);
    }
    if let Some(tokens) = options.value("seed") {
        let value = context.whole(&tokens, 0, i64::MAX);
        budget.seed = value
            .and_then(|value| u64::try_from(value).ok())
            .unwrap_or(budget.seed);
    }
    budget.strategy = options
        .value("strategy")
        .and_then(|tokens| context.string(&tokens));
    if let Some(strategy) = &budget.strategy
        && !STRATEGIES.contains(&&*strategy.text)
    {
        context.report(
            strategy.span,
            messages::strategy(&strategy.text, &STRATEGIES),
        );
    }
    budget
}

/// `budget_scale = EXPR`: a number that differs between configs. The `const`s of the file that nothing
/// before it has named come last in the list: this is to be the last expression that is read.
pub(crate) fn scale(options: &Options, context: &mut Context) -> Option<Scale> {
    let tokens = options.value("budget_scale")?;
    let (mistakes, consts) = (context.errors.len(), context.consts.len());
    let expr = context.typed(&tokens, &Place::real("`budget_scale`"), Type::Number);
    let parameters = &context.names.parameters;
    let is_parameter = |name: &str| parameters.iter().any(|(parameter, _)| parameter == name);
    // What could not be read has been reported.
    if context.errors.len() == mistakes && !expr.names_any(&mut |name| is_parameter(name)) {
        let names: Vec<&str> = parameters.iter().map(|(name, _)| &**name).collect();
        let message = messages::constant_scale(&expr, &names);
        context.report(tokens.whole(), message);
    }
    let own = context.consts[consts..].iter();
    Some(Scale {
        expr,
        consts: own.map(|name| name.text.clone()).collect(),
    })
}

/// Whether `measure(cache = warm)` stands there.
pub(crate) fn measure(options: &Options, context: &mut Context) -> bool {
    let Some((_, group)) = options.group("measure") else {
        return false;
    };
    let options = Options::read(group.stream(), "measure", MEASURE, &mut context.errors);
    let Some(tokens) = options.value("cache") else {
        return false;
    };
    match tokens.word().as_deref() {
        Some("warm") => true,
        Some("cold") => false,
        _ => {
            context.report(tokens.whole(), messages::cache());
            false
        }
    }
}
