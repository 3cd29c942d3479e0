//! The reference: every dimension as one loop, sums in double.

use super::entry::{input, parameter, unused};
use super::lines::{indented, wrapped};
use super::names::{self, place};
use crate::nest::Loop;
use crate::{DimType, LastTouch, Nest, Param, Signature, template};

const TEXT: &str = include_str!("text/reference.c");

pub(super) fn text(nest: &Nest, signature: &Signature, name: &str) -> String {
    let scaled = nest.last == LastTouch::ElementwiseMul;
    let loops = loops(nest, scaled);
    let all = nest.plain.loops.iter();
    let named = all
        .filter(|l| !l.extent.is(1))
        .map(|l| (l.name.as_str(), &l.strides));
    let tensors = if scaled { 4 } else { 3 };
    let strides: Vec<String> = names::strides(named, tensors)
        .iter()
        .map(|of_tensor| wrapped("const size_t ", &(of_tensor.join(", ") + ";"), 2))
        .collect();
    let strides = strides.join("\n");
    let sizes = names::sizes(&nest.sizes, &format!("{loops}\n{strides}"));
    let params: Vec<String> = signature
        .parameters
        .iter()
        .filter(|p| !matches!(p, Param::Scratch(_)))
        .map(parameter)
        .collect();
    let first = format!("void {name}(");
    let values = [
        ("head", wrapped(&first, &(params.join(", ") + ") {"), 0)),
        ("unused", unused(signature, &sizes, scaled)),
        ("sizes", sizes),
        ("strides", strides.clone()),
        ("loops", indented(&loops, 1)),
    ];
    template::fill(TEXT, &[("strides", !strides.is_empty())], &values)
}

fn loops(nest: &Nest, scaled: bool) -> String {
    let (sums, outer): (Vec<&Loop>, Vec<&Loop>) = nest
        .plain
        .loops
        .iter()
        .filter(|l| !l.extent.is(1))
        .partition(|l| l.dim_type == DimType::K);
    let heads = |loops: &[&Loop], from: usize| -> String {
        let head = |(at, l): (usize, &&Loop)| {
            let index = l.index();
            let text = format!(
                "for (size_t {index} = 0; {index} < {}; {index}++)",
                l.extent
            );
            indented(&text, from + at)
        };
        loops.iter().enumerate().map(head).collect()
    };
    let plain = &nest.plain;
    let bounds = |of_sums: bool| -> Vec<String> {
        let bounds = plain.bounds.iter();
        bounds
            .filter(|bound| bound.is_summed(&plain.loops) == of_sums)
            .map(|bound| format!("{} < {}", bound.sum(&plain.loops), bound.limit))
            .collect()
    };
    let element = |tensor: usize, name: &str| {
        let places = place(tensor, nest.plain.loops.iter().filter(|l| !l.extent.is(1)));
        match places.len() {
            0 => format!("{name}[0]"),
            _ => format!("{name}[{}]", places.join(" + ")),
        }
    };
    let mut body = "double sum = 0;\n".to_string();
    body += &heads(&sums, 0);
    let mut depth = sums.len();
    let conditions = bounds(true);
    if !conditions.is_empty() {
        body += &indented(&format!("if ({})", conditions.join(" && ")), depth);
        depth += 1;
    }
    let product = format!("{} * {};", element(0, input(0)), element(1, input(1)));
    let column = 2 * (outer.len() + depth + 1);
    body += &indented(&wrapped("sum += (double)", &product, column), depth);
    let result = match scaled {
        true => format!("(float)(sum * {})", element(3, input(3))),
        false => "(float)sum".to_string(),
    };
    body += &format!("{} = {result};\n", element(2, "out_c"));
    let mut out = heads(&outer, 0);
    let mut depth = outer.len();
    let conditions = bounds(false);
    if !conditions.is_empty() {
        out += &indented(&format!("if ({})", conditions.join(" && ")), depth);
        depth += 1;
    }
    if depth == 0 {
        return body;
    }
    out = format!("{} {{\n", out.trim_end());
    out + &indented(&body, depth) + &indented("}", depth - 1)
}
