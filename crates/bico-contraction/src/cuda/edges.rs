//! What exists of a tile, and where it begins.

use super::side::in_parentheses;
use crate::DimType;
use crate::nest::{Bound, Nest, Term};

/// How many of `most` indices of a side of the tile exist, as an expression: `most` itself where no bound
/// says anything.
pub(super) fn extent(nest: &Nest, side: usize, most: &str) -> String {
    let mut out = most.to_string();
    for bound in &nest.bounds {
        let limit = &bound.limit;
        let used = bound.sum_of(&nest.loops, &|l, factor| product(&l.index(), factor));
        match &bound.tile {
            Some((own, factor)) if *own == side => {
                let factor = match factor.is(1) {
                    true => String::new(),
                    false => format!(", {factor}"),
                };
                out = format!("remaining({limit}, {used}, {out}{factor})");
            }
            None if speaks_of(nest, bound, side) => {
                out = format!("({used} < {} ? {out} : 0)", limit.factor());
            }
            _ => {}
        }
    }
    out
}

/// Whether a bound without a tile is about a side: where it does not hold, nothing of that side may be
/// read. C dimensions are of both inputs.
fn speaks_of(nest: &Nest, bound: &Bound, side: usize) -> bool {
    let mut types = bound.loops.iter().map(|(l, _)| nest.loops[*l].dim_type);
    types.any(|dim_type| match dim_type {
        DimType::M => side == 0,
        DimType::N => side == 1,
        DimType::K => side == 2,
        DimType::C => side < 2,
    })
}

/// So many steps of a stride, as an expression of type `size_t` or an index; `None` for a stride of 0.
pub(super) fn product(index: &str, stride: &Term) -> Option<String> {
    match stride.value {
        Some(0) => None,
        Some(1) => Some(index.to_string()),
        // A product of macros alone would be one of `int`.
        _ => Some(format!("(size_t){index} * {}", in_parentheses(stride))),
    }
}
