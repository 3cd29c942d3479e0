//! One assignment of values to parameters.

use crate::Value;
use core::fmt;

/// A value for each parameter of a tunable, as this binary carries it.
///
/// Configs come from a tunable ([`Tunable::candidates`](crate::Tunable::candidates),
/// [`Choice::config`](crate::Choice)) and go back into its `.._with` function. Two are equal when
/// they give the same values to the same names.
#[derive(Clone, Copy, PartialEq)]
pub struct Config {
    names: &'static [&'static str],
    values: &'static [Value],
}

impl Config {
    pub(crate) const fn new(names: &'static [&'static str], values: &'static [Value]) -> Config {
        Config { names, values }
    }

    /// The value of the parameter of this name.
    pub fn get(&self, name: &str) -> Option<Value> {
        self.iter()
            .find(|(n, _)| *n == name)
            .map(|(_, value)| value)
    }

    /// Names and values, in the order of the space.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, Value)> + use<> {
        self.names.iter().copied().zip(self.values.iter().copied())
    }
}

/// `MR=8, NR=48`
impl fmt::Display for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (name, value)) in self.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            match value {
                // Without quotes: this is for reading.
                Value::Str(text) => write!(f, "{comma}{name}={text}")?,
                other => write!(f, "{comma}{name}={other}")?,
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Config({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_compares() {
        let config = Config::new(&["MR", "ISA"], &[Value::Int(8), Value::Str("x86-64-v3")]);
        assert_eq!(config.get("MR"), Some(Value::Int(8)));
        assert_eq!(config.get("NR"), None);
        assert_eq!(config.to_string(), "MR=8, ISA=x86-64-v3");
        assert_ne!(
            config,
            Config::new(&["MR", "ISA"], &[Value::Int(9), Value::Str("x86-64-v3")])
        );
        assert_ne!(
            config,
            Config::new(&["NR", "ISA"], &[Value::Int(8), Value::Str("x86-64-v3")])
        );
    }
}
