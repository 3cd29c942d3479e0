//! Sizes that somebody asks for by name.

use bico_core::Value;

/// `m=64,n=64`: values of scalar arguments.
#[derive(Debug, Clone)]
pub(crate) struct Sizes(Vec<(String, String)>);

impl Sizes {
    /// Reads what a command is given.
    ///
    /// # Errors
    ///
    /// A part is not a name, `=` and a value, or a name stands there twice.
    pub(crate) fn read(text: &str) -> Result<Sizes, String> {
        let mut sizes: Vec<(String, String)> = Vec::new();
        for part in text.split(',') {
            let (name, value) = part
                .split_once('=')
                .map(|(name, value)| (name.trim(), value.trim()))
                .filter(|(name, value)| !name.is_empty() && !value.is_empty())
                .ok_or_else(|| format!("`{part}` is not a size: write `m=64,n=64`"))?;
            if sizes.iter().any(|(known, _)| known == name) {
                return Err(format!("`{name}` is there twice"));
            }
            sizes.push((name.to_string(), value.to_string()));
        }
        Ok(Sizes(sizes))
    }

    /// Names with their values, as they were given.
    pub(crate) fn pairs(&self) -> &[(String, String)] {
        &self.0
    }

    /// Whether a tunable with these scalar arguments has all of them.
    pub(crate) fn fit(&self, names: &[&str]) -> bool {
        let mut own = self.0.iter();
        own.all(|(name, _)| names.contains(&name.as_str()))
    }

    /// The scalars of a problem with these in their places.
    ///
    /// # Errors
    ///
    /// A value is none of the argument's type.
    pub(crate) fn put(&self, names: &[&str], problem: &[Value]) -> Result<Vec<Value>, String> {
        let given = |name: &str| self.0.iter().find(|(known, _)| known == name);
        let value = |(name, own): (&&str, &Value)| {
            let Some((_, text)) = given(name) else {
                return Ok(*own);
            };
            let plain = text.replace('_', "");
            let read = match own {
                Value::Int(_) => plain.parse().ok().map(Value::Int),
                Value::Float(_) => plain.parse().ok().map(Value::Float),
                Value::Bool(_) => plain.parse().ok().map(Value::Bool),
                Value::Str(_) => None,
            };
            read.ok_or_else(|| format!("error: `{name}={text}`: `{name}` takes values like {own}"))
        };
        names.iter().zip(problem).map(value).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Value::{Bool, Float, Int};

    #[test]
    fn names_and_values() {
        let sizes = Sizes::read("m=64, n = 1_000,flip=true").unwrap();
        let names = ["n", "flip", "a", "m"];
        assert!(sizes.fit(&names));
        assert!(!sizes.fit(&["m", "n"]));
        let problem = [Int(1), Bool(false), Float(0.5), Int(2)];
        assert_eq!(
            sizes.put(&names, &problem).unwrap(),
            [Int(1000), Bool(true), Float(0.5), Int(64)]
        );
        let wrong = Sizes::read("m=x").unwrap();
        let said = wrong.put(&["m"], &[Int(2)]).unwrap_err();
        assert_eq!(said, "error: `m=x`: `m` takes values like 2");
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "m", "m=", "=3", "m=1,,n=2", "m=1,m=2"] {
            assert!(Sizes::read(text).is_err(), "{text}");
        }
    }
}
