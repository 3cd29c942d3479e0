//! What tests of contractions share: random schedules, and what a contraction computes, in f64.

pub mod random;
mod reference;

pub use reference::{evaluate, naive};
