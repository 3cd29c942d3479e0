//! The narrower space as text of the attribute, and how large it is.

use super::Without;
use bico_core::device::Facts;
use bico_core::{Value, bare};
use bico_search::space::Space;
use bico_syntax::bind::{Bound, Domain as Bounded, Scope};
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

/// The expression of a parameter's domain as it stands in the attribute; of one that only a variant has, without what it is elsewhere.
fn written(parameter: &Parameter) -> &Expr {
    let (Domain::In(expr) | Domain::Derived(expr)) = &parameter.domain;
    match &expr.kind {
        ExprKind::If(_, own, _) if parameter.elsewhere.is_some() => own,
        _ => expr,
    }
}

/// The values of a parameter, where they are the same on all devices and for all configs.
fn fixed(parameter: &Parameter, facts: &Facts, scope: &Scope) -> Option<Vec<Value>> {
    let expr = written(parameter);
    let of_device = |of: &Expr| matches!(of.kind, ExprKind::Device(_) | ExprKind::DeviceHas(_));
    if expr.any(&mut { of_device }) || matches!(parameter.domain, Domain::Derived(_)) {
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
    let variants = spec.kernels.iter().filter_map(|of| of.name.as_ref());
    let variants = variants.map(|name| Some(&*name.text));
    let (mut spaces, mut requires) = (String::new(), String::new());
    for group in std::iter::once(None).chain(variants) {
        let Part {
            lines,
            is_changed,
            conditions,
        } = part(spec, facts, scope, without, group);
        // Writing to a string cannot fail.
        if is_changed {
            let lines: String = lines.iter().map(|line| format!("    {line},\n")).collect();
            let _ = match group {
                None => writeln!(spaces, "space(\n{lines}),"),
                Some(of) => writeln!(spaces, "variant({of}, .. space(\n{lines}) ..),"),
            };
        }
        if !conditions.is_empty() {
            let place = group.map_or(String::new(), |of| format!(" of variant `{of}`"));
            let all = conditions.join(", ");
            let _ = writeln!(
                requires,
                "require({all}),  // beside the conditions{place} that are there"
            );
        }
    }
    spaces + &requires
}

/// The parameters of the tunable, or of one variant.
#[derive(Default)]
struct Part {
    lines: Vec<String>,
    is_changed: bool,
    conditions: Vec<String>,
}

fn part(
    spec: &TunableSpec,
    facts: &Facts,
    scope: &Scope,
    without: &[Without],
    group: Option<&str>,
) -> Part {
    let mut part = Part::default();
    for (at, parameter) in spec.parameters.iter().enumerate() {
        let (of, name) = match parameter.name.text.split_once('.') {
            Some((variant, own)) => (Some(variant), own),
            None => (None, parameter.name.text.as_str()),
        };
        if of != group || name == VARIANT {
            continue;
        }
        let gone: Vec<&Without> = without.iter().filter(|of| of.place == at).collect();
        let values = fixed(parameter, facts, scope).filter(|_| !gone.is_empty());
        let line = match (&values, &parameter.domain) {
            (Some(values), _) => {
                part.is_changed = true;
                let stays = |value: &&Value| gone.iter().all(|of| of.value != bare(**value));
                let kept = values.iter().filter(stays);
                let kept: Vec<String> = kept.map(Value::to_string).collect();
                format!("{name} in [{}]", kept.join(", "))
            }
            (None, Domain::In(_)) => format!("{name} in {}", written(parameter)),
            (None, Domain::Derived(_)) => format!("{name} = {}", written(parameter)),
        };
        // Of bico's own space only what changes is said.
        if values.is_some() || spec.contraction.is_none() {
            // Inside of a variant its own parameters bear no prefix.
            part.lines.push(match group {
                Some(variant) => line.replace(&format!("{variant}."), ""),
                None => line,
            });
        }
        if values.is_none() {
            let conditions = gone.iter();
            part.conditions
                .extend(conditions.map(|of| format!("{name} != {}", of.literal)));
        }
    }
    part
}
