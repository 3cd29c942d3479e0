//! Why a config does not belong to a space, and why a space has none.

use super::Space;
use super::tally::rejected;
use bico_core::Value;

impl Space {
    /// Why these values are not a config of this space; `None` if they are one.
    pub fn why_not(&self, values: &[Value]) -> Option<String> {
        self.rules.why_not(values)
    }

    /// Why the space has no config, for people; `None` if it has one.
    pub fn why_empty(&self) -> Option<String> {
        if self.len > 0 {
            return None;
        }
        let conditions = self.rules.conditions.iter().zip(rejected(&self.rules));
        let most = conditions
            .filter(|(_, rejected)| *rejected > 0)
            .max_by_key(|(_, rejected)| *rejected);
        Some(match (most, self.without_values()) {
            (Some((condition, _)), _) => {
                format!(
                    "no config meets every `require`; `{}` turned most of them away",
                    condition.text()
                )
            }
            (None, Some(name)) => format!("`{name}` has no values"),
            (None, None) => "a parameter has no values".into(),
        })
    }

    /// The first parameter whose domain is empty, after the first values of those before it.
    fn without_values(&self) -> Option<&str> {
        let (mut before, mut values) = (Vec::new(), Vec::new());
        for (domain, name) in self.rules.domains.iter().zip(&self.rules.names) {
            domain.values(&before, &mut values).ok()?;
            match values.first() {
                Some(value) => before.push(*value),
                None => return Some(name),
            }
        }
        None
    }
}
