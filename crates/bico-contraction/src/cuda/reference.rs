//! The reference: one thread per element of C.

use super::{parameters, sizes, tensor_name};
use crate::nest::{self, Loop, Nest};
use crate::template::Words;
use crate::{DataType, DimType, LastTouch, Signature};

/// The text of the reference kernel.
pub(super) fn reference(nest: &Nest, signature: &Signature, entry: &str) -> String {
    let (inner, outer): (Vec<&Loop>, Vec<&Loop>) =
        nest.plain.iter().partition(|l| l.dim_type == DimType::K);
    let index = |l: &&Loop| {
        let (i, extent, divisor) = (l.index(), &l.extent, l.extent.factor());
        format!("const size_t {i} = element % ({extent});\nelement /= {divisor};\n")
    };
    let indices: String = outer.iter().rev().map(index).collect();
    let sides = |summed: bool| {
        let bounds = nest.plain_bounds.iter();
        let bounds = bounds.filter(move |bound| bound.is_summed(&nest.plain) == summed);
        bounds.map(|bound| (bound.sum(&nest.plain), &bound.limit))
    };
    let bounds: String = sides(false)
        .map(|(sum, limit)| format!("if ({sum} >= {limit})\n  return;\n"))
        .collect();
    let element = |tensor: usize| {
        let stride = |l: &Loop| l.strides[tensor].factor();
        let place = nest::place(tensor, nest.plain.iter(), stride).join(" + ");
        let place = if place.is_empty() { "0" } else { &place };
        format!("{}[{place}]", tensor_name(tensor))
    };
    let read = |tensor: usize| match nest.input {
        DataType::F16 => format!("(double)__half2float({})", element(tensor)),
        DataType::F32 => format!("(double){}", element(tensor)),
    };
    let head = |l: &&Loop| {
        let (i, extent) = (l.index(), &l.extent);
        format!("for (size_t {i} = 0; {i} < {extent}; {i}++)")
    };
    let mut lines: Vec<String> = inner.iter().map(head).collect();
    let conditions: Vec<String> = sides(true)
        .map(|(sum, limit)| format!("{sum} < {limit}"))
        .collect();
    if !conditions.is_empty() {
        lines.push(format!("if ({})", conditions.join(" && ")));
    }
    lines.push(format!("sum += {} * {};", read(0), read(1)));
    let lines = lines.iter().enumerate();
    let sums: String = lines
        .map(|(depth, line)| format!("{}{line}\n", "  ".repeat(depth)))
        .collect();
    let result = match nest.output {
        DataType::F16 => "__float2half_rn((float)sum)",
        DataType::F32 => "(float)sum",
    };
    let (to, factor) = (element(2), read(3));
    let sizes = sizes(nest, &format!("{indices} {bounds} {sums} {to} {factor}"));
    let mut words = Words::default();
    words.flag("elementwise", nest.last == LastTouch::ElementwiseMul);
    words.word("entry", entry);
    words.word("parameters", parameters(nest, signature));
    words.word("sizes", sizes);
    words.word("indices", indices);
    words.word("bounds", bounds);
    words.word("sums", sums);
    words.word("factor", factor);
    words.word("to", to);
    words.word("result", result);
    words.fill(include_str!("text/reference.cu"))
}

/// How many elements of C there are to compute, where that is known.
pub(super) fn elements(nest: &Nest) -> Option<u64> {
    let outer = nest.plain.iter().filter(|l| l.dim_type != DimType::K);
    nest::product(outer.map(|l| &l.extent))
}
