//! The narrower space as text of the attribute, and how large it is.

use super::Without;
use bico_bind::{Bound, Domain as Bounded, Scope};
use bico_core::device::Facts;
use bico_core::{Value, bare};
use bico_search::space::Space;
use bico_syntax::{BinaryOp, Domain, Expr, ExprKind, Parameter, TunableSpec, VARIANT};
use std::fmt::Write;

/// How many configs there are, of which a condition more must hold for each of these: a parameter is, or is not, this value.
/// `None` where they cannot be counted.
pub(super) fn count(
    spec: &TunableSpec,
    facts: &Facts,
    scope: &Scope,
    conditions: &[(usize, Value, bool)],
) -> Option<u64> {
    let mut spec = spec.clone();
    for (parameter, value, is) in conditions {
        let name = &spec.parameters[*parameter].name;
        let kind = match value {
            Value::Int(value) => ExprKind::Int(*value),
            Value::Float(value) => ExprKind::Float(*value),
            Value::Bool(value) => ExprKind::Bool(*value),
            Value::Str(text) => ExprKind::Str((*text).to_string()),
        };
        let parts = [ExprKind::Name(name.text.clone()), kind];
        let [name, value] = parts.map(|kind| Box::new(Expr::new(kind, name.span)));
        let op = if *is { BinaryOp::Eq } else { BinaryOp::Ne };
        let span = name.span;
        let condition = Expr::new(ExprKind::Binary(op, name, value), span);
        spec.require.push(condition);
    }
    let bound = Bound::new(&spec, facts, scope).ok()?;
    Some(Space::new(&bound).ok()?.len())
}

/// The domain of a parameter as it stands in the attribute; in that of a variant's own one, what it is there.
fn written(parameter: &Parameter) -> Option<&Expr> {
    match &parameter.domain {
        Domain::Derived(_) => None,
        Domain::In(expr) => match &expr.kind {
            ExprKind::If(_, own, _) if parameter.elsewhere.is_some() => Some(own),
            _ => Some(expr),
        },
    }
}

/// The values of a parameter, where they are the same on all devices and for all configs.
fn fixed(parameter: &Parameter, facts: &Facts, scope: &Scope) -> Option<Vec<Value>> {
    let expr = written(parameter)?;
    let of_device = |of: &Expr| matches!(of.kind, ExprKind::Device(_) | ExprKind::DeviceHas(_));
    if expr.any(&mut { of_device }) {
        return None;
    }
    let alone = Parameter {
        domain: Domain::In(expr.clone()),
        elsewhere: None,
        name: parameter.name.clone(),
    };
    let domain = Bounded::compile(&alone, &[], scope, facts).ok()?;
    domain.fixed().map(<[Value]>::to_vec)
}

/// The text: `space(..)` of the tunable, and of each variant that changes; behind them conditions for what no list can say.
pub(super) fn attribute(
    spec: &TunableSpec,
    facts: &Facts,
    scope: &Scope,
    without: &[Without],
) -> String {
    let (mut text, mut conditions) = (String::new(), Vec::new());
    let mut groups: Vec<Option<&str>> = vec![None];
    groups.extend(
        spec.kernels
            .iter()
            .filter_map(|of| of.name.as_ref())
            .map(|name| Some(&*name.text)),
    );
    for group in groups {
        let (mut lines, mut changed) = (Vec::new(), false);
        for (at, parameter) in spec.parameters.iter().enumerate() {
            let (of, name) = match parameter.name.text.split_once('.') {
                Some((variant, own)) => (Some(variant), own),
                None => (None, parameter.name.text.as_str()),
            };
            if of != group || name == VARIANT {
                continue;
            }
            let goes = |value: &Value| {
                let mut without = without.iter();
                without.any(|of| of.place == at && of.value == bare(*value))
            };
            let has_less = without.iter().any(|of| of.place == at);
            let values = fixed(parameter, facts, scope).filter(|_| has_less);
            let line = match (values, written(parameter), &parameter.domain) {
                (Some(values), ..) => {
                    changed = true;
                    let kept = values.iter().filter(|value| !goes(value));
                    let kept: Vec<String> = kept.map(Value::to_string).collect();
                    Some(format!("{name} in [{}]", kept.join(", ")))
                }
                // Of bico's own space only what changes is said.
                _ if spec.contraction.is_some() => None,
                (None, Some(expr), _) => Some(format!("{name} in {expr}")),
                (None, None, Domain::Derived(expr)) => Some(format!("{name} = {expr}")),
                (None, None, Domain::In(_)) => None,
            };
            if has_less && fixed(parameter, facts, scope).is_none() {
                let values = without.iter().filter(|of| of.place == at);
                conditions.extend(values.map(|of| (group, format!("{name} != {}", of.literal))));
            }
            // Inside of a variant its own parameters bear no prefix.
            let prefix = group.map(|variant| format!("{variant}."));
            lines.extend(line.map(|line| match &prefix {
                Some(prefix) => line.replace(prefix, ""),
                None => line,
            }));
        }
        if changed {
            let (head, end) = group.map_or((String::new(), ""), |of| {
                (format!("variant({of}, .. "), " ..")
            });
            let _ = writeln!(text, "{head}space(");
            for line in lines {
                let _ = writeln!(text, "    {line},");
            }
            let _ = writeln!(text, "){end}{}", if group.is_some() { ")," } else { "," });
        }
    }
    for group in conditions
        .iter()
        .map(|of| of.0)
        .collect::<std::collections::BTreeSet<_>>()
    {
        let own = conditions.iter().filter(|of| of.0 == group);
        let own: Vec<&str> = own.map(|of| of.1.as_str()).collect();
        let place = group.map_or(String::new(), |of| format!(" of variant `{of}`"));
        let _ = writeln!(
            text,
            "require({}),  // beside the conditions{place} that are there",
            own.join(", ")
        );
    }
    text
}
