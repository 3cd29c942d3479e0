//! `budget(..)` and `measure(..)`: how a search is run.

use super::names::Context;
use super::options::{Known, Options};
use crate::errors::Errors;
use crate::messages;
use crate::spec::Budget;

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
        context.errors.report(
            strategy.span,
            messages::strategy(&strategy.text, &STRATEGIES),
        );
    }
    budget
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
    let word = tokens
        .parse::<syn::Ident>(&mut Errors::new())
        .map(|word| word.to_string());
    match word.as_deref() {
        Some("warm") => true,
        Some("cold") => false,
        _ => {
            context.errors.report(tokens.whole(), messages::cache());
            false
        }
    }
}
