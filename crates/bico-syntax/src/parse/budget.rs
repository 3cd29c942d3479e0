//! `budget(..)`, `budget_scale` and `measure(..)`: how a search is run, and what its report tells.

use super::check::Type;
use super::names::{Context, Place, find};
use super::options::{Known, Options};
use crate::Lists;
use crate::messages::{self, Message};
use crate::spec::{Budget, Measure, Name, Scale};

/// The names that `budget(strategy = "..")` may give.
pub const STRATEGIES: [&str; 5] = ["sequential", "random", "guided", "ucb", "adaptive"];

const BUDGET: &[Known] = &[
    "evaluations = 20",
    "seconds = 60",
    "strategy = \"guided\"",
    "seed = 1",
];

pub(crate) fn budget(options: &Options, context: &mut Context) -> Budget {
    let options = options.inner("budget", BUDGET, context);
    let evaluations = context.whole(options.value("evaluations"), 1, i64::from(u32::MAX));
    let seconds = context.number(options.value("seconds"), true);
    let seed = context.whole(options.value("seed"), 0, i64::MAX);
    let strategy = options.string("strategy", context);
    if let Some(Name { text, span }) = &strategy
        && !STRATEGIES.contains(&&**text)
    {
        context.report(*span, messages::strategy(text, &STRATEGIES));
    }
    Budget {
        evaluations: evaluations.unwrap_or(64) as u32,
        seconds: seconds.unwrap_or(60.0),
        strategy,
        seed: seed.unwrap_or(0) as u64,
    }
}

/// `budget_scale = EXPR`: a number that differs between configs. The `const`s of the file that nothing
/// before it has named come last in the list: this is to be the last expression that is read.
pub(crate) fn scale(options: &Options, context: &mut Context) -> Option<Scale> {
    let tokens = options.value("budget_scale")?;
    let (mistakes, consts) = (context.errors.len(), context.consts.len());
    let expr = context.typed(&tokens, &Place::real("`budget_scale`"), Type::Number);
    let names = &context.names;
    // What could not be read has been reported.
    if context.errors.len() == mistakes
        && !expr.names_any(&mut |name| find(&names.parameters, name).is_some())
    {
        let message = messages::constant_scale(&expr, &names.parameters());
        context.report(tokens.whole(), message);
    }
    let own = context.consts[consts..].iter();
    Some(Scale {
        expr,
        consts: own.map(|name| name.text.clone()).collect_vec(),
    })
}

/// `measure(cache = warm, clock = sustained)`: how a kernel is timed.
pub(crate) fn measure(options: &Options, context: &mut Context) -> Measure {
    let options = options.inner("measure", &["cache = warm", "clock = sustained"], context);
    let mut is = |name, word: &str, other: &str, message: fn() -> Message| {
        let Some(tokens) = options.value(name) else {
            return false;
        };
        let given = tokens.word().unwrap_or_default();
        if given != word && given != other {
            context.report(tokens.whole(), message());
        }
        given == word
    };
    Measure {
        cache_warm: is("cache", "warm", "cold", messages::cache),
        clock_sustained: is("clock", "sustained", "free", messages::clock),
    }
}
