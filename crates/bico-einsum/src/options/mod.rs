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
use std::fmt::Write;

/// What the texts are written for. Every letter of the einsum is an integer argument of that name.
#[derive(Debug, Clone)]
pub(crate) struct Operands<'a> {
    pub(crate) einsum: &'a Einsum,
    /// The element type of the inputs: `F32`, or `F16` on a GPU.
    pub(crate) input: Float,
    /// The element type of the output.
    pub(crate) output: Float,
}

impl Operands<'_> {
    /// The group of this type that is cut into tiles.
    pub(crate) fn tiled(&self, dim_type: DimType) -> Option<Group> {
        let mut groups = self.einsum.plan().groups.into_iter();
        groups.find(|group| group.tiled && group.dim_type == dim_type)
    }

    /// Elements along the tiled group of this type, as an expression in parentheses.
    pub(crate) fn tiled_size(&self, dim_type: DimType) -> String {
        self.tiled(dim_type)
            .map_or_else(|| "1".to_string(), |group| product(&group.letters))
    }

    /// Elements along all other groups of these types, as an expression in parentheses.
    pub(crate) fn untiled_size(&self, types: &[DimType]) -> String {
        let groups = self.einsum.plan().groups.into_iter();
        let letters: Vec<char> = groups
            .filter(|group| !group.tiled && types.contains(&group.dim_type))
            .flat_map(|group| group.letters)
            .collect();
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

/// The options, each as it would stand in the attribute.
#[derive(Debug, Clone, Default)]
pub(crate) struct Text {
    /// `("M_PRIM", "in [32, 64]")`, `("TILES", "= M_PRIM / MR")`.
    pub(crate) space: Vec<(&'static str, String)>,
    /// Conditions.
    pub(crate) require: Vec<String>,
    /// `"grid = .., block = .., shared = .."`, on a GPU.
    pub(crate) launch: Option<String>,
    /// The reference's launch, on a GPU.
    pub(crate) reference_launch: Option<String>,
    /// `"PACK_A: f32, len = M_PRIM * K_PRIM"`.
    pub(crate) scratch: Vec<String>,
    /// Without quotes.
    pub(crate) flags: Vec<String>,
    /// Bytes moved by one call.
    pub(crate) bytes: Option<String>,
    /// The ranking's formula.
    pub(crate) score: Option<String>,
    /// The relative tolerance, where it is not the default.
    pub(crate) rtol: Option<String>,
}

impl Text {
    /// The whole, as the inside of an attribute; `kernel` and `reference` are functions of the generated source.
    pub(crate) fn options(&self, operands: &Operands<'_>, kernel: &str, reference: &str) -> String {
        let mut out = format!("entry = \"{kernel}\", space(");
        for (name, domain) in &self.space {
            let _ = write!(out, "{name} {domain}, ");
        }
        let _ = write!(out, "), require({})", self.require.join(", "));
        if let Some(launch) = &self.launch {
            let _ = write!(out, ", launch({launch})");
        }
        for scratch in &self.scratch {
            let _ = write!(out, ", scratch({scratch})");
        }
        if !self.flags.is_empty() {
            let _ = write!(out, ", flags = {:?}", self.flags);
        }
        let _ = write!(out, ", work(flops = {}", operands.flops());
        if let Some(bytes) = &self.bytes {
            let _ = write!(out, ", bytes = {bytes}");
        }
        out.push(')');
        if let Some(score) = &self.score {
            let _ = write!(out, ", score = {score}");
        }
        let _ = write!(out, ", verify(reference = \"{reference}\"");
        if let Some(launch) = &self.reference_launch {
            let _ = write!(out, ", launch({launch})");
        }
        if let Some(rtol) = &self.rtol {
            let _ = write!(out, ", rtol = {rtol}");
        }
        out.push(')');
        out
    }
}
