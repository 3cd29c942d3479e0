//! What the einsums of `#[bico::tunable]` mean: `cmk, ckn -> cmn` is a batch of matrix products.
//!
//! [`Einsum::parse`] says which index is in which tensor, [`Einsum::plan`] how bico's own kernel walks
//! them, and [`call`] which options an einsum stands for on the function below it.
//! Text goes in and text comes out; mistakes have places in that text. A *letter* is one index; its
//! [type](DimType) follows from the tensors that have it.
//!
//! ```
//! use bico_einsum::{DimType, Einsum};
//!
//! let product = Einsum::parse("cmk, ckn -> cmn").unwrap();
//! assert_eq!(product.dim_type('k'), Some(DimType::K));
//! assert_eq!(product.plan().tiled(DimType::M).unwrap().name(), "m");
//! ```
#![forbid(unsafe_code)]

mod call;
mod error;
mod letters;
mod options;
mod parse;
mod plan;

#[cfg(test)]
mod tests;

pub use call::{Argument, Call, Float, Kind, Place, call};
pub use error::{EinsumError, carets};
pub use letters::{DimType, tensor_name};
pub use options::l2;
pub use plan::{Group, Plan};

/// An einsum whose letters make sense; made by [`Einsum::parse`].
///
/// The inputs are `A`, `B` and, if there are three, `D`, by which the product is multiplied element
/// by element. The output is `C`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Einsum {
    /// As it was written.
    pub text: String,
    /// The letters of `A`, `B` and perhaps `D`.
    pub inputs: Vec<Vec<char>>,
    /// The letters of `C`.
    pub output: Vec<char>,
}

impl Einsum {
    /// Reads an einsum that bico's own kernel computes, whose tiles need an index of each of the types M, N and K.
    ///
    /// # Errors
    ///
    /// All mistakes at once, each with its place in the text.
    pub fn parse_tiled(text: &str) -> Result<Einsum, Vec<EinsumError>> {
        let einsum = Einsum::parse(text)?;
        match einsum.plan().missing().as_slice() {
            [] => Ok(einsum),
            missing => Err(missing
                .iter()
                .map(|kind| plan::no_index(*kind, text))
                .collect()),
        }
    }

    /// The letters of each tensor, in the order `A`, `B`, `C`, `D`: the output comes third.
    pub fn tensors(&self) -> Vec<&[char]> {
        let mut tensors: Vec<&[char]> = self.inputs.iter().map(Vec::as_slice).collect();
        tensors.insert(tensors.len().min(2), &self.output);
        tensors
    }

    /// Each letter with its type, in order of first appearance: `cmk, ckn -> cmn` has C, M, K, N.
    pub fn letters(&self) -> Vec<(char, DimType)> {
        let mut found: Vec<(char, DimType)> = Vec::new();
        for &letter in self.tensors().into_iter().flatten() {
            if !found.iter().any(|(known, _)| *known == letter) {
                found.extend(self.dim_type(letter).map(|kind| (letter, kind)));
            }
        }
        found
    }

    /// The type of a letter; `None` if it is in fewer than two of `A`, `B` and `C`.
    pub fn dim_type(&self, letter: char) -> Option<DimType> {
        let input = |at: usize| self.inputs.get(at).is_some_and(|own| own.contains(&letter));
        DimType::of(input(0), input(1), self.output.contains(&letter))
    }
}

impl std::fmt::Display for Einsum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let inputs: Vec<String> = self.inputs.iter().map(|own| own.iter().collect()).collect();
        let output: String = self.output.iter().collect();
        write!(f, "{} -> {output}", inputs.join(", "))
    }
}
