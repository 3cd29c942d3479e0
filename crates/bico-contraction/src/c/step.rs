//! What is done in all loops: one block of A times one of B.

use super::entry::input;
use super::facts::{Facts, Packing};
use super::lines::wrapped;
use super::names::{self, extent, place};
use crate::template;

const TEXT: &str = include_str!("text/step.c");

/// One step: what there is of the blocks, their packing, their product.
pub(super) fn text(facts: &Facts<'_>) -> String {
    let at = |name: &str, tensor: usize| {
        let mut parts = vec![name.to_string()];
        parts.extend(place(tensor, facts.running().map(|(_, l)| l)));
        parts.join(" + ")
    };
    let steps = |side: usize| {
        let names: Vec<String> = match facts.sides[side].packing {
            Packing::Straight => vec![constant(facts, side, 2)],
            Packing::Turned => vec![constant(facts, side, side)],
            Packing::Scattered => vec![constant(facts, side, side), constant(facts, side, 2)],
        };
        names
            .iter()
            .map(|name| format!(", {name}"))
            .collect::<String>()
    };
    let (rows, cols) = (facts.rows(), facts.cols());
    let is_later: Vec<String> = facts.sums().map(|l| format!("{} > 0", l.index())).collect();
    let is_last: Vec<String> = facts
        .sums()
        .map(|l| format!("{} + 1 == {}", l.index(), extent(l)))
        .collect();
    let all = |conditions: &[String], operator: &str, none: &str| match conditions.len() {
        0 => none.to_string(),
        _ => conditions.join(operator),
    };
    let mut output = vec![at("out_c", 2), constant(facts, 2, rows.index)];
    if !facts.direct {
        output.push(constant(facts, 2, cols.index));
    }
    output.push(all(&is_later, " || ", "0"));
    if facts.scaled {
        output.push(at("in_d", 3));
        output.push(constant(facts, 3, rows.index));
        if !facts.direct {
            output.push(constant(facts, 3, cols.index));
        }
        output.push(all(&is_last, " && ", "1"));
    }
    let flags = [("keeps_a", facts.keeps(0)), ("keeps_b", facts.keeps(1))];
    let column = 2 * (facts.running().count() + 1);
    let block = |side: usize| {
        let name = facts.sides[side].lower();
        wrapped(
            &format!("const struct block block_{name} = {{"),
            &format!(
                "{}, along_{}, along_k}};",
                at(input(side), side),
                facts.sides[side].letter
            ),
            column,
        )
    };
    let output = output.join(", ") + "};";
    let values = [
        ("sides", sides(facts)),
        ("block_a", block(0)),
        ("block_b", block(1)),
        (
            "output",
            wrapped("const struct output to = {", &output, column),
        ),
        ("a_steps", steps(0)),
        ("b_steps", steps(1)),
        ("r", rows.lower().to_string()),
        ("c", cols.lower().to_string()),
        ("row", rows.letter.to_string()),
        ("col", cols.letter.to_string()),
    ];
    template::fill(TEXT, &flags, &values)
}

/// A tile's stride in a tensor: its name, or 0 or 1.
fn constant(facts: &Facts<'_>, tensor: usize, side: usize) -> String {
    let tile = &facts.nest.tile[side];
    match tile.strides[tensor].value {
        Some(value @ 0..=1) => value.to_string(),
        _ => names::stride(tensor, &tile.name),
    }
}

/// How much of the blocks there is, and what is left out altogether.
fn sides(facts: &Facts<'_>) -> String {
    let mut out = String::new();
    for bound in facts.nest.bounds.iter().filter(|b| b.tile.is_none()) {
        if !bound.is_summed(&facts.nest.loops) {
            out += &format!(
                "if ({} >= {})\n  continue;\n",
                bound.sum(&facts.nest.loops),
                bound.limit
            );
        }
    }
    for (side, letter) in ["m", "n", "k"].into_iter().enumerate() {
        let size = &facts.nest.tile[side].extent;
        let of_side = facts.nest.bounds.iter().filter_map(|bound| {
            let (_, factor) = bound.tile.as_ref().filter(|(tile, _)| *tile == side)?;
            let count = size.times(factor);
            let left = format!(
                "inside({}, {}, {count})",
                bound.limit,
                bound.sum(&facts.nest.loops)
            );
            Some(match factor.value {
                Some(1) => left,
                _ => format!("({left} + {factor} - 1) / {}", factor.factor()),
            })
        });
        let mut bounds: Vec<String> = of_side.collect();
        // What is summed over and does not exist adds nothing, but the last touch is still due.
        let nothing: Vec<String> = facts
            .nest
            .bounds
            .iter()
            .filter(|bound| side == 2 && bound.tile.is_none() && bound.is_summed(&facts.nest.loops))
            .map(|bound| format!("{} < {}", bound.sum(&facts.nest.loops), bound.limit))
            .collect();
        let mut count = match bounds.len() {
            0 => size.to_string(),
            _ => bounds.remove(0),
        };
        for other in bounds {
            count = format!("min_size({count}, {other})");
        }
        if !nothing.is_empty() {
            count = format!("{} ? {count} : 0", nothing.join(" && "));
        }
        out += &format!("const size_t along_{letter} = {count};\n");
    }
    out
}
