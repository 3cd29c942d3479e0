//! The way along K: all loops over it as one sequence of steps.

use super::{blocks, edges};
use crate::nest::{Bound, Loop, Nest, Term};
use crate::{DimType, ExecType};

/// Whether a loop is one of the steps along K.
pub(super) fn is_k(l: &Loop) -> bool {
    l.dim_type == DimType::K
}

/// Whether a loop surrounds all steps along K: in the nest it may be inside of them, but its sums are others.
pub(super) fn is_hoisted(l: &Loop) -> bool {
    !is_k(l) && l.exec != ExecType::Par
}

/// Statements that declare `steps`, `advance` and `depth`; `left` and `right` are tensors.
pub(super) fn walk(nest: &Nest, element: &str, left: usize, right: usize) -> String {
    let loops: Vec<&Loop> = nest.loops.iter().filter(|l| is_k(l)).collect();
    let exists = edges::extent(nest, 2, "DEPTH");
    if loops.is_empty() {
        return format!(
            "// One step along K.\nconst unsigned steps = 1;\nunsigned begun = 0;\nconst auto advance = [&](const {element} *&, const {element} *&) {{ begun++; }};\nconst auto depth = [&]() -> unsigned {{ return begun < 1 ? {exists} : 0; }};\n"
        );
    }
    let mut out = "// Steps along K, and where the copies are, which run ahead.\n".to_string();
    let mut counts = Vec::new();
    for l in &loops {
        counts.push(match l.extent.value {
            Some(_) => l.extent.clone(),
            None => {
                let (name, count) = (format!("count_{}", l.name), blocks::count(&l.extent));
                out += &format!("const unsigned {name} = {count};\n");
                Term::named(name)
            }
        });
    }
    let one = Term::known(1);
    let steps = counts
        .iter()
        .fold(one, |product, count| product.times(count));
    let indices: Vec<String> = loops.iter().map(|l| format!("{} = 0", l.index())).collect();
    let indices = indices.join(", ");
    let advances = advances(&loops, &counts, [left, right]);
    // A bound that ends with the loop says that nothing is left beyond.
    let is_along = |bound: &Bound| matches!(bound.tile, Some((2, _)));
    let ends =
        loops.len() == 1 && loops[0].extent.value.is_none() && nest.bounds.iter().any(is_along);
    // With a count of 0 among several there is no step at all.
    let some = match steps.value.is_none() && loops.len() > 1 {
        true => "steps > 0 && ",
        false => "",
    };
    let exists = match ends {
        true => exists,
        false => format!("{some}{} < {} ? {exists} : 0", loops[0].index(), counts[0]),
    };
    out += &format!("const unsigned steps = {steps};\nunsigned {indices};\n");
    out += &format!(
        "const auto advance = [&](const {element} *&left, const {element} *&right) {{\n{advances}}};\n"
    );
    out + &format!("const auto depth = [&]() -> unsigned {{ return {exists}; }};\n")
}

/// What moves both pointers one step on, and the loops' indices with them.
fn advances(loops: &[&Loop], counts: &[Term], [left, right]: [usize; 2]) -> String {
    let mut out = String::new();
    let last = loops.len() - 1;
    for at in (0..loops.len()).rev() {
        let indent = "  ".repeat(last - at + 1);
        for (name, tensor) in [("left", left), ("right", right)] {
            let stride = &loops[at].strides[tensor];
            // What the loop inside has gone is taken back.
            let back = match at < last {
                true => loops[at + 1].strides[tensor].times(&counts[at + 1]),
                false => Term::known(0),
            };
            let moves: Vec<(&str, Term)> = match (stride.value, back.value) {
                (Some(stride), Some(back)) if stride >= back => {
                    vec![("+", Term::known(stride - back))]
                }
                (Some(stride), Some(back)) => vec![("-", Term::known(back - stride))],
                _ => vec![("-", back), ("+", stride.clone())],
            };
            for (sign, by) in moves.iter().filter(|(_, by)| !by.is(0)) {
                out += &format!("{indent}{name} {sign}= {};\n", size(by));
            }
        }
        let (i, count) = (loops[at].index(), &counts[at]);
        out += &match at {
            0 => format!("{indent}{i}++;\n"),
            _ => format!("{indent}if (++{i} == {count}) {{\n{indent}  {i} = 0;\n"),
        };
    }
    for at in (0..last).rev() {
        out += &format!("{}}}\n", "  ".repeat(at + 1));
    }
    out
}

/// A distance in elements: a product of macros alone would be one of `int`.
fn size(term: &Term) -> String {
    match term.text.contains(" * ") {
        true => format!("(size_t){}", term.text),
        false => term.text.clone(),
    }
}
