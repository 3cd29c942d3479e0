//! What buffers are filled with.

use crate::expr::Expr;
use crate::spec::Name;

/// `#[init(..)]`: how a buffer is filled before a kernel is measured or checked. Numbers follow from sizes and constants.
#[derive(Debug, Clone)]
pub enum Init {
    /// Uniform in `[low, high)`, with a fixed seed. The default, with -1 and 1 (integers: -8 to 8 ...).
    Uniform(Expr, Expr),
    /// Floats of a normal distribution with this mean and standard deviation.
    Normal(Expr, Expr),
    /// All zero.
    Zeros,
    /// All one.
    Ones,
    /// 0, 1, 2, ...
    Iota,
    /// The content of this file at a problem's sizes, relative to the package root; at others this, or what is usual.
    File(Name, Option<Box<Init>>),
}
