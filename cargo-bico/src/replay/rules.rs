//! A space by its rules: parameters and restrictions become an attribute, which goes the way that
//! every user's attribute goes.

use super::python;
use bico_bind::{Bound, Scope};
use bico_core::Value;
use bico_search::space::Space;
use bico_syntax::TunableSpec;

/// The wrapper that the attribute stands at. Its names must not be those of parameters.
const ITEM: &str = "pub fn recorded(#[len(recorded_size)] recorded_output: &mut [f32], recorded_size: u32) -> bico::Result<()>;";

/// Configs that a recording may have.
const MOST_CONFIGS: u64 = 5_000_000;

/// The space, if it is of a size that somebody recorded.
///
/// # Errors
///
/// Which restriction has no exact counterpart, or what the front door says.
pub(super) fn configs(
    parameters: &[(String, Vec<Value>)],
    restrictions: &[String],
) -> Result<Space, String> {
    let space = space(parameters, restrictions)?;
    match space.len() > MOST_CONFIGS {
        true => Err(format!(
            "the restrictions allow {} configs, more than are recorded of any space",
            space.len()
        )),
        false => Ok(space),
    }
}

/// The space itself.
pub(super) fn space(
    parameters: &[(String, Vec<Value>)],
    restrictions: &[String],
) -> Result<Space, String> {
    let text = attribute(parameters, restrictions)?;
    let spec = spec(&text)?;
    // No rule of a recording reads the device.
    Bound::new(&spec, bico_device::this_cpu(), &Scope::default())
        .and_then(|bound| Space::new(&bound))
        .map_err(|error| format!("the restrictions cannot be evaluated: {error}"))
}

/// The attribute's text.
pub(super) fn attribute(
    parameters: &[(String, Vec<Value>)],
    restrictions: &[String],
) -> Result<String, String> {
    let mut text = String::from("source = \"recorded.c\", problem(recorded_size = 1), space(");
    for (name, values) in parameters {
        let values: Vec<String> = values.iter().map(Value::to_string).collect();
        text += &format!("{name} in [{}], ", values.join(", "));
    }
    text += "), require(";
    for restriction in restrictions {
        let condition = python::translate(restriction, parameters)
            .map_err(|why| format!("restriction `{restriction}` is not translated: {why}"))?;
        text += &format!("{condition}, ");
    }
    Ok(text + ")")
}

fn spec(attribute: &str) -> Result<TunableSpec, String> {
    let tokens = |text: &str| {
        text.parse()
            .map_err(|error| format!("parameters or restrictions make no attribute: {error}"))
    };
    bico_syntax::parse(tokens(attribute)?, tokens(ITEM)?)
        .map(|wrapper| wrapper.spec)
        .map_err(|errors| {
            let first = errors.to_string();
            let first = first.lines().next().unwrap_or_default();
            format!("parameters or restrictions make no attribute: {first}")
        })
}
