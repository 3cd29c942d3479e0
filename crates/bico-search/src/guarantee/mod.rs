//! The guarantee: what a budget promises, not only what it happened to find.
//!
//! A search reaches outcomes: times with their intervals. One is better than another where its interval ends before the
//! other's begins, which leaves pairs open, and who has reached an outcome has reached all that it is at least as good
//! as. So what a set of outcomes guarantees is its upper closure, and the closure together with the first `n`
//! outcomes of a trail is an operator with three properties, which the tests hold on arbitrary outcomes:
//!
//! - *extensive*: what is reached is guaranteed;
//! - *monotone* in the set and in the budget: the trail of budget `n` is the beginning of that of
//!   `n + 1`, so a larger budget never guarantees less;
//! - *idempotent*: what is guaranteed guarantees nothing new.
//!
//! The non-dominated set of a trail, the outcomes that nothing is better than, is its *sink*; their closure is all of
//! it. The budget after which the guarantee stops improving is the *plateau*.
//!
//! Times are noisy, so the promise is a latency with a reliability, 95 % unless asked otherwise:
//!
//! - [`Guarantee`] reads a trail: at each budget the latency of the config that would have been chosen
//!   there, allowing for the noise of its measurement and for having been chosen for its luck; after a random search
//!   also what such draws reach whatever their order, by the exact law of drawing without replacement;
//! - [`shipped`] promises it of the config that ships, by the finals;
//! - [`Scaled`] asks the same over another scale than evaluations, such as on-chip bytes.

mod bootstrap;
mod draws;
mod noise;
mod order;
mod plateau;
mod scale;
mod trail;

#[cfg(any(test, feature = "fixture"))]
#[doc(hidden)]
pub mod fixture;
#[cfg(test)]
mod recorded;

pub use draws::Draws;
pub use scale::{Level, Scale, Scaled};
pub use trail::{Guarantee, Rank, Step, shipped};

/// What a guarantee is asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// How often the promise is to hold: 1 - epsilon.
    pub reliability: f64,
    /// An improvement of less than this share is none.
    pub threshold: f64,
    /// A config is good enough when it takes at most this share more than the best.
    pub near: f64,
    /// Resamples of a bootstrap.
    pub resamples: usize,
    /// Its seed.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            reliability: 0.95,
            threshold: 0.005,
            near: 0.05,
            resamples: 2000,
            seed: 0,
        }
    }
}
