//! What stands above the functions: comment, macros, types.

use super::facts::{Facts, Packing, Side};
use crate::template::{self, comment};

const TEXT: &str = include_str!("text/head.c");

pub(super) fn text(facts: &Facts<'_>, constants: &[(String, String)]) -> String {
    let turned = facts.sides.iter().any(|s| s.packing == Packing::Turned);
    let ragged = facts.sides.iter().any(|side| side.ragged);
    let bounded = facts.nest.bounds.iter().any(|bound| bound.tile.is_some());
    let flags = [
        ("swapped", facts.swapped),
        ("ordered", facts.nest.swap.is_some()),
        ("open", facts.open),
        ("direct", facts.direct),
        ("turned", turned),
        ("remembers", facts.keeps(0) || facts.keeps(1)),
        ("clips", ragged || bounded || !facts.direct),
        ("bounded", bounded),
    ];
    let values = [
        ("COLS", facts.cols().width.to_string()),
        ("R", facts.rows().tensor.to_string()),
        ("heading", comment(&facts.nest.heading)),
        ("scratch", comment(&scratch(facts))),
        ("defines", defines(facts, constants)),
    ];
    template::fill(TEXT, &flags, &values)
}

/// `packed_a  M_PRIM * K_PRIM`.
fn scratch(facts: &Facts<'_>) -> Vec<String> {
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
fn defines(facts: &Facts<'_>, constants: &[(String, String)]) -> String {
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
    for (name, value) in constants {
        out += &format!("#define {name} {value}\n");
    }
    for (is_there, name, value) in defaults {
        if is_there && !constants.iter().any(|(given, _)| given == name) {
            out += &format!("#ifndef {name}\n#define {name} {value}\n#endif\n");
        }
    }
    out
}
