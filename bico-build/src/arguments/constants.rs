//! The `__constant__` variables of a compiled kernel: whether the wrapper fills them, and whether what it
//! gives them fits.

use super::Role;
use crate::compile::Variable;
#[cfg(feature = "tune")]
use crate::compile::{Service, Unit};
use bico_core::Lists;
use bico_syntax::{ArgumentKind, TunableSpec};

/// What fills `__constant__` variables: its name, that of the variable, bytes of an element.
fn fillers(spec: &TunableSpec) -> impl Iterator<Item = (&str, &str, u64)> {
    spec.arguments.iter().filter_map(|argument| {
        let ArgumentKind::Buffer {
            symbol: Some(symbol),
            layout,
            ..
        } = &argument.kind
        else {
            return None;
        };
        Some((&*argument.name.text, &**symbol, layout.size() as u64))
    })
}

/// Compares the variables of compiled code with what the wrapper fills.
///
/// # Errors
///
/// It fills one that is not there, or leaves one full of zeros.
pub(super) fn check(variables: &[Variable], spec: &TunableSpec, role: &Role) -> Result<(), String> {
    let path = role.source(spec);
    let constants = || variables.iter().filter(|variable| variable.constant);
    for (argument, symbol, _) in fillers(spec) {
        if !constants().any(|variable| variable.name == symbol) {
            let there: Vec<String> = constants().map(|of| format!("`{}`", of.name)).collect_vec();
            let there = match there.is_empty() {
                true => "it has none".to_string(),
                false => format!("it has {}", there.join(", ")),
            };
            return Err(format!(
                "`{path}` has no `__constant__` variable `{symbol}`, which `{argument}` is to fill\n  = note: {there}, as the compiled {} names them",
                role.name
            ));
        }
    }
    let is_filled = |name: &str| fillers(spec).any(|(_, symbol, _)| symbol == name);
    match constants().find(|variable| variable.zeros && !is_filled(&variable.name)) {
        Some(Variable { name, .. }) => Err(format!(
            "nothing fills `{name}`, a `__constant__` variable of `{path}`: the {} would read zeros\n  = help: fill it from an argument of the wrapper: `#[constant({name})] #[len(..)] {name}: &[f32]`\n  = help: or give it its contents where it is declared",
            role.name
        )),
        None => Ok(()),
    }
}

/// Whether what a call gives to variables of compiled code fits in there. `lengths` are those of the wrapper's buffers.
///
/// # Errors
///
/// It does not.
#[cfg(feature = "tune")]
pub(crate) fn fit(
    service: &Service,
    unit: &Unit,
    spec: &TunableSpec,
    lengths: &[u64],
) -> Result<(), String> {
    if fillers(spec).next().is_none() {
        return Ok(());
    }
    let Ok(kernel) = service.kernel(unit) else {
        return Ok(());
    };
    let is_buffer = |kind: &ArgumentKind| matches!(kind, ArgumentKind::Buffer { .. });
    let buffers = spec.arguments.iter().filter(|own| is_buffer(&own.kind));
    for (argument, length) in buffers.zip(lengths) {
        let name = argument.name.text.as_str();
        let Some((_, symbol, size)) = fillers(spec).find(|(own, ..)| *own == name) else {
            continue;
        };
        let bytes = length.saturating_mul(size);
        let variable = kernel
            .variables
            .iter()
            .flatten()
            .find(|own| own.name == symbol);
        if let Some(room) = variable.map(|own| own.bytes).filter(|room| *room < bytes) {
            return Err(format!(
                "`{name}` is {bytes} bytes long, its `__constant__` variable `{symbol}` has {room}\n  = help: make the variable larger, or exclude the size by a `require(..)`"
            ));
        }
    }
    Ok(())
}
