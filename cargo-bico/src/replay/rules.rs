//! A space by its rules: parameters and restrictions become an attribute, which goes the way that
//! every user's attribute goes.

use super::python;
use super::table::Parameters;
use bico_core::Value;
use bico_search::space::{self, Space};
use bico_syntax::bind::{Bound, Scope};

/// Configs that a recording may have.
const MOST_CONFIGS: u64 = 5_000_000;

/// The space, if it is of a size that somebody recorded.
///
/// # Errors
///
/// Which restriction has no exact counterpart, or what the front door says.
pub(super) fn configs(parameters: &Parameters, restrictions: &[String]) -> Result<Space, String> {
    let text = attribute(parameters, restrictions)?;
    let spec = space::spec(&text)
        .map_err(|error| format!("parameters or restrictions make no attribute: {error}"))?;
    // No rule of a recording reads the device.
    let space = Bound::new(&spec, bico_device::this_cpu(), &Scope::default())
        .and_then(|bound| Space::new(&bound))
        .map_err(|error| format!("the restrictions cannot be evaluated: {error}"))?;
    let len = space.len();
    match len > MOST_CONFIGS {
        true => Err(format!(
            "the restrictions allow {len} configs, more than are recorded of any space"
        )),
        false => Ok(space),
    }
}

/// The attribute's text.
fn attribute(parameters: &Parameters, restrictions: &[String]) -> Result<String, String> {
    let mut text = String::from("space(");
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
