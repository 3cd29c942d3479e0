//! The functions of a generated text: their names and parameters.

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
