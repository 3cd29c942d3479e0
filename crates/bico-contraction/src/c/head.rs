//! What stands above the functions: comment, macros, types.

use super::facts::{Facts, Packing};
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
    let parameters = parameters(facts);
    let values = [
        ("COLS", facts.cols().width.to_string()),
        ("heading", comment(&facts.nest.heading)),
        (
            "parameters",
            comment(
                &parameters
                    .iter()
                    .map(|(name, _, what)| format!("  {name:<6}  {what}"))
                    .collect::<Vec<_>>(),
            ),
        ),
        ("scratch", comment(&scratch(facts))),
        ("defines", defines(&parameters, constants)),
    ];
    template::fill(TEXT, &flags, &values)
}

/// Name, default, meaning.
fn parameters(facts: &Facts<'_>) -> Vec<(&'static str, &'static str, String)> {
    let rows = facts.rows();
    // Whole vectors on the side that has them.
    let default = |width: &str| if width == rows.width { "6" } else { "16" };
    let mut all = vec![
        ("VL", "8", "floats per vector: 4, 8 or 16".to_string()),
        ("MR", default("MR"), side_of_tile(facts, 0)),
        ("NR", default("NR"), side_of_tile(facts, 1)),
    ];
    if facts.open {
        all.extend([
            (
                "M_PRIM",
                "96",
                "length of a block along M, a multiple of MR".into(),
            ),
            (
                "N_PRIM",
                "384",
                "length of a block along N, a multiple of NR".into(),
            ),
            ("K_PRIM", "256", "depth of a block, along K".into()),
        ]);
    }
    if facts.nest.swap.is_some() {
        all.push((
            "ORDER",
            "nm",
            "the loop over blocks outside of K: mn: M (A is kept); nm: N".into(),
        ));
    }
    all.push((
        "KU",
        "1",
        "steps along K per pass of the innermost loop".into(),
    ));
    all.push((
        "PF_A",
        "0",
        format!(
            "distance in steps along K at which packed {} is prefetched; 0: never",
            rows.tensor
        ),
    ));
    if facts.direct {
        all.push((
            "PF_C",
            "0",
            "1: prefetch the tile of C before its sums; 0: do not".into(),
        ));
    }
    all
}

fn side_of_tile(facts: &Facts<'_>, side: usize) -> String {
    let along = ["M", "N"][side];
    if facts.cols().index == side {
        format!("length of the register tile along {along}, a multiple of VL")
    } else {
        format!("length of the register tile along {along}")
    }
}

/// `packed_a  M_PRIM * K_PRIM`.
fn scratch(facts: &Facts<'_>) -> Vec<String> {
    let of_side = |side: usize| {
        let lines = &facts.nest.tile[side].size;
        let depth = &facts.nest.tile[2].size;
        let width = facts.sides[side].width;
        let rounded = match facts.open || !facts.sides[side].ragged {
            true => lines.to_string(),
            false => format!("({lines} rounded up to a multiple of {width})"),
        };
        format!("  packed_{}  {rounded} * {depth}", ["a", "b"][side])
    };
    vec![of_side(0), of_side(1)]
}

/// A given constant as it is, the others as defaults.
fn defines(
    parameters: &[(&'static str, &'static str, String)],
    constants: &[(String, String)],
) -> String {
    let mut out = String::new();
    let given = |name: &str| constants.iter().find(|(known, _)| known == name);
    for (name, value) in constants {
        out += &format!("#define {name} {value}\n");
    }
    for (name, value, _) in parameters.iter().filter(|(name, ..)| given(name).is_none()) {
        out += &format!("#ifndef {name}\n#define {name} {value}\n#endif\n");
    }
    out
}
