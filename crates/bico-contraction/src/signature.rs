//! The functions of a generated text: their names and parameters.

use crate::{ContractionError, Nest, Result};

/// What a generated text declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// The kernel's name.
    pub entry: String,
    /// The kernel's parameters, in order.
    pub parameters: Vec<Param>,
    /// The name of the reference, where there is to be one: plain loops with the kernel's parameters but
    /// for scratch buffers.
    pub reference: Option<String>,
}

impl Signature {
    /// Whether there is a parameter for all that the kernel of a nest reads and writes, with so many scratch buffers.
    pub(crate) fn check(&self, nest: &Nest, scratch: usize) -> Result<()> {
        let has = |wanted: Param| self.parameters.contains(&wanted);
        let is_size =
            |p: &Param, wanted: char| matches!(p, Param::Size { letter, .. } if *letter == wanted);
        let has_size = |wanted: char| self.parameters.iter().any(|p| is_size(p, wanted));
        let letters = nest.sizes.iter().flat_map(|size| &size.letters);
        let tensors = (0..nest.last.tensors()).filter(|tensor| !has(Param::Tensor(*tensor)));
        let scratch = (0..scratch).filter(|at| !has(Param::Scratch(*at)));
        let missing = tensors
            .map(|tensor| format!("the tensor {}", ["A", "B", "C", "D"][tensor]))
            .chain((letters.filter(|l| !has_size(**l))).map(|l| format!("the size of `{l}`")))
            .chain(scratch.map(|at| format!("the packed block of {}", ["A", "B"][at])));
        let messages = missing.map(|what| format!("the kernel has no parameter for {what}"));
        ContractionError::check(messages.collect())
    }
}

/// One parameter of a generated function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Param {
    /// A pointer to the elements of a tensor: 0 is A, 1 is B, 2 the output C, 3 the factor D.
    Tensor(usize),
    /// The size of an index.
    Size {
        /// The index.
        letter: char,
        /// The C type of the argument, `unsigned int`.
        c_type: &'static str,
    },
    /// A pointer to a scratch buffer: 0 holds the packed block of A, 1 that of B.
    Scratch(usize),
}
