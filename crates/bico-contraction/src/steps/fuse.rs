//! Two dimensions to one.

use crate::dim::Dim;
use crate::{ContractionError, Result, Schedule};
use bico_einsum::tensor_name;

impl Schedule {
    /// Fuses two dimensions of one type into one, which takes the place of `a`. One of them must follow the other
    /// without a gap in every tensor that has them: `stride[a] == stride[b] * size[b]`, or the other way round. (A dimension
    /// of size 1 follows any.)
    ///
    /// # Errors
    ///
    /// The types differ, or the executions, or there is a gap: names the tensor.
    pub fn fuse_dims<'a, 'b>(
        mut self,
        a: impl Into<Dim<'a>>,
        b: impl Into<Dim<'b>>,
    ) -> Result<Schedule> {
        self.validate()?;
        let (a, b) = (self.dim(a)?, self.dim(b)?);
        self.same_kind(a, b)?;
        let merged = match (self.merged(a, b), self.merged(b, a)) {
            (Ok(merged), _) | (_, Ok(merged)) => merged,
            (Err(ab), Err(ba)) => {
                // Who meant the order that fits better wants to hear of what keeps it from fitting.
                let gaps = if ba.len() < ab.len() { ba } else { ab };
                let [a, b] = [a, b].map(|dim| self.called(dim));
                return Err(ContractionError::new(format!(
                    "{a} and {b} cannot be fused: {}; keep them apart",
                    gaps.join("; "),
                )));
            }
        };
        let step = format!("fuse_dims(\"{}\", \"{}\")", self.names[a], self.names[b]);
        for (strides, stride) in self.strides.iter_mut().zip(merged.strides) {
            strides[a] = stride;
        }
        for (bound, factor) in self.bounds.iter_mut().zip(merged.factors) {
            bound.terms.retain(|(dim, _)| *dim != a && *dim != b);
            if factor != 0 {
                bound.terms.push((a, factor));
            }
        }
        // Without terms the sum is 0, which every limit allows.
        self.bounds.retain(|bound| !bound.terms.is_empty());
        self.dim_sizes[a] *= self.dim_sizes[b];
        self.names[a] = merged.name;
        let order: Vec<usize> = (0..self.names.len()).filter(|dim| *dim != b).collect();
        self.reorder(&order);
        self.done(step)
    }

    fn same_kind(&self, a: usize, b: usize) -> Result<()> {
        let [first, second] = [a, b].map(|dim| self.called(dim));
        let [exec, other] = [a, b].map(|dim| self.exec_types[dim]);
        let why = if a == b {
            format!("`{}` cannot be fused with itself", self.names[a])
        } else if self.dim_types[a] != self.dim_types[b] {
            format!(
                "{first} and {second} cannot be fused: their types differ, so no one index of the tensors could replace them"
            )
        } else if exec != other {
            format!(
                "{first} and {second} cannot be fused: one is {exec:?}, the other {other:?}; make them alike with set_exec first"
            )
        } else {
            return Ok(());
        };
        Err(ContractionError::new(why))
    }

    /// What two dimensions become; else what keeps `inner` from following `outer`.
    fn merged(&self, outer: usize, inner: usize) -> Result<Merged, Vec<String>> {
        let (outer_size, size) = (self.dim_sizes[outer], self.dim_sizes[inner]);
        let [first, second] = [outer, inner].map(|dim| &self.names[dim]);
        let merge = |outer: u64, inner: u64| {
            // The index of a dimension of size 1 is 0, whatever its stride.
            if size == 1 {
                Some(outer)
            } else if outer_size == 1 || inner.checked_mul(size) == Some(outer) {
                Some(inner)
            } else {
                None
            }
        };
        let (mut merged, mut gaps) = (Merged::default(), Vec::new());
        for (tensor, strides) in self.strides.iter().enumerate() {
            let (outer, inner) = (strides[outer], strides[inner]);
            match merge(outer, inner) {
                Some(stride) => merged.strides.push(stride),
                None => gaps.push(format!(
                    "in {} `{first}` has stride {outer}, which is not the stride {inner} of `{second}` times its size {size}",
                    tensor_name(tensor)
                )),
            }
        }
        for bound in &self.bounds {
            let factor = |dim: usize| {
                let term = bound.terms.iter().find(|(own, _)| *own == dim);
                term.map_or(0, |(_, factor)| *factor)
            };
            match merge(factor(outer), factor(inner)) {
                Some(factor) => merged.factors.push(factor),
                None => gaps.push(format!(
                    "padding goes through one of them only (a limit of {})",
                    bound.limit
                )),
            }
        }
        // Letters join to words, as in a plan's group; longer names keep a `_` between them.
        let letters = |name: &str| name.chars().all(|c| c.is_ascii_alphabetic());
        let between = if letters(first) && letters(second) {
            ""
        } else {
            "_"
        };
        merged.name = format!("{first}{between}{second}");
        let others = self
            .names
            .iter()
            .filter(|own| *own != first && *own != second);
        while others.clone().any(|own| *own == merged.name) {
            merged.name.push('_');
        }
        match gaps.is_empty() {
            true => Ok(merged),
            false => Err(gaps),
        }
    }
}

/// One dimension in the place of two: its strides and its factors in the bounds.
#[derive(Default)]
struct Merged {
    strides: Vec<u64>,
    factors: Vec<u64>,
    name: String,
}
