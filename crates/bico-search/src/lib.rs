//! Finds a fast config of a constrained space with few measurements.
//!
//! This is the search of bico, which tunes kernels during `cargo build`. It is a library of its own because it knows
//! neither kernels nor devices: for whoever has a handful of parameters with rules between them, and something that
//! takes seconds to try. Four steps, each of which reads only those before it:
//!
//! - [`space`]: domains and conditions become numbered configs. All valid ones are counted in a decision diagram, never
//!   listed, so a space may have 10^12 of them.
//! - [`rank`]: the configs in an order, by a score or by a work model. [`Ranked::blind`] is for who can predict nothing.
//! - [`search`]: a strategy chooses, a [`Measure`] tells the time, and the trail is kept until the budget is spent or
//!   nothing more is expected. `adaptive`, the default, begins with the ranking, learns from every time (a Gaussian
//!   process over the logarithm), and stops by itself; the fastest are measured again in turns before one wins. The
//!   trail of a budget is the beginning of that of a larger one.
//! - [`guarantee`]: what each budget was good for, read off a trail.
//!
//! ```
//! use bico_search::{Budget, Ranked, Search, Space, Value, by_name, from_fn, run};
//!
//! let space = Space::parse("space(TILE in [8, 16, 32], UNROLL in 1..=8), require(TILE % UNROLL == 0)")?;
//! // Runs what is tuned and returns the seconds; here they are made up.
//! let mut measure = from_fn(&*space, |config| match config {
//!     [Value::Int(tile), Value::Int(unroll)] => Ok((tile - 16).abs() as f64 + 1.0 / *unroll as f64),
//!     _ => unreachable!("two integers"),
//! });
//! let ranked = Ranked::blind(space.len());
//! let budget = Budget { evaluations: 12, ..Budget::default() };
//! let search = Search::new(&*space, &ranked, budget);
//! let found = run(&search, &mut *by_name("adaptive", 0)?, &mut measure, &mut ());
//! let winner = found.winner.expect("all configs have a time");
//! assert_eq!(space.config(winner.config), [Value::Int(16), Value::Int(8)]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `examples/closure.rs` times a closure for real.
#![forbid(unsafe_code)]

pub mod anchors;
pub mod guarantee;
pub mod rank;
pub mod search;
pub mod space;

use bico_core::sorted::sort_by;

pub use bico_core::Value;
pub use bico_syntax::bind::SpaceError;
pub use rank::Ranked;
pub use search::{
    Budget, Configs, Failure, Found, Measure, Outcome, Sample, Search, by_name, from_fn,
    on_threads, run,
};
pub use space::Space;

/// Sorts by a number; of equal ones the earlier stays the earlier. One sort for all who need it: each of its own
/// would be compiled by every user.
pub(crate) fn ascending<T>(items: &mut [T], number: &dyn Fn(&T) -> f64) {
    sort_by(items, &|a, b| number(a).total_cmp(&number(b)));
}
