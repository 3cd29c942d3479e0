//! One assignment of values to parameters.

use crate::Value;
use bico_core::{Lists, bare, own, written};
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

    /// Names and values, in the order of the space. Parameters of other variants are left out.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, Value)> + use<> {
        own(self.names, self.values)
    }

    /// Names and values as a kernel's compiler gets them in `-DNAME=value`, for who compiles code of his own: a boolean
    /// is 0 or 1, a string has no quotes. Parameters that are template arguments are among them.
    ///
    /// ```no_run
    /// # fn gemm_tunable() -> &'static bico::Tunable { unimplemented!() }
    /// # fn main() -> bico::Result<()> {
    /// let winner = bico::config_of(gemm_tunable(), &[1024, 1024, 1024])?.config;
    /// let defines = winner.defines().map(|(name, value)| format!("-D{name}={value}"));
    /// let options: Vec<String> = defines.collect();
    /// # Ok(())
    /// # }
    /// ```
    pub fn defines(&self) -> impl Iterator<Item = (&'static str, String)> + use<> {
        self.iter().map(|(name, value)| (name, written(value)))
    }
}

/// `MR=8, NR=48`
impl fmt::Display for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&items(self.iter()).join(", "))
    }
}

/// `MR=8` for each name and value. Without quotes: this is for reading.
pub(crate) fn items(pairs: impl Iterator<Item = (&'static str, Value)>) -> Vec<String> {
    let item = |(name, value)| format!("{name}={}", bare(value));
    pairs.map(item).collect_vec()
}

/// What configs have in common, and what each has for itself, as `MR=8`. A single one has nothing in common with any.
pub(crate) fn apart(configs: &[Config]) -> (Vec<String>, Vec<Vec<String>>) {
    let is_shared = |name: &str| {
        let mut values = configs.iter().map(|config| config.get(name));
        let first = values.next();
        configs.len() > 1 && values.all(|value| Some(value) == first)
    };
    let some = |config: &Config, shared: bool| {
        items(config.iter().filter(|(name, _)| is_shared(name) == shared))
    };
    let common = configs.first().map(|config| some(config, true));
    let own = configs.iter().map(|config| some(config, false));
    (common.unwrap_or_default(), own.collect_vec())
}

/// `m=1024, n=512`
pub(crate) fn text(pairs: &[(impl AsRef<str>, impl fmt::Display)]) -> String {
    let mut text = String::new();
    for (name, value) in pairs {
        let comma = if text.is_empty() { "" } else { ", " };
        text += &format!("{comma}{}={value}", name.as_ref());
    }
    text
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
        let flag = Config::new(&["MR", "PACK"], &[Value::Int(8), Value::Bool(true)]);
        let defines: Vec<_> = flag.defines().chain(config.defines().skip(1)).collect();
        let own = [("MR", "8"), ("PACK", "1"), ("ISA", "x86-64-v3")];
        assert_eq!(defines, own.map(|(name, value)| (name, value.to_string())));
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
