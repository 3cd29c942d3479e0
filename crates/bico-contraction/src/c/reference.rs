//! The reference: every dimension as one loop, sums in double.

use super::entry::{head, input, unused};
use super::lines::{indented, wrapped};
use super::names::{self, place};
use crate::nest::Loop;
use crate::template::Words;
use crate::{DimType, LastTouch, Nest, Param, Signature};

pub(super) fn text(nest: &Nest, signature: &Signature, name: &str) -> String {
    let scaled = nest.last == LastTouch::ElementwiseMul;
    let running = nest.plain.iter().filter(|l| !l.extent.is(1));
    let loops = loops(nest, &running.clone().collect::<Vec<_>>(), scaled);
    let strides = names::strides(running, &loops);
    let sizes = names::sizes(&nest.sizes, &format!("{loops}\n{strides}"));
    let parameters = signature.parameters.iter();
    let parameters = parameters.filter(|p| !matches!(p, Param::Scratch(_)));
    let mut words = Words::default();
    words.flag("strides", !strides.is_empty());
    words.word("head", head(name, parameters));
    words.word("unused", unused(signature, &sizes, scaled));
    words.word("sizes", sizes);
    words.word("strides", strides);
    words.word("loops", indented(&loops, 1));
    words.fill(include_str!("text/reference.c"))
}

fn loops(nest: &Nest, running: &[&Loop], scaled: bool) -> String {
    // Loops over K or all others, under their bounds.
    let heads = |of_sums: bool| -> Vec<String> {
        let loops = running
            .iter()
            .filter(|l| (l.dim_type == DimType::K) == of_sums);
        let mut heads: Vec<String> = loops.map(|l| names::head(l, &l.extent.text)).collect();
        let bounds = nest.plain_bounds.iter();
        let conditions: Vec<String> = bounds
            .filter(|bound| bound.is_summed(&nest.plain) == of_sums)
            .map(|bound| format!("{} < {}", bound.sum(&nest.plain), bound.limit))
            .collect();
        if !conditions.is_empty() {
            heads.push(format!("if ({})", conditions.join(" && ")));
        }
        heads
    };
    let nested = |heads: &[String]| -> String {
        let lines = heads.iter().enumerate();
        lines.map(|(depth, head)| indented(head, depth)).collect()
    };
    let element = |tensor: usize| {
        let places = place(tensor, running.iter().copied());
        let place = if places.is_empty() {
            "0"
        } else {
            &places.join(" + ")
        };
        format!("{}[{place}]", input(tensor))
    };
    let (outer, sums) = (heads(false), heads(true));
    let mut body = "double sum = 0;\n".to_string() + &nested(&sums);
    let product = format!("{} * {};", element(0), element(1));
    let outer_loops = running.iter().filter(|l| l.dim_type != DimType::K);
    let column = 2 * (outer_loops.count() + sums.len() + 1);
    body += &indented(&wrapped("sum += (double)", &product, column), sums.len());
    let result = match scaled {
        true => format!("(float)(sum * {})", element(3)),
        false => "(float)sum".to_string(),
    };
    body += &format!("{} = {result};\n", element(2));
    if outer.is_empty() {
        return body;
    }
    let depth = outer.len();
    let out = format!("{} {{\n", nested(&outer).trim_end());
    out + &indented(&body, depth) + &indented("}", depth - 1)
}
