//! What both languages say of loops in the same words.

use super::{Bound, Loop, Size, Term};
use crate::DimType;
use crate::template::has_word;

impl Loop {
    /// The name of its index, `i_m_out`.
    pub(crate) fn index(&self) -> String {
        format!("i_{}", self.name)
    }
}

impl Bound {
    /// Whether it is one of what is summed over.
    pub(crate) fn is_summed(&self, loops: &[Loop]) -> bool {
        let mut own = self.loops.iter().map(|(number, _)| &loops[*number]);
        own.any(|l| l.dim_type == DimType::K)
    }

    /// The weighted sum of the indices, `i_m_out * 64 + i_m`; loops that run once do not count.
    pub(crate) fn sum(&self, loops: &[Loop]) -> String {
        self.sum_of(loops, &|l, factor| match factor.value {
            _ if l.extent.is(1) => None,
            Some(1) => Some(l.index()),
            _ => Some(format!("{} * {}", l.index(), factor.factor())),
        })
    }

    /// The sum of what `product` makes of the indices and their factors.
    pub(crate) fn sum_of(
        &self,
        loops: &[Loop],
        product: &dyn Fn(&Loop, &Term) -> Option<String>,
    ) -> String {
        let own = self.loops.iter();
        let terms = own.filter_map(|(at, factor)| product(&loops[*at], factor));
        let terms: Vec<String> = terms.collect();
        match terms.is_empty() {
            true => "0".to_owned(),
            false => terms.join(" + "),
        }
    }
}

/// An element's place in a tensor as a sum, `i_m_out * a_m_out + ..`, with what `stride` calls the strides; empty for the
/// first element.
pub(crate) fn place<'l>(
    tensor: usize,
    loops: impl Iterator<Item = &'l Loop>,
    stride: impl Fn(&Loop) -> String,
) -> Vec<String> {
    loops
        .filter_map(|l| match l.strides[tensor].value {
            Some(0) => None,
            Some(1) => Some(l.index()),
            _ => Some(format!("{} * {}", l.index(), stride(l))),
        })
        .collect()
}

/// Statements that declare the sizes that `text` names; `product` writes the product of some letters' sizes.
pub(crate) fn declared(sizes: &[Size], text: &str, product: impl Fn(&[char]) -> String) -> String {
    let named = sizes.iter().filter(|size| has_word(text, &size.name));
    named
        .map(|size| format!("const size_t {} = {};\n", size.name, product(&size.letters)))
        .collect()
}

/// The product of numbers that are all known.
pub(crate) fn product<'t>(mut terms: impl Iterator<Item = &'t Term>) -> Option<u64> {
    terms.try_fold(1u64, |product, term| product.checked_mul(term.value?))
}
