//! What the macro hands over of the attribute: its expressions as functions, and what their names mean.

use crate::__private::EvalError;
use crate::Value;
use bico_core::device::{Dims, Facts};

/// What the attribute says in expressions, lowered to functions.
pub struct Rules {
    /// `require(..)`.
    pub require: &'static [Require],
    /// Whether one of them is [`sized`](Require::sized).
    pub sized: bool,
    /// Position in [`Data::consts`](crate::data::Data::consts) of each selecting argument.
    pub selectors: &'static [usize],
    /// `launch(..)`: how the CUDA kernel of each pass is launched. Empty for a CPU's.
    pub launches: &'static [LaunchOf],
    /// `score` negated, or the predicted time: smaller is better.
    pub rank: fn(&Scope<'_>) -> Result<f64, EvalError>,
    /// `verify(live = true)`: each candidate's first call compares its results with another one's.
    pub live: bool,
    /// Whether `rank` is a time.
    pub timed: bool,
    /// What a call's time grows with: operations, else bytes, as the author says, else the bytes of all
    /// buffers.
    pub work: fn(&Scope<'_>) -> Result<f64, EvalError>,
}

/// How far results may lie apart: `|x - r| <= atol + rtol |r|`.
#[derive(Clone, Copy)]
pub struct Tolerance {
    /// Relative to the result compared with.
    pub rtol: f64,
    /// By default `rtol` times the root mean square of the result compared with.
    pub atol: Option<f64>,
}

/// A launch of a config at some sizes.
pub type LaunchOf = fn(&Scope<'_>) -> Result<Dims, EvalError>;

/// One condition of `require(..)`.
pub struct Require {
    /// As written.
    pub text: &'static str,
    /// Whether it names a problem size, so that a call can break it.
    pub sized: bool,
    /// Its value.
    pub holds: fn(&Scope<'_>) -> Result<bool, EvalError>,
}

/// What the names in an expression stand for.
pub struct Scope<'a> {
    /// `device`
    pub device: &'a Facts,
    /// The parameters' values, in declaration order.
    pub parameters: &'a [Value],
    /// The integer scalar arguments, in order.
    pub sizes: &'a [i64],
    /// The problem's constants, in the order of [`Data::consts`](crate::data::Data::consts).
    pub consts: &'a [Value],
    /// For the model: the widest vector that the config may use, in bits; 0: the device's.
    pub vector_bits: i64,
    /// For the model: registers of a thread on a GPU; 0: not known.
    pub registers: i64,
}

/// The value of a selecting argument.
#[derive(Clone, Copy)]
pub enum Selector<'a> {
    /// An integer.
    Int(i64),
    /// A truth value.
    Bool(bool),
    /// A string.
    Str(&'a str),
}

/// The values of a call's selecting arguments.
pub(crate) type Given<'a> = &'a [Selector<'a>];

impl Selector<'_> {
    #[inline(always)]
    pub(crate) fn selects(self, value: Value) -> bool {
        match (self, value) {
            (Selector::Int(a), Value::Int(b)) => a == b,
            (Selector::Bool(a), Value::Bool(b)) => a == b,
            (Selector::Str(a), Value::Str(b)) => a == b,
            _ => false,
        }
    }
}
