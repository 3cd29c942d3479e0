//! The rules of a space: its parameters' domains and the conditions, without the configs that follow from them.

use crate::domain::Domain;
use crate::{Expression, Scope, SpaceError};
use bico_core::Value;
use bico_core::device::Facts;
use bico_syntax::{Arithmetic, TunableSpec};

/// How many values of a domain a message lists.
const LISTED: usize = 12;

/// Says of single configs whether they belong to a space, without enumerating it: a lock is checked
/// at every build.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    /// The parameters, in declaration order.
    pub names: Vec<String>,
    /// The domain of each.
    pub domains: Vec<Domain>,
    /// What `require` says, in its order.
    pub conditions: Vec<Expression>,
    /// Which conditions become known at each depth.
    pub tests: Vec<Vec<usize>>,
}

impl Rules {
    /// Compiles domains and conditions.
    ///
    /// # Errors
    ///
    /// A name or device field that nobody knows.
    pub fn new(spec: &TunableSpec, facts: &Facts, scope: &Scope) -> Result<Rules, SpaceError> {
        let names: Vec<String> = spec
            .parameters
            .iter()
            .map(|parameter| parameter.name.text.clone())
            .collect();
        let mut domains = Vec::with_capacity(names.len());
        for (depth, parameter) in spec.parameters.iter().enumerate() {
            domains.push(Domain::compile(parameter, &names[..depth], scope, facts)?);
        }
        let require = spec.require.iter();
        let conditions = require
            .map(|test| Expression::compile(test, Arithmetic::Integer, &names, scope, facts))
            .collect::<Result<_, _>>()?;
        let mut rules = Rules {
            tests: vec![Vec::new(); names.len()],
            conditions: Vec::new(),
            names,
            domains,
        };
        rules.add(conditions);
        Ok(rules)
    }

    /// Adds conditions.
    pub(crate) fn add(&mut self, conditions: Vec<Expression>) {
        for condition in conditions {
            if let Some(depth) = condition.depends().last() {
                self.tests[*depth].push(self.conditions.len());
            }
            self.conditions.push(condition);
        }
    }

    /// Whether the conditions hold for a config, whose values may lie outside of the domains.
    ///
    /// # Errors
    ///
    /// A condition that cannot be evaluated.
    pub fn allow(&self, values: &[Value]) -> Result<bool, SpaceError> {
        for condition in &self.conditions {
            if !condition.test(values)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Why these values are not a config of the space; `None` if they are one.
    pub fn why_not(&self, values: &[Value]) -> Option<String> {
        if values.len() != self.names.len() {
            return Some(format!(
                "it has {} values, but the space has {} parameters",
                values.len(),
                self.names.len()
            ));
        }
        let constant = |condition: &&Expression| condition.depends().is_empty();
        for condition in self.conditions.iter().filter(constant) {
            if let Some(reason) = broken(condition, &[]) {
                return Some(reason);
            }
        }
        let mut domain = Vec::new();
        for depth in 0..values.len() {
            let (name, value) = (&self.names[depth], values[depth]);
            if let Err(error) = self.domains[depth].values(&values[..depth], &mut domain) {
                return Some(error.message);
            }
            if !domain.contains(&value) {
                return Some(if self.domains[depth].is_derived() {
                    format!(
                        "{name} is {value}, but follows as {} from the others",
                        list(&domain)
                    )
                } else {
                    format!("{name} is {value}, which is not among {}", list(&domain))
                });
            }
            for test in &self.tests[depth] {
                if let Some(reason) = broken(&self.conditions[*test], &values[..=depth]) {
                    return Some(reason);
                }
            }
        }
        None
    }
}

fn broken(condition: &Expression, values: &[Value]) -> Option<String> {
    match condition.test(values) {
        Ok(true) => None,
        Ok(false) => Some(condition.error("it is not met", values).message),
        Err(error) => Some(error.message),
    }
}

/// `[1, 2, 4, ..]`; a single value without brackets.
fn list(values: &[Value]) -> String {
    if let [value] = values {
        return value.to_string();
    }
    let mut shown: Vec<String> = values.iter().take(LISTED).map(Value::to_string).collect();
    if values.len() > LISTED {
        shown.push(format!(".. ({} values)", values.len()));
    }
    format!("[{}]", shown.join(", "))
}
