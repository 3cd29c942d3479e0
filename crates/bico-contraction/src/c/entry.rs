//! The kernel: loops over blocks.

use super::facts::Facts;
use super::lines::{indented, wrapped};
use super::names::{self, extent};
use super::step;
use crate::nest::{Loop, Term};
use crate::{DimType, Param, Signature, template};

const ENTRY: &str = include_str!("text/entry.c");

pub(super) fn text(facts: &Facts<'_>, signature: &Signature) -> String {
    let nest = facts.nest;
    let loops = loops(facts);
    let named = facts
        .running()
        .map(|(_, l)| (l.name.as_str(), &l.strides))
        .chain(nest.tile.iter().map(|t| (t.name.as_str(), &t.strides)));
    let tensors = if facts.scaled { 4 } else { 3 };
    let declared: Vec<Vec<String>> = names::strides(named, tensors)
        .into_iter()
        .map(|of_tensor| {
            of_tensor
                .into_iter()
                .filter(|stride| {
                    let name = stride.split(' ').next().unwrap_or("");
                    template::has_word(&loops, name)
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
    let (no_sums, elements) = (no_sums(facts), elements(facts));
    let mut named = format!("{loops}\n{strides}\n{extents}");
    if facts.open {
        named += &format!("\n{no_sums}\n{elements}");
    }
    let sizes = names::sizes(&nest.sizes, &named);
    let flags = [
        ("strides", !strides.is_empty()),
        // A schedule has no sizes of 0.
        ("empty_sums", facts.open && !no_sums.is_empty()),
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
        ("no_sums", no_sums),
        ("elements", elements),
        ("extents", extents),
        ("loops", indented(&loops, 1)),
    ];
    template::fill(ENTRY, &flags, &values)
}

/// The condition that some index to sum over has no values.
fn no_sums(facts: &Facts<'_>) -> String {
    let loops = facts.nest.plain.loops.iter();
    let sums = loops.filter(|l| l.dim_type == DimType::K);
    let empty: Vec<String> = sums.map(|l| format!("{} == 0", l.extent)).collect();
    empty.join(" || ")
}

/// How many elements C has, which is dense.
fn elements(facts: &Facts<'_>) -> String {
    let loops = facts.nest.plain.loops.iter();
    loops
        .filter(|l| l.dim_type != DimType::K)
        .fold(Term::known(1), |product, l| product.times(&l.extent))
        .text
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
        if !template::has_word(sizes, &name) {
            out += &format!("  (void){name};\n");
        }
    }
    out
}

/// All loops with what is in them.
fn loops(facts: &Facts<'_>) -> String {
    let running: Vec<(usize, &Loop)> = facts.running().collect();
    let head = |(_, l): &(usize, &Loop), depth: usize| {
        let (index, extent) = (l.index(), extent(l));
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
        return step::text(facts);
    }
    if let Some(end) = out
        .strip_suffix('\n')
        .filter(|_| !out.ends_with("#endif\n"))
    {
        out = format!("{end} {{\n");
    } else {
        out += &indented("{", running.len() - 1);
    }
    out += &indented(&step::text(facts), running.len());
    out += &indented("}", running.len() - 1);
    out
}
