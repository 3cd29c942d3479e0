//! What pieces of our text can be worth, by trying all values of the parameters that they read.

use super::text::Text;
use crate::replay::table::Parameters;
use bico_core::Value;
use bico_syntax::Arithmetic;
use bico_syntax::bind::{Expression, Scope};

/// Whole numbers up to here are exact as `f64`.
pub(super) const EXACT: f64 = 9_007_199_254_740_992.0;

/// Up to this many combinations of values are tried.
const MOST: usize = 100_000;

/// Whether something holds of the values of some texts, whatever the parameters' values; where a text has
/// no value, there is nothing to hold. `false` where there are too many combinations to try.
pub(super) fn always(
    texts: &[&Text],
    parameters: &Parameters,
    holds: &dyn Fn(&[Value]) -> bool,
) -> bool {
    let Some(expressions) = compiled(texts, parameters) else {
        return false;
    };
    let read = |name: &usize| expressions.iter().any(|e| e.depends().contains(name));
    let names: Vec<usize> = (0..parameters.len()).filter(read).collect();
    let counts = names.iter().map(|name| parameters[*name].1.len());
    let combinations = counts.fold(1usize, usize::saturating_mul);
    if combinations > MOST {
        return false;
    }
    let mut values = vec![Value::Bool(false); parameters.len()];
    (0..combinations).all(|combination| {
        let mut rest = combination;
        for name in &names {
            let domain = &parameters[*name].1;
            values[*name] = domain[rest % domain.len()];
            rest /= domain.len();
        }
        let found = expressions
            .iter()
            .map(|expression| expression.eval(&values));
        let found: Result<Vec<Value>, _> = found.collect();
        found.map_or(true, |found| holds(&found))
    })
}

fn compiled(texts: &[&Text], parameters: &Parameters) -> Option<Vec<Expression>> {
    let names: Vec<String> = parameters.iter().map(|(name, _)| name.clone()).collect();
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    let kind = Arithmetic::Integer;
    let compile = |text: &&Text| {
        let expr = bico_syntax::parse_expr(text.text.parse().ok()?, &known, kind).ok()?;
        // No rule of a recording reads the device.
        let facts = bico_device::this_cpu();
        Expression::compile(&expr, kind, &names, &Scope::default(), facts).ok()
    };
    texts.iter().map(compile).collect()
}

/// Whether it is a number that `f64` holds exactly, and not below `least`.
pub(super) fn is_within(value: Value, least: f64) -> bool {
    let number = match value {
        Value::Bool(value) => u8::from(value).into(),
        Value::Int(value) => value as f64,
        Value::Float(value) => value,
        Value::Str(_) => return false,
    };
    (least..=EXACT).contains(&number)
}
