//! The kernel: loops over blocks.

use super::super::nest::{Bound, Loop};
use super::super::{DimType, Param, Signature, template};
use super::facts::{self, Facts, Packing, extent, index, place};
use super::lines::{indented, wrapped};

const ENTRY: &str = include_str!("text/entry.c");
const BODY: &str = include_str!("text/body.c");

pub(super) fn text(facts: &Facts<'_>, signature: &Signature) -> String {
    let nest = facts.nest;
    let loops = loops(facts);
    let named = facts
        .running()
        .map(|(_, l)| (l.name.as_str(), &l.strides))
        .chain(nest.tile.iter().map(|t| (t.name.as_str(), &t.strides)));
    let tensors = if facts.scaled { 4 } else { 3 };
    let declared: Vec<Vec<String>> = facts::strides(named, tensors)
        .into_iter()
        .map(|of_tensor| {
            of_tensor
                .into_iter()
                .filter(|stride| {
                    let name = stride.split(' ').next().unwrap_or("");
                    facts::has_word(&loops, name)
                })
                .collect::<Vec<_>>()
        })
        .filter(|of_tensor| !of_tensor.is_empty())
        .collect();
    let strides: Vec<String> = declared
        .iter()
        .map(|of_tensor| wrapped("const size_t ", &(of_tensor.join(", ") + ";"), 2))
        .collect();
    let extents: Vec<String> = facts
        .running()
        .map(|(_, l)| (extent(l), &l.extent.text))
        .filter(|(name, text)| name != *text)
        .map(|(name, text)| format!("const size_t {name} = {text};"))
        .collect();
    let (strides, extents) = (strides.join("\n"), extents.join("\n"));
    let sizes = facts::sizes(&nest.sizes, &format!("{loops}\n{strides}\n{extents}"));
    let flags = [
        ("strides", !strides.is_empty()),
        ("keeps_a", facts.keeps(0)),
        ("keeps_b", facts.keeps(1)),
    ];
    let parameters = signature.parameters.iter();
    let params: Vec<String> = parameters.clone().map(parameter).collect();
    let first = format!("void {}(", signature.entry);
    let values = [
        ("head", wrapped(&first, &(params.join(", ") + ") {"), 0)),
        ("unused", unused(signature, &sizes, facts.scaled)),
        ("sizes", sizes),
        ("strides", strides),
        ("extents", extents),
        ("loops", indented(&loops, 1)),
    ];
    template::fill(ENTRY, &flags, &values)
}

/// A parameter's declaration.
pub(super) fn parameter(parameter: &Param) -> String {
    match parameter {
        Param::Tensor(2) => "float *restrict out_c".to_string(),
        Param::Tensor(tensor) => format!("const float *restrict {}", input(*tensor)),
        Param::Size { letter, c_type } => format!("{c_type} {letter}"),
        Param::Scratch(number) => {
            let name = ["packed_a", "packed_b"].get(*number);
            format!("float *restrict {}", name.unwrap_or(&"more_scratch"))
        }
    }
}

/// An input's name.
pub(super) fn input(tensor: usize) -> &'static str {
    match tensor {
        0 => "in_a",
        1 => "in_b",
        _ => "in_d",
    }
}

/// Says of parameters that the text does not need that this is meant.
pub(super) fn unused(signature: &Signature, sizes: &str, scaled: bool) -> String {
    let mut out = String::new();
    for parameter in &signature.parameters {
        let name = match parameter {
            Param::Size { letter, .. } => letter.to_string(),
            Param::Tensor(3) if !scaled => input(3).to_string(),
            _ => continue,
        };
        if !facts::has_word(sizes, &name) {
            out += &format!("  (void){name};\n");
        }
    }
    out
}

/// All loops with what is in them.
fn loops(facts: &Facts<'_>) -> String {
    let running: Vec<(usize, &Loop)> = facts.running().collect();
    let head = |(number, l): &(usize, &Loop), depth: usize| {
        let (index, extent) = (index(l), extent(l));
        debug_assert!(facts.nest.loops.get(*number) == Some(*l));
        indented(
            &format!("for (size_t {index} = 0; {index} < {extent}; {index}++)"),
            depth,
        )
    };
    let heads = |order: &[(usize, &Loop)], from: usize| -> String {
        let lines = order.iter().enumerate();
        lines.map(|(at, l)| head(l, from + at)).collect()
    };
    let place = |number: usize| running.iter().position(|(at, _)| *at == number);
    let swap = facts.nest.swap.and_then(|(m, n)| place(m).zip(place(n)));
    let mut out = String::new();
    match swap {
        Some((first, second)) if first < second => {
            let mut swapped = running.clone();
            swapped.swap(first, second);
            out += &heads(&running[..first], 0);
            out += "#if ORDER == nm\n";
            out += &heads(&swapped[first..=second], first);
            out += "#else\n";
            out += &heads(&running[first..=second], first);
            out += "#endif\n";
            out += &heads(&running[second + 1..], second + 1);
        }
        _ => out += &heads(&running, 0),
    }
    if running.is_empty() {
        return body(facts);
    }
    if let Some(end) = out
        .strip_suffix('\n')
        .filter(|_| !out.ends_with("#endif\n"))
    {
        out = format!("{end} {{\n");
    } else {
        out += &indented("{", running.len() - 1);
    }
    out += &indented(&body(facts), running.len());
    out += &indented("}", running.len() - 1);
    out
}

/// One step: what there is of the blocks, their packing, their product.
fn body(facts: &Facts<'_>) -> String {
    let nest = facts.nest;
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
    let is_later: Vec<String> = facts.sums().map(|l| format!("{} > 0", index(l))).collect();
    let is_last: Vec<String> = facts
        .sums()
        .map(|l| format!("{} + 1 == {}", index(l), extent(l)))
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
    debug_assert_eq!(nest.tile.len(), 3);
    template::fill(BODY, &flags, &values)
}

/// A tile's stride in a tensor: its name, or 0 or 1.
fn constant(facts: &Facts<'_>, tensor: usize, side: usize) -> String {
    let tile = &facts.nest.tile[side];
    match tile.strides[tensor].value {
        Some(value @ 0..=1) => value.to_string(),
        _ => facts::stride(tensor, &tile.name),
    }
}

/// How much of the blocks there is, and what is left out altogether.
fn sides(facts: &Facts<'_>) -> String {
    let mut out = String::new();
    for bound in facts.nest.bounds.iter().filter(|b| b.tile.is_none()) {
        if !sums(facts, bound) {
            out += &format!(
                "if ({} >= {})\n  continue;\n",
                first(facts, bound),
                bound.limit
            );
        }
    }
    for (side, letter) in ["m", "n", "k"].into_iter().enumerate() {
        let size = &facts.nest.tile[side].size;
        let of_side = facts.nest.bounds.iter().filter_map(|bound| {
            let (_, factor) = bound.tile.as_ref().filter(|(tile, _)| *tile == side)?;
            let count = size.times(factor);
            let left = format!("inside({}, {}, {count})", bound.limit, first(facts, bound));
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
            .filter(|bound| side == 2 && bound.tile.is_none() && sums(facts, bound))
            .map(|bound| format!("{} < {}", first(facts, bound), bound.limit))
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

/// True if a bound is one of what is summed over.
fn sums(facts: &Facts<'_>, bound: &Bound) -> bool {
    let loops = bound.loops.iter();
    loops
        .map(|(number, _)| &facts.nest.loops[*number])
        .any(|l| l.dim_type == DimType::K)
}

/// The weighted sum of the loops' indices.
pub(super) fn first(facts: &Facts<'_>, bound: &Bound) -> String {
    weighted(&facts.nest.loops, bound)
}

/// `i_m_out * 64 + i_m`; loops that do not run do not count.
pub(super) fn weighted(loops: &[Loop], bound: &Bound) -> String {
    let terms: Vec<String> = bound
        .loops
        .iter()
        .map(|(number, factor)| (&loops[*number], factor))
        .filter(|(l, _)| !l.extent.is(1))
        .map(|(l, factor)| match factor.value {
            Some(1) => index(l),
            _ => format!("{} * {}", index(l), factor.factor()),
        })
        .collect();
    match terms.len() {
        0 => "0".to_string(),
        _ => terms.join(" + "),
    }
}
