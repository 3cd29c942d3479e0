//! What a tunable chose, and why.

use crate::Config;
use crate::config::text;
use core::fmt;

/// The config that serves calls of some sizes on this device.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Choice {
    /// The tunable's key.
    pub tunable: &'static str,
    /// What was chosen.
    pub config: Config,
    /// Why.
    pub reason: Reason,
    /// The sizes that were asked for.
    pub sizes: Vec<(&'static str, i64)>,
    /// The sizes of the tuned problem that the choice comes from.
    pub problem: Vec<(&'static str, i64)>,
    /// The device that serves the calls.
    pub device: String,
}

/// Why a config was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// It won on this device at these very sizes.
    Exact,
    /// It won on this device at the nearest tuned sizes.
    NearestSize,
    /// This GPU was not tuned for; it won on one of the same compute capability, named here.
    SameCapability {
        /// The key of that GPU.
        device: &'static str,
    },
    /// This device was not tuned for; it won on the device named here, and the model prefers it.
    OtherDevice {
        /// The key of that device.
        device: &'static str,
    },
    /// This device was not tuned for; the model prefers it.
    Predicted,
    /// This device, or such sizes, were not tuned for; it won by the times of calls like these.
    Learned {
        /// How many calls of this process were timed; 0 where an earlier one learned it.
        calls: u64,
    },
    /// This device, or such sizes, were not tuned for; calls are trying what is best, and this is it so far.
    Exploring {
        /// How many candidates have been tried; 0 where it is what was learned at other sizes.
        tried: usize,
        /// How many there are.
        of: usize,
    },
    /// The choice for the nearest tuned sizes does not fit these; this is the next one that does.
    NextThatFits,
}

impl Choice {
    /// Whether one of the sizes is further than a factor of two from that of the tuned problem.
    pub fn is_far(&self) -> bool {
        is_far(&self.sizes, &self.problem)
    }
}

/// Whether one of these sizes is further than a factor of two from the other one of its name.
pub(crate) fn is_far(sizes: &[(&str, i64)], others: &[(&str, i64)]) -> bool {
    let mut pairs = sizes.iter().zip(others);
    pairs.any(|((_, a), (_, b))| a.max(b) > &a.min(b).saturating_mul(2) && a != b)
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (device, problem) = (&self.device, text(&self.problem));
        let why = match self.reason {
            Reason::Exact => format!("tuned on {device}"),
            Reason::NearestSize if self.is_far() => {
                format!("nearest size {problem} on {device}, further away than a factor of two")
            }
            Reason::NearestSize => format!("nearest size {problem} on {device}"),
            Reason::SameCapability { device: other } => {
                format!("tuned at {problem} on {other}, which is of the same kind as {device}")
            }
            Reason::OtherDevice { device: other } => {
                format!("tuned at {problem} on {other}, not yet on {device}")
            }
            Reason::Predicted => format!("predicted for {problem}, not yet tuned on {device}"),
            Reason::Learned { calls: 0 } => format!("learned before on {device}"),
            Reason::Learned { calls: 1 } => format!("learned from one timed call on {device}"),
            Reason::Learned { calls } => format!("learned from {calls} timed calls on {device}"),
            Reason::Exploring { tried: 0, .. } => {
                format!("the best at other sizes, not yet tried at these on {device}")
            }
            Reason::Exploring { tried, of } => {
                format!("the best so far, {tried} of {of} tried on {device}")
            }
            Reason::NextThatFits => {
                format!("the choice for {problem} on {device} does not fit these sizes")
            }
        };
        let (tunable, config, sizes) = (self.tunable, &self.config, text(&self.sizes));
        write!(f, "{tunable} ({sizes}): {config} ({why})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;

    #[test]
    fn reads_like_a_sentence() {
        let mut choice = Choice {
            tunable: "gemm",
            config: Config::new(&["MR", "NR"], &[Value::Int(8), Value::Int(48)]),
            reason: Reason::NearestSize,
            sizes: vec![("m", 1000), ("n", 999)],
            problem: vec![("m", 1024), ("n", 1024)],
            device: "AMD EPYC".to_string(),
        };
        assert_eq!(
            choice.to_string(),
            "gemm (m=1000, n=999): MR=8, NR=48 (nearest size m=1024, n=1024 on AMD EPYC)"
        );
        choice.problem[1].1 = 2000;
        assert!(choice.is_far(), "{choice}");
        assert!(
            choice
                .to_string()
                .ends_with("m=1024, n=2000 on AMD EPYC, further away than a factor of two)"),
            "{choice}"
        );
        choice.problem[1].1 = 1998;
        assert!(!choice.is_far(), "{choice}");
        choice.reason = Reason::Exact;
        assert!(
            choice.to_string().ends_with("NR=48 (tuned on AMD EPYC)"),
            "{choice}"
        );
        choice.reason = Reason::Exploring { tried: 3, of: 14 };
        assert!(
            choice
                .to_string()
                .ends_with("NR=48 (the best so far, 3 of 14 tried on AMD EPYC)"),
            "{choice}"
        );
        choice.reason = Reason::Learned { calls: 61 };
        assert!(
            choice
                .to_string()
                .ends_with("NR=48 (learned from 61 timed calls on AMD EPYC)"),
            "{choice}"
        );
    }
}
