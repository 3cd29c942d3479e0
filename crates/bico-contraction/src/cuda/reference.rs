//! The reference: one thread per element of C.

use super::{parameters, sizes, tensor_name};
use crate::nest::{Bound, Loop, Nest};
use crate::{DataType, DimType, LastTouch, Signature};
use std::fmt::Write;

/// The text of the reference kernel.
pub(super) fn reference(nest: &Nest, signature: &Signature, entry: &str) -> String {
    let plain = &nest.plain;
    let (inner, outer): (Vec<&Loop>, Vec<&Loop>) =
        plain.loops.iter().partition(|l| l.dim_type == DimType::K);
    let mut out = String::new();
    let _ = writeln!(
        out,
        "  size_t element = (size_t)blockIdx.x * blockDim.x + threadIdx.x;"
    );
    for l in outer.iter().rev() {
        let _ = writeln!(
            out,
            "  const size_t i_{} = element % ({});\n  element /= {};",
            l.name,
            l.extent,
            l.extent.factor()
        );
    }
    let _ = writeln!(out, "  if (element > 0)\n    return;");
    for bound in plain.bounds.iter().filter(|bound| !is_of_k(nest, bound)) {
        let _ = writeln!(
            out,
            "  if ({} >= {})\n    return;",
            sum(nest, bound),
            bound.limit
        );
    }
    let _ = writeln!(out, "  double sum = 0;");
    let mut indent = "  ".to_string();
    for l in &inner {
        let i = format!("i_{}", l.name);
        let _ = writeln!(
            out,
            "{indent}for (size_t {i} = 0; {i} < {}; {i}++)",
            l.extent
        );
        indent.push_str("  ");
    }
    let bounds = plain.bounds.iter().filter(|bound| is_of_k(nest, bound));
    let conditions: Vec<String> = bounds
        .map(|bound| format!("{} < {}", sum(nest, bound), bound.limit))
        .collect();
    if !conditions.is_empty() {
        let _ = writeln!(out, "{indent}if ({})", conditions.join(" && "));
        indent.push_str("  ");
    }
    let read = |tensor: usize| match nest.input {
        DataType::F16 => format!(
            "(double)__half2float({}[{}])",
            tensor_name(tensor),
            at(plain.loops.iter(), tensor)
        ),
        DataType::F32 => format!(
            "(double){}[{}]",
            tensor_name(tensor),
            at(plain.loops.iter(), tensor)
        ),
    };
    let _ = writeln!(out, "{indent}sum += {} * {};", read(0), read(1));
    if nest.last == LastTouch::ElementwiseMul {
        let _ = writeln!(out, "  sum *= {};", read(3));
    }
    let result = match nest.output {
        DataType::F16 => "__float2half_rn((float)sum)",
        DataType::F32 => "(float)sum",
    };
    let _ = writeln!(
        out,
        "  {}[{}] = {result};\n}}",
        tensor_name(2),
        at(plain.loops.iter(), 2)
    );
    let sizes: String = (sizes(nest, &out).lines())
        .map(|line| format!("  {line}\n"))
        .collect();
    format!(
        "\n// The reference: one thread per element of C, nothing shared, sums in double.\n\
         extern \"C\" __global__ void {entry}({}) {{\n{sizes}{out}",
        parameters(nest, signature)
    )
}

fn is_of_k(nest: &Nest, bound: &Bound) -> bool {
    bound
        .loops
        .iter()
        .any(|(l, _)| nest.plain.loops[*l].dim_type == DimType::K)
}

fn sum(nest: &Nest, bound: &Bound) -> String {
    let terms = bound.loops.iter().map(|(l, factor)| {
        let i = format!("i_{}", nest.plain.loops[*l].name);
        if factor.is(1) {
            i
        } else {
            format!("{i} * {}", factor.factor())
        }
    });
    terms.collect::<Vec<_>>().join(" + ")
}

/// The element of a tensor.
fn at<'a>(loops: impl Iterator<Item = &'a Loop>, tensor: usize) -> String {
    let terms: Vec<String> = loops
        .filter(|l| !l.strides[tensor].is(0))
        .map(|l| match l.strides[tensor].is(1) {
            true => format!("i_{}", l.name),
            false => format!("i_{} * {}", l.name, l.strides[tensor].factor()),
        })
        .collect();
    if terms.is_empty() {
        "0".to_string()
    } else {
        terms.join(" + ")
    }
}

/// How many elements of C there are to compute, where that is known.
pub(super) fn elements(nest: &Nest) -> Option<u64> {
    let outer = nest.plain.loops.iter().filter(|l| l.dim_type != DimType::K);
    outer
        .map(|l| l.extent.value)
        .try_fold(1u64, |product, extent| product.checked_mul(extent?))
}
