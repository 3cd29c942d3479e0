//! What kind of index a letter is.

/// The type of an index: which of the tensors `A`, `B` (inputs) and `C` (output) have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DimType {
    /// In the first input and the output: a row of the product.
    M,
    /// In the second input and the output: a column of the product.
    N,
    /// In both inputs only: summed over.
    K,
    /// In all three: a batch.
    C,
}

impl DimType {
    /// All types, in the order of their declaration.
    pub const ALL: [DimType; 4] = [DimType::M, DimType::N, DimType::K, DimType::C];

    /// Its one letter: `M`, `N`, `K` or `C`.
    pub fn name(self) -> &'static str {
        ["M", "N", "K", "C"][self as usize]
    }

    /// Whether a tensor has such an index: 0 is `A`, 1 `B`, 2 the output `C`, 3 the factor `D`,
    /// which has exactly the output's indices.
    pub fn is_in(self, tensor: usize) -> bool {
        match tensor {
            0 => self != DimType::N,
            1 => self != DimType::M,
            _ => self != DimType::K,
        }
    }

    /// The type of an index that is, or is not, in `A`, `B` and `C`.
    pub(crate) fn of(a: bool, b: bool, c: bool) -> Option<DimType> {
        match (a, b, c) {
            (true, true, true) => Some(DimType::C),
            (true, false, true) => Some(DimType::M),
            (false, true, true) => Some(DimType::N),
            (true, true, false) => Some(DimType::K),
            _ => None,
        }
    }
}

impl std::fmt::Display for DimType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// What messages call a tensor, by its number: 0 is the first input, 2 the output.
pub fn tensor_name(tensor: usize) -> &'static str {
    match tensor {
        0 => "the first input (A)",
        1 => "the second input (B)",
        2 => "the output (C)",
        _ => "the third input (D)",
    }
}
