//! What the build knew: the constant that the build script writes for each tunable.
//!
//! `OUT_DIR/bico/<key>.rs` is one expression of type [`Data`]; the macro includes it.

use crate::Value;

/// Everything that the build found out about one tunable.
#[derive(Debug)]
pub struct Data {
    /// Of the attribute that the build script read; the macro compares it with its own.
    pub fingerprint: u64,
    /// The tunable's key.
    pub key: &'static str,
    /// Names of the parameters, in declaration order.
    pub parameters: &'static [&'static str],
    /// Names of the integer scalar arguments, in the order of the arguments.
    pub sizes: &'static [&'static str],
    /// Names of the problems' compile-time constants.
    pub consts: &'static [&'static str],
    /// The configs that this binary carries. Never empty. Where a tunable has several
    /// combinations of compile-time constants, each candidate belongs to one of them.
    pub candidates: &'static [Candidate],
    /// The tuned problems, in the order of the attribute. Never empty.
    pub problems: &'static [Problem],
    /// Keys of the devices that the winners below refer to.
    pub devices: &'static [&'static str],
}

/// One config that the binary carries.
#[derive(Debug)]
pub struct Candidate {
    /// The value of each parameter.
    pub values: &'static [Value],
    /// Index into the distinct combinations of the problems' constants ([`Problem::variant`]).
    pub variant: u16,
    /// What the code needs of a CPU beyond the baseline, by the names that `device.has` takes
    /// (`"x86-64-v3"`, `"avx2"`), read off its compiler flags.
    pub needs: &'static [&'static str],
    /// Set where only devices of these keys may run it (compiled for a CPU by a name that says
    /// no features, such as `-march=native`).
    pub only_on: &'static [&'static str],
}

/// One tuned problem.
#[derive(Debug)]
pub struct Problem {
    /// The integer scalar arguments.
    pub sizes: &'static [i64],
    /// The values of the compile-time constants, in the order of [`Data::consts`].
    pub consts: &'static [Value],
    /// Which combination of constants this is; equal for problems that agree in all of them.
    pub variant: u16,
    /// `(device, candidate)`: the winner per known device.
    pub winners: &'static [(u16, u16)],
    /// The candidates of this variant, most promising first: the winners of all devices, then the
    /// rest in the lock's and the ranking's order. Indices into [`Data::candidates`].
    pub order: &'static [u16],
    /// The first valid config in the order of the space. Index into [`Data::candidates`].
    pub first: u16,
    /// The most promising config before anything was measured. Index into [`Data::candidates`].
    pub top: u16,
}
