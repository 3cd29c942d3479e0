//! What goes into a bandit and what comes out, beside turns.

/// What is expected of an arm before it has run.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Prior {
    /// Expected ln(time of this arm / time of the best arm), at least 0 and finite.
    pub gap: f64,
    /// How many observations that is worth; 0: only the order counts.
    pub weight: f64,
}

/// What is known of an arm, to be kept: of ln(seconds per unit of work), counted observations only.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Summary {
    /// Observations.
    pub pulls: u64,
    /// Their mean.
    pub mean: f64,
    /// Their variance.
    pub variance: f64,
}

/// An arm, for people.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ArmState {
    /// Counted observations.
    pub pulls: u64,
    /// The estimate of ln(seconds per unit of work); NaN where there is none.
    pub mean: f64,
    /// Its interval.
    pub interval: [f64; 2],
    /// Whether it is still in the running.
    pub standing: Standing,
}

/// Whether an arm is still in the running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It has not run yet.
    Untried,
    /// It may be the best.
    Open,
    /// It is certainly not.
    Dropped,
    /// It does not run here.
    Failed,
}
