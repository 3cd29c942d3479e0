//! Whether a schedule can be executed as it stands.

use super::{ContractionError, DimType, ExecType, PrimType, Result, Schedule};

impl Schedule {
    /// Checks what a generator needs: the order `Par`, `Seq`, `Prim`, no `Par` dimension that is summed
    /// over, and an inner product with M, N and K.
    ///
    /// # Errors
    ///
    /// All violations at once:
    /// a K that is `Par`; a `Seq` right of a `Prim`; a `Par` right of a `Seq`; `Prim` dimensions that
    /// are not rightmost or lack M, N or K; a C that is `Prim` though the inner product is no batch.
    pub fn verify(&self) -> Result<()> {
        self.validate()?;
        let mut messages = Vec::new();
        self.check_order(&mut messages);
        self.check_prim(&mut messages);
        ContractionError::check(messages)
    }

    fn check_order(&self, messages: &mut Vec<String>) {
        for (dim, exec) in self.exec_types.iter().enumerate() {
            let (name, called) = (&self.names[dim], self.called(dim));
            if *exec == ExecType::Par && self.dim_types[dim] == DimType::K {
                messages.push(format!(
                    "{called} is Par, but it is summed over: its iterations would add to the same elements at once; set_exec(\"{name}\", ExecType::Seq)"
                ));
            }
            // One message is enough: about the nearest of those that must not be left of it.
            let left = |kind: ExecType| {
                let before = &self.exec_types[..dim];
                before.iter().rposition(|other| *other == kind)
            };
            match (exec, left(ExecType::Seq), left(ExecType::Prim)) {
                (ExecType::Seq, _, Some(prim)) => messages.push(format!(
                    "{called} is Seq and right of {}, which is Prim: move `{name}` left of all Prim dimensions with permute_dims",
                    self.called(prim)
                )),
                (ExecType::Par, seq, prim) => {
                    messages.extend(seq.map(|seq| format!(
                        "{called} is Par and right of {}, which is Seq: move `{name}` left of all Seq dimensions with permute_dims",
                        self.called(seq)
                    )));
                    messages.extend(prim.map(|prim| format!(
                        "{} is Prim, but not rightmost: {called} right of it is Par; move `{name}` left of all Prim dimensions with permute_dims",
                        self.called(prim)
                    )));
                }
                _ => {}
            }
        }
    }

    fn check_prim(&self, messages: &mut Vec<String>) {
        for kind in [DimType::M, DimType::N, DimType::K] {
            let of_kind = |dim: &usize| self.dim_types[*dim] == kind;
            let mut dims = (0..self.dim_types.len()).filter(of_kind);
            let Some(first) = dims.clone().next() else {
                messages.push(self.missing(kind));
                continue;
            };
            if !dims.any(|dim| self.exec_types[dim] == ExecType::Prim) {
                let name = &self.names[first];
                messages.push(format!(
                    "no dimension of type {kind} is Prim, but the inner product needs one each of M, N and K: split_dim(\"{name}\", ..) and make its inner part Prim with set_exec"
                ));
            }
        }
        if self.prim_main == PrimType::Gemm {
            for (dim, exec) in self.exec_types.iter().enumerate() {
                if *exec == ExecType::Prim && self.dim_types[dim] == DimType::C {
                    let (called, name) = (self.called(dim), &self.names[dim]);
                    messages.push(format!(
                        "{called} is Prim, but the inner product is Gemm, which has no batch: set_prim_main(PrimType::Bgemm), or set_exec(\"{name}\", ExecType::Par)"
                    ));
                }
            }
        }
    }

    /// What is said where the contraction has no index of a type at all.
    pub(super) fn missing(&self, kind: DimType) -> String {
        let what = match kind {
            DimType::M => "an index that is in the first input and the output only",
            DimType::N => "an index that is in the second input and the output only",
            DimType::K => "an index that is in both inputs only",
            DimType::C => "an index that is in all tensors",
        };
        format!(
            "the contraction has no dimension of type {kind} ({what}), but the inner product needs one each of M, N and K: add one of size 1 to the einsum"
        )
    }
}
