//! The packing functions and the inner product.

use super::facts::{Facts, Packing};
use crate::template;

const PACK: &str = include_str!("text/pack.c");
const PRODUCT: &str = include_str!("text/product.c");

/// One packing function per input.
pub(super) fn packing(facts: &Facts<'_>) -> String {
    let of_side = |side: &super::facts::Side| {
        let flags = [
            ("ragged", side.ragged),
            ("quads", facts.quads),
            ("straight", side.packing == Packing::Straight),
            ("turned", side.packing == Packing::Turned),
            ("scattered", side.packing == Packing::Scattered),
        ];
        let values = [
            ("T", side.tensor.to_string()),
            ("t", side.lower().to_string()),
            ("WIDTH", side.width.to_string()),
        ];
        template::fill(PACK, &flags, &values)
    };
    facts.sides.iter().map(of_side).collect()
}

/// From a step along K to the product of two packed blocks.
pub(super) fn text(facts: &Facts<'_>) -> String {
    let flags = [
        ("direct", facts.direct),
        ("edges", facts.edges()),
        ("both", facts.direct && facts.edges()),
        ("scaled", facts.scaled),
        ("deep_ragged", facts.deep_ragged),
    ];
    let (rows, cols) = (facts.rows(), facts.cols());
    let values = [
        ("ROWS", rows.width.to_string()),
        ("COLS", cols.width.to_string()),
        ("R", rows.tensor.to_string()),
        ("C", cols.tensor.to_string()),
        ("r", rows.lower().to_string()),
        ("c", cols.lower().to_string()),
    ];
    template::fill(PRODUCT, &flags, &values)
}
