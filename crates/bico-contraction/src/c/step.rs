//! What is done in all loops: one block of A times one of B.

use super::entry::input;
use super::facts::{Facts, Packing};
use super::lines::wrapped;
use super::names::{self, extent, place};
use crate::nest::{Bound, Loop};
use crate::template::Words;

/// One step: what there is of the blocks, their packing, their product.
pub(super) fn text(words: &mut Words, facts: &Facts<'_>) -> String {
    let at = |name: &str, tensor: usize| {
        let mut parts = vec![name.to_string()];
        parts.extend(place(tensor, facts.running().map(|(_, l)| l)));
        parts.join(" + ")
    };
    let steps = |side: usize| {
        let sides = match facts.sides[side].packing {
            Packing::Straight => &[2][..],
            Packing::Turned => &[side],
            Packing::Scattered => &[side, 2],
        };
        let steps = sides.iter().map(|other| constant(facts, side, *other));
        steps.map(|step| format!(", {step}")).collect::<String>()
    };
    let (rows, cols) = (facts.rows(), facts.cols());
    let all = |condition: fn(&Loop) -> String, operator: &str, none: &str| {
        let conditions: Vec<String> = facts.sums().map(condition).collect();
        match conditions.is_empty() {
            true => none.to_string(),
            false => conditions.join(operator),
        }
    };
    let mut output = vec![at("out_c", 2), constant(facts, 2, rows.index)];
    if !facts.direct {
        output.push(constant(facts, 2, cols.index));
    }
    output.push(all(|l| format!("{} > 0", l.index()), " || ", "0"));
    if facts.scaled {
        output.push(at("in_d", 3));
        output.push(constant(facts, 3, rows.index));
        if !facts.direct {
            output.push(constant(facts, 3, cols.index));
        }
        let is_last = |l: &Loop| format!("{} + 1 == {}", l.index(), extent(l));
        output.push(all(is_last, " && ", "1"));
    }
    let column = 2 * (facts.running().count() + 1);
    let block = |side: usize| {
        let (name, letter) = (facts.sides[side].lower(), facts.sides[side].letter);
        let first = format!("const struct block block_{name} = {{");
        let rest = format!("{}, along_{letter}, along_k}};", at(input(side), side));
        wrapped(&first, &rest, column)
    };
    let output = output.join(", ") + "};";
    let output = wrapped("const struct output to = {", &output, column);
    words.word("sides", sides(facts));
    words.word("block_a", block(0));
    words.word("block_b", block(1));
    words.word("output", output);
    words.word("a_steps", steps(0));
    words.word("b_steps", steps(1));
    words.fill(include_str!("text/step.c"))
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
    let nest = facts.nest;
    let sum = |bound: &Bound| bound.sum(&nest.loops);
    // What is summed over and does not exist adds nothing, but the last touch is still due.
    let untiled = nest.bounds.iter().filter(|bound| bound.tile.is_none());
    let (summed, others): (Vec<&Bound>, Vec<&Bound>) =
        untiled.partition(|bound| bound.is_summed(&nest.loops));
    let mut out = String::new();
    for bound in others {
        out += &format!("if ({} >= {})\n  continue;\n", sum(bound), bound.limit);
    }
    for (side, letter) in ["m", "n", "k"].into_iter().enumerate() {
        let size = &nest.tile[side].extent;
        let of_side = nest.bounds.iter().filter_map(|bound| {
            let (_, factor) = bound.tile.as_ref().filter(|(tile, _)| *tile == side)?;
            let (limit, sum, count) = (&bound.limit, sum(bound), size.times(factor));
            let left = format!("inside({limit}, {sum}, {count})");
            Some(match factor.is(1) {
                true => left,
                false => format!("({left} + {factor} - 1) / {}", factor.factor()),
            })
        });
        let count = of_side.reduce(|count, other| format!("min_size({count}, {other})"));
        let mut count = count.unwrap_or_else(|| size.to_string());
        if side == 2 && !summed.is_empty() {
            let exists = summed
                .iter()
                .map(|bound| format!("{} < {}", sum(bound), bound.limit));
            let exists = exists.collect::<Vec<_>>().join(" && ");
            count = format!("{exists} ? {count} : 0");
        }
        out += &format!("const size_t along_{letter} = {count};\n");
    }
    out
}
