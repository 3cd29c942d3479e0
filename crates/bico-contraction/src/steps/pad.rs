//! A dimension rounded up, so that tiles that do not divide it can be split off.

use crate::dim::Dim;
use crate::{Bound, ContractionError, Result, Schedule};

impl Schedule {
    /// Rounds a dimension up to `size`, of which any tile can be split off. What is beyond the old size
    /// is no part of the tensors: reads give zeros there, and writes are dropped ([`Bound`]).
    ///
    /// # Errors
    ///
    /// `size` is less than the dimension's, or the loops would run 2^64 times.
    pub fn pad_dim<'a>(mut self, dim: impl Into<Dim<'a>>, size: u64) -> Result<Schedule> {
        self.validate()?;
        let dim = self.dim(dim)?;
        let limit = self.dim_sizes[dim];
        if size < limit {
            return Err(ContractionError::new(format!(
                "{} has size {limit} and cannot be padded to {size}: give a size of at least {limit}",
                self.called(dim)
            )));
        }
        if size > limit {
            self.bounds.push(Bound {
                limit,
                terms: vec![(dim, 1)],
            });
            self.dim_sizes[dim] = size;
            self.validate()?;
        }
        let step = format!("pad_dim(\"{}\", {size})", self.names[dim]);
        self.done(step)
    }
}
