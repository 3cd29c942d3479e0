//! What a trial took, for strategies that ask what the next one will.

use super::Row;

/// Seconds of one trial.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Effort {
    /// Of the compiler, waited for or not.
    pub(super) compiler: f64,
    /// Of all that comes after it.
    pub(super) own: f64,
}

impl Effort {
    /// `None` where nothing was compiled, or nobody knows. A row says it, so a search that was cut goes on with the same.
    pub(super) fn of(row: &Row) -> Option<Effort> {
        let compiler = row.compiler.filter(|seconds| *seconds > 0.0)?;
        Some(Effort {
            compiler,
            own: row.costs?.own(),
        })
    }
}
