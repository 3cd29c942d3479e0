//! What an evaluation costs, by what the measuring side was at.

use crate::ascending;
use bico_core::Lists;
use bico_core::json::{Error, FromJson, Item, Json, ToJson};
use std::fmt;

/// Seconds by what was done in them; together they are the time that passed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Costs {
    /// Compiling that was waited for: what is compiled beside something else costs nothing.
    pub compiling: f64,
    /// Running the reference.
    pub references: f64,
    /// Loading kernels.
    pub loading: f64,
    /// Calling kernels to see whether they are right.
    pub verifying: f64,
    /// Calling them to see how often they must be called.
    pub warming: f64,
    /// Timed calls, with what comes between them.
    pub timing: f64,
    /// Waiting for other builds and for cargo's other jobs.
    pub waiting: f64,
    /// All else: choosing the next config, talking to the worker, starting it.
    pub rest: f64,
}

impl Costs {
    /// Each with its name.
    pub fn parts(&self) -> [(&'static str, f64); 8] {
        [
            ("compiling", self.compiling),
            ("references", self.references),
            ("loading", self.loading),
            ("verifying", self.verifying),
            ("warming", self.warming),
            ("timing", self.timing),
            ("waiting", self.waiting),
            ("rest", self.rest),
        ]
    }

    /// What a trial takes whatever is compiled: all but compiling, the reference, which others use, too, and waiting for others.
    pub(super) fn own(&self) -> f64 {
        let own = [
            self.loading,
            self.verifying,
            self.warming,
            self.timing,
            self.rest,
        ];
        own.into_iter().map(rounded).sum()
    }

    /// All seconds.
    pub fn total(&self) -> f64 {
        self.parts().iter().map(|(_, seconds)| seconds).sum()
    }

    /// Adds what something else cost.
    pub fn add(&mut self, other: &Costs) {
        self.compiling += other.compiling;
        self.references += other.references;
        self.loading += other.loading;
        self.verifying += other.verifying;
        self.warming += other.warming;
        self.timing += other.timing;
        self.waiting += other.waiting;
        self.rest += other.rest;
    }
}

/// Whole microseconds, as a trail keeps them: more is noise.
fn rounded(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}

/// `12.3 s: 6.0 timing, 3.1 verifying, 3.2 rest`: what is less than a hundredth is part of the rest.
impl fmt::Display for Costs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = self.total();
        let mut parts: Vec<(&str, f64)> = self.parts().into();
        let (_, mut rest) = parts.pop().unwrap_or_default();
        parts.retain(|(_, seconds)| {
            let is_much = *seconds >= 0.01 * total;
            rest += if is_much { 0.0 } else { *seconds };
            is_much
        });
        ascending(&mut parts, &|(_, seconds)| -seconds);
        parts.push(("rest", rest));
        let parts: Vec<String> = parts
            .iter()
            .map(|(name, seconds)| format!("{seconds:.1} {name}"))
            .collect_vec();
        write!(f, "{total:.1} s: {}", parts.join(", "))
    }
}

impl ToJson for Costs {
    fn to_json(&self) -> Json {
        let mut spent = Vec::new();
        for (name, seconds) in &self.parts() {
            if *seconds > 0.0 {
                spent.push((*name, rounded(*seconds).to_json()));
            }
        }
        Json::object(spent)
    }
}

/// What is not said cost nothing.
impl FromJson for Costs {
    fn from_json(item: Item<'_>) -> Result<Costs, Error> {
        let mut fields = item.fields("costs")?;
        let mut part = |name| Ok(fields.read_if_there(name)?.unwrap_or(0.0));
        Ok(Costs {
            compiling: part("compiling")?,
            references: part("references")?,
            loading: part("loading")?,
            verifying: part("verifying")?,
            warming: part("warming")?,
            timing: part("timing")?,
            waiting: part("waiting")?,
            rest: part("rest")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_is_told_and_adds_up() {
        let mut costs = Costs {
            timing: 6.0,
            verifying: 3.0,
            waiting: 0.05,
            rest: 0.95,
            ..Costs::default()
        };
        let said = costs.to_string();
        assert_eq!(said, "10.0 s: 6.0 timing, 3.0 verifying, 1.0 rest");
        let text = costs.to_json().compact();
        assert_eq!(
            text,
            r#"{"verifying":3.0,"timing":6.0,"waiting":0.05,"rest":0.95}"#
        );
        costs.add(&costs.clone());
        assert_eq!(costs.total(), 20.0);
    }
}
