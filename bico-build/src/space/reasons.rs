//! Why a config does not belong to a space, and why a space has none.

use super::Space;
use super::build::Condition;
use bico_core::Value;

/// How many values of a domain a message lists.
const LISTED: usize = 12;

impl Space {
    /// Why these values are not a config of this space; `None` if they are one.
    pub fn why_not(&self, values: &[Value]) -> Option<String> {
        if values.len() != self.names.len() {
            return Some(format!(
                "it has {} values, but the space has {} parameters",
                values.len(),
                self.names.len()
            ));
        }
        for condition in self
            .conditions
            .iter()
            .filter(|condition| condition.test.depends().is_empty())
        {
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
        let missing = self.listed && self.index_of(values).is_none();
        missing.then(|| "it is not among the configs that were listed".into())
    }

    /// Why the space has no config, for people; `None` if it has one.
    pub fn why_empty(&self) -> Option<String> {
        if self.len > 0 {
            return None;
        }
        let most = self
            .conditions
            .iter()
            .filter(|c| c.rejected > 0)
            .max_by_key(|c| c.rejected);
        Some(match most {
            Some(condition) => {
                format!(
                    "no config meets every `require`; `{}` turned most of them away",
                    condition.test.text()
                )
            }
            None => match self.without_values() {
                Some(name) => format!("`{name}` has no values"),
                None => "a parameter has no values".into(),
            },
        })
    }

    /// The first parameter whose domain is empty, after the first values of those before it.
    fn without_values(&self) -> Option<&str> {
        let (mut before, mut values) = (Vec::new(), Vec::new());
        for (domain, name) in self.domains.iter().zip(&self.names) {
            domain.values(&before, &mut values).ok()?;
            match values.first() {
                Some(value) => before.push(*value),
                None => return Some(name),
            }
        }
        None
    }
}

fn broken(condition: &Condition, values: &[Value]) -> Option<String> {
    match condition.test.test(values) {
        Ok(true) => None,
        Ok(false) => Some(condition.test.error("it is not met", values).message),
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
