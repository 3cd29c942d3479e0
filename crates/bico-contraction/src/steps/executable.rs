//! The default execution of a schedule.

use crate::{ContractionError, DimType, ExecType, PrimType, Result, Schedule};

impl Schedule {
    /// Sets execution and order so that [`verify`](Self::verify) accepts: `Par` where possible, at
    /// least one M, one N and one K `Prim`, order `Par`, `Seq`, `Prim`.
    ///
    /// What is `Prim` stays so; of a type without any, the innermost dimension becomes `Prim`. Of the
    /// others, K becomes `Seq` and all else `Par`. Within these three the order stays.
    ///
    /// # Errors
    ///
    /// The contraction has no dimension of type M, N or K.
    pub fn make_executable(mut self) -> Result<Schedule> {
        self.validate()?;
        let needed = [DimType::M, DimType::N, DimType::K];
        let missing = needed.iter().filter(|kind| !self.dim_types.contains(kind));
        let missing = missing.map(|kind| self.missing(*kind));
        ContractionError::check(missing.collect())?;
        for (exec, kind) in self.exec_types.iter_mut().zip(&self.dim_types) {
            let batch = *kind == DimType::C && self.prim_main == PrimType::Gemm;
            if *exec != ExecType::Prim || batch {
                *exec = match kind {
                    DimType::K => ExecType::Seq,
                    _ => ExecType::Par,
                };
            }
        }
        for kind in needed {
            let of_kind = |dim: &usize| self.dim_types[*dim] == kind;
            let dims: Vec<usize> = (0..self.dim_types.len()).filter(of_kind).collect();
            let prim = |dim: &usize| self.exec_types[*dim] == ExecType::Prim;
            if let Some(last) = dims.last().filter(|_| !dims.iter().any(prim)) {
                self.exec_types[*last] = ExecType::Prim;
            }
        }
        let mut order: Vec<usize> = (0..self.dim_types.len()).collect();
        // Stable: each kind keeps its order.
        order.sort_by_key(|dim| match self.exec_types[*dim] {
            ExecType::Par => 0,
            ExecType::Seq => 1,
            ExecType::Prim => 2,
        });
        self.reorder(&order);
        self.done("make_executable()".to_owned())
    }
}
