//! Settings of execution: none changes what is computed.

use crate::dim::Dim;
use crate::{ContractionError, ExecType, PrimType, Result, Schedule};

impl Schedule {
    /// Sets how a dimension is executed. [`verify`](Self::verify) says whether all fits together.
    ///
    /// # Errors
    ///
    /// There is no such dimension.
    pub fn set_exec<'a>(mut self, dim: impl Into<Dim<'a>>, exec: ExecType) -> Result<Schedule> {
        self.validate()?;
        let dim = self.dim(dim)?;
        self.exec_types[dim] = exec;
        let step = format!("set_exec(\"{}\", {exec:?})", self.names[dim]);
        self.done(step)
    }

    /// Sets how all dimensions are executed, in their order.
    ///
    /// # Errors
    ///
    /// There are more or fewer dimensions.
    pub fn set_execs(mut self, execs: &[ExecType]) -> Result<Schedule> {
        self.validate()?;
        if execs.len() != self.dim_types.len() {
            return Err(ContractionError::new(format!(
                "set_execs got a list of length {} for the dimensions {}: give one per dimension",
                execs.len(),
                self.names.join(", "),
            )));
        }
        self.exec_types = execs.to_vec();
        self.done(format!("set_execs(&{execs:?})"))
    }

    /// Sets what the `Prim` dimensions are together. `Bgemm` may have a batch (type C) among them.
    ///
    /// # Errors
    ///
    /// The schedule is not valid.
    pub fn set_prim_main(mut self, prim: PrimType) -> Result<Schedule> {
        self.validate()?;
        self.prim_main = prim;
        self.done(format!("set_prim_main({prim:?})"))
    }
}
