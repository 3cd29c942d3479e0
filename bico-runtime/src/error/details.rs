//! What is told of an error besides.

#[cfg(doc)]
use crate::Error;
use crate::config::text;
use crate::{Config, Value};
use bico_core::Lists;
use core::fmt;

/// Details of [`Error::Driver`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct DriverFailure {
    /// The tunable.
    pub tunable: &'static str,
    /// What was attempted.
    pub what: String,
    /// The driver's code.
    pub code: u32,
    /// Its name, and what it means: `CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was
    /// encountered`.
    pub error: String,
}

/// Details of [`Error::NoConfig`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct NoConfig {
    /// The tunable.
    pub tunable: &'static str,
    /// The sizes of the call.
    pub sizes: Vec<(&'static str, i64)>,
    /// Each config that was tried, and why it cannot serve.
    pub tried: Vec<(Config, String)>,
    /// Whether only the sizes are in the way of some of them.
    pub sized: bool,
}

/// Details of [`Error::NoProblem`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct NoProblem {
    /// The tunable.
    pub tunable: &'static str,
    /// The names and values of the selecting arguments.
    pub given: Vec<(&'static str, String)>,
    /// The values that there are problems for.
    pub known: Vec<Vec<(&'static str, Value)>>,
}

/// Details of [`Error::TensorMap`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TensorMapFailure {
    /// The tunable.
    pub tunable: &'static str,
    /// The wrapper's argument.
    pub argument: &'static str,
    /// Which rule is broken, and by what.
    pub why: String,
}

impl fmt::Display for DriverFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} failed: {}", self.tunable, self.what, self.error)
    }
}

impl fmt::Display for TensorMapFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TensorMapFailure {
            tunable,
            argument,
            why,
        } = self;
        write!(f, "{tunable}: no tensor map of `{argument}`: {why}")
    }
}

impl fmt::Display for NoConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (tunable, sizes) = (self.tunable, text(&self.sizes));
        write!(
            f,
            "{tunable}: no config of this program can run here at {sizes}"
        )?;
        // One line per reason, with the first config that it met.
        let mut told: Vec<&str> = Vec::new();
        for (config, why) in &self.tried {
            if !told.contains(&why.as_str()) {
                told.push(why);
                write!(f, "\n  {config}: {why}")?;
            }
        }
        if self.sized {
            f.write_str("\n  help: add a `problem(..)` of such sizes, so that a config for them is built in")?;
        }
        Ok(())
    }
}

impl fmt::Display for NoProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let given = list(&self.given);
        write!(f, "{}: no `problem(..)` has {given}", self.tunable)?;
        let mut known: Vec<String> = Vec::new();
        for values in &self.known {
            let text = list(values);
            if !known.contains(&text) {
                known.push(text);
            }
        }
        write!(f, "; there are problems for: {}", known.join("; "))
    }
}

/// `ACT = "silu", N = 4`
fn list(pairs: &[(&str, impl fmt::Display)]) -> String {
    let pairs = pairs
        .iter()
        .map(|(name, value)| format!("{name} = {value}"));
    pairs.collect_vec().join(", ")
}
