//! Two dimensions to one.

use crate::dim::Dim;
use crate::{Bound, ContractionError, Schedule};
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
    ) -> Result<Schedule, ContractionError> {
        self.validate()?;
        let (a, b) = (self.dim(a)?, self.dim(b)?);
        self.same_kind(a, b)?;
        let (outer, inner) = {
            let [ab, ba] = [self.gaps(a, b), self.gaps(b, a)];
            if ab.is_empty() {
                (a, b)
            } else if ba.is_empty() {
                (b, a)
            } else {
                // Who meant the order that fits better wants to hear of what keeps it from fitting.
                let gaps = if ba.len() < ab.len() { ba } else { ab };
                return Err(ContractionError::new(format!(
                    "{} and {} cannot be fused: {}; keep them apart",
                    self.called(a),
                    self.called(b),
                    gaps.join("; "),
                )));
            }
        };
        let step = format!("fuse_dims(\"{}\", \"{}\")", self.names[a], self.names[b]);
        let name = self.fused_name(outer, inner);
        let merge = self.merging(outer, inner);
        for strides in &mut self.strides {
            // The gaps were looked for above.
            strides[a] = merge(strides[outer], strides[inner]).unwrap_or_default();
            strides.remove(b);
        }
        for bound in &mut self.bounds {
            let factor = merge(factor(bound, outer), factor(bound, inner)).unwrap_or_default();
            bound.terms.retain(|(dim, _)| *dim != a && *dim != b);
            if factor != 0 {
                bound.terms.push((a, factor));
            }
        }
        // Without terms the sum is 0, which every limit allows.
        self.bounds.retain(|bound| !bound.terms.is_empty());
        self.dim_sizes[a] *= self.dim_sizes[b];
        self.names[a] = name;
        self.dim_sizes.remove(b);
        self.dim_types.remove(b);
        self.exec_types.remove(b);
        self.names.remove(b);
        self.renumber(|old| if old > b { old - 1 } else { old });
        self.record(step);
        Ok(self)
    }

    fn same_kind(&self, a: usize, b: usize) -> Result<(), ContractionError> {
        let why = if a == b {
            format!("`{}` cannot be fused with itself", self.names[a])
        } else if self.dim_types[a] != self.dim_types[b] {
            format!(
                "{} and {} cannot be fused: their types differ, so no one index of the tensors could replace them",
                self.called(a),
                self.called(b)
            )
        } else if self.exec_types[a] != self.exec_types[b] {
            format!(
                "{} and {} cannot be fused: one is {:?}, the other {:?}; make them alike with set_exec first",
                self.called(a),
                self.called(b),
                self.exec_types[a],
                self.exec_types[b]
            )
        } else {
            return Ok(());
        };
        Err(ContractionError::new(why))
    }

    /// The stride (or factor) of the fused dimension, of those of the outer and the inner one; `None` at a gap.
    fn merging(&self, outer: usize, inner: usize) -> impl Fn(u64, u64) -> Option<u64> + use<> {
        let (outer_size, size) = (self.dim_sizes[outer], self.dim_sizes[inner]);
        move |outer, inner| {
            // The index of a dimension of size 1 is 0, whatever its stride.
            if size == 1 {
                Some(outer)
            } else if outer_size == 1 || inner.checked_mul(size) == Some(outer) {
                Some(inner)
            } else {
                None
            }
        }
    }

    /// What keeps `inner` from following `outer`.
    fn gaps(&self, outer: usize, inner: usize) -> Vec<String> {
        let merge = self.merging(outer, inner);
        let size = self.dim_sizes[inner];
        let [first, second] = [outer, inner].map(|dim| &self.names[dim]);
        let mut gaps = Vec::new();
        for (tensor, strides) in self.strides.iter().enumerate() {
            let (outer, inner) = (strides[outer], strides[inner]);
            if merge(outer, inner).is_none() {
                gaps.push(format!(
                    "in {} `{first}` has stride {outer}, which is not the stride {inner} of `{second}` times its size {size}",
                    tensor_name(tensor)
                ));
            }
        }
        for bound in &self.bounds {
            if merge(factor(bound, outer), factor(bound, inner)).is_none() {
                gaps.push(format!(
                    "padding goes through one of them only (a limit of {})",
                    bound.limit
                ));
            }
        }
        gaps
    }

    /// Letters join to words, as in a plan's group; longer names keep a `_` between them.
    fn fused_name(&self, outer: usize, inner: usize) -> String {
        let [first, second] = [outer, inner].map(|dim| &self.names[dim]);
        let letters = |name: &str| name.chars().all(|c| c.is_ascii_alphabetic());
        let between = if letters(first) && letters(second) {
            ""
        } else {
            "_"
        };
        let mut name = format!("{first}{between}{second}");
        while (self.names.iter().enumerate())
            .any(|(dim, own)| *own == name && dim != outer && dim != inner)
        {
            name.push('_');
        }
        name
    }
}

/// The factor of a dimension in a bound, 0 where it is not in it.
fn factor(bound: &Bound, dim: usize) -> u64 {
    let term = bound.terms.iter().find(|(own, _)| *own == dim);
    term.map_or(0, |(_, factor)| *factor)
}
