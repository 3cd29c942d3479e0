//! What stands above the functions: comment, macros, types.

use super::Tiling;
use super::facts::{Facts, Side};

/// `packed_a  M_PRIM * K_PRIM`.
pub(super) fn scratch(facts: &Facts<'_>) -> Vec<String> {
    let depth = &facts.nest.tile[2].extent;
    let of_side = |side: &Side| {
        let (lines, width) = (&facts.nest.tile[side.index].extent, side.width);
        let rounded = match facts.open || !side.ragged {
            true => lines.to_string(),
            false => format!("({lines} rounded up to a multiple of {width})"),
        };
        format!("  packed_{}  {rounded} * {depth}", side.lower())
    };
    facts.sides.iter().map(of_side).collect()
}

/// A given constant as it is, the others as defaults.
pub(super) fn defines(facts: &Facts<'_>, tiling: Option<&Tiling>) -> String {
    let constants = tiling.map_or(Vec::new(), Tiling::constants);
    // Whole vectors on the side that has them.
    let [mr, nr] = match facts.swapped {
        true => ["16", "6"],
        false => ["6", "16"],
    };
    let defaults = [
        (true, "VL", "8"),
        (true, "MR", mr),
        (true, "NR", nr),
        (facts.open, "M_PRIM", "96"),
        (facts.open, "N_PRIM", "384"),
        (facts.open, "K_PRIM", "256"),
        (facts.nest.swap.is_some(), "ORDER", "nm"),
        (true, "KU", "1"),
        (true, "PF_A", "0"),
        (facts.direct, "PF_C", "0"),
    ];
    let mut out = String::new();
    for (name, value) in &constants {
        out += &format!("#define {name} {value}\n");
    }
    for (is_there, name, value) in defaults {
        if is_there && !constants.iter().any(|(given, _)| *given == name) {
            out += &format!("#ifndef {name}\n#define {name} {value}\n#endif\n");
        }
    }
    out
}
