//! The options that `einsum = ".."` stands for, as text of the attribute's own language.
//!
//! bico writes the kernel of a contraction itself, so its space, conditions and launch are bico's too. They are
//! written out here and read by the parser that reads everybody's: what a program or the build later knows of
//! the tunable is what it would know of one that somebody wrote by hand.
//!
//! Names of `let` end in `_`: no argument of the wrapper is likely to have them.

pub(crate) mod cpu;
pub(crate) mod cuda;
pub mod l2;

use crate::{DimType, Einsum, Float, Group};

/// What the texts are written for. Every letter of the einsum is an integer argument of that name.
pub(crate) struct Operands<'a> {
    pub(crate) einsum: &'a Einsum,
    /// The element type of the inputs: `F32`, or `F16` on a GPU.
    pub(crate) input: Float,
    /// The element type of the output.
    pub(crate) output: Float,
    /// The kernel's function in the generated source.
    pub(crate) kernel: &'a str,
    /// The reference's function in the same source.
    pub(crate) reference: &'a str,
    /// Conditions of the arguments, each followed by a comma.
    pub(crate) require: &'a str,
}

impl Operands<'_> {
    /// The group of this type that is cut into tiles.
    pub(crate) fn tiled(&self, dim_type: DimType) -> Option<Group> {
        self.einsum.plan().tiled(dim_type).cloned()
    }

    /// Elements along the tiled group of this type, as an expression in parentheses.
    pub(crate) fn tiled_size(&self, dim_type: DimType) -> String {
        self.tiled(dim_type)
            .map_or_else(|| "1".to_string(), |group| product(&group.letters))
    }

    /// Elements along all other groups of these types, as an expression in parentheses.
    pub(crate) fn untiled_size(&self, types: &[DimType]) -> String {
        let mut groups = self.einsum.plan().groups;
        groups.retain(|group| !group.tiled && types.contains(&group.dim_type));
        let letters: Vec<char> = groups.into_iter().flat_map(|group| group.letters).collect();
        product(&letters)
    }

    /// Multiplications and additions, and D's multiplications, of one call.
    fn flops(&self) -> String {
        let letters: Vec<char> = self.einsum.letters().iter().map(|(c, _)| *c).collect();
        let sums = format!("2 * {}", product(&letters));
        match self.einsum.inputs.len() {
            3 => format!("{sums} + {}", product(&self.einsum.output)),
            _ => sums,
        }
    }
}

/// The product of the letters' sizes, as an expression in parentheses.
pub(crate) fn product(letters: &[char]) -> String {
    let letters: Vec<String> = letters.iter().map(char::to_string).collect();
    match letters.is_empty() {
        true => "1".to_string(),
        false => format!("({})", letters.join(" * ")),
    }
}
