//! The kernel: loops over blocks.

use super::facts::Facts;
use super::lines::{indented, wrapped};
use super::names::{self, extent};
use super::step;
use crate::nest::{Loop, Term};
use crate::template::{Words, has_word};
use crate::{DimType, Param, Signature};

/// Adds what the kernel itself is filled in with.
pub(super) fn add(words: &mut Words, facts: &Facts<'_>, signature: &Signature) {
    let nest = facts.nest;
    let loops = loops(words, facts);
    let named = facts.running().map(|(_, l)| l).chain(&nest.tile);
    let strides = names::strides(named, &loops);
    let extents: Vec<String> = facts
        .running()
        .map(|(_, l)| (extent(l), &l.extent.text))
        .filter(|(name, text)| name != *text)
        .map(|(name, text)| format!("const size_t {name} = {text};"))
        .collect();
    let extents = extents.join("\n");
    let (no_sums, elements) = (no_sums(facts), elements(facts));
    let mut named = format!("{loops}\n{strides}\n{extents}");
    if facts.open {
        named += &format!("\n{no_sums}\n{elements}");
    }
    let sizes = names::sizes(&nest.sizes, &named);
    words.flag("strides", !strides.is_empty());
    // A schedule has no sizes of 0.
    words.flag("empty_sums", facts.open && !no_sums.is_empty());
    words.word("head", head(&signature.entry, signature.parameters.iter()));
    words.word("unused", unused(signature, &sizes, facts.scaled));
    words.word("sizes", sizes);
    words.word("strides", strides);
    words.word("no_sums", no_sums);
    words.word("elements", elements);
    words.word("extents", extents);
    words.word("loops", indented(&loops, 1));
}

/// A function up to its opening brace.
pub(super) fn head<'p>(name: &str, parameters: impl Iterator<Item = &'p Param>) -> String {
    let parameters: Vec<String> = parameters.map(parameter).collect();
    let first = format!("void {name}(");
    wrapped(&first, &(parameters.join(", ") + ") {"), 0)
}

/// The condition that some index to sum over has no values.
fn no_sums(facts: &Facts<'_>) -> String {
    let loops = facts.nest.plain.iter();
    let sums = loops.filter(|l| l.dim_type == DimType::K);
    let empty: Vec<String> = sums.map(|l| format!("{} == 0", l.extent)).collect();
    empty.join(" || ")
}

/// How many elements C has, which is dense.
fn elements(facts: &Facts<'_>) -> String {
    let loops = facts.nest.plain.iter();
    loops
        .filter(|l| l.dim_type != DimType::K)
        .fold(Term::known(1), |product, l| product.times(&l.extent))
        .text
}

/// A parameter's declaration.
fn parameter(parameter: &Param) -> String {
    match parameter {
        Param::Tensor(2) => "float *restrict out_c".to_string(),
        Param::Tensor(tensor) => format!("const float *restrict {}", input(*tensor)),
        Param::Size { letter, c_type } => format!("{c_type} {letter}"),
        Param::Scratch(0) => "float *restrict packed_a".to_string(),
        Param::Scratch(1) => "float *restrict packed_b".to_string(),
        Param::Scratch(_) => "float *restrict more_scratch".to_string(),
    }
}

/// An input's name.
pub(super) fn input(tensor: usize) -> &'static str {
    ["in_a", "in_b", "out_c", "in_d"][tensor]
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
        if !has_word(sizes, &name) {
            out += &format!("  (void){name};\n");
        }
    }
    out
}

/// All loops with what is in them.
fn loops(words: &mut Words, facts: &Facts<'_>) -> String {
    let running: Vec<(usize, &Loop)> = facts.running().collect();
    let depth = running.len();
    let step = step::text(words, facts);
    if depth == 0 {
        return step;
    }
    let heads = |order: &[(usize, &Loop)], from: usize| -> String {
        let lines = order.iter().zip(from..);
        let line = |((_, l), depth): (&(usize, &Loop), usize)| {
            indented(&names::head(l, &extent(l)), depth)
        };
        lines.map(line).collect()
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
    match out.ends_with("#endif\n") {
        true => out += &indented("{", depth - 1),
        false => out.insert_str(out.len() - 1, " {"),
    }
    out + &indented(&step, depth) + &indented("}", depth - 1)
}
