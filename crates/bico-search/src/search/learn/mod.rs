//! A cheap model of log time, learned from what a search has measured.
//!
//! A Gaussian process (Rasmussen and Williams, "Gaussian Processes for Machine Learning", 2006)
//! whose kernel adds single parameters, pairs of parameters and all of them together (Duvenaud,
//! Nickisch and Rasmussen, "Additive Gaussian Processes", 2011): after ten trials the effect of
//! single parameters is about all that can be known, after fifty that of pairs.
//!
//! It is our own and not a library's, because it answers for thousands of candidates after every
//! trial within a millisecond: candidates are rows of small codes, a kernel is a table look-up, and
//! a new trial extends what is known instead of solving all of it again.

mod cholesky;
mod columns;
mod fit;
mod gain;
mod kernel;
mod pending;
mod process;
mod table;

pub(super) use gain::expected_gain;
pub(super) use process::{Belief, Process};
pub(super) use table::{Feature, Scale, Table};
