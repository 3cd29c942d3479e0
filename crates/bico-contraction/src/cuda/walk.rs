//! The way along K: all loops over it as one sequence of steps.

use super::blocks;
use super::edges;
use crate::nest::{Loop, Nest, Term};
use crate::{DimType, ExecType};
use std::fmt::Write;

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
    let mut out = String::new();
    if loops.is_empty() {
        let _ = write!(
            out,
            "// One step along K.\nconst unsigned steps = 1;\nunsigned begun = 0;\nconst auto advance = [&](const {element} *&, const {element} *&) {{ begun++; }};\nconst auto depth = [&]() -> unsigned {{ return begun < 1 ? {} : 0; }};\n",
            edges::extent(nest, 2, "DEPTH")
        );
        return out;
    }
    let _ = writeln!(
        out,
        "// Steps along K, and where the copies are, which run ahead."
    );
    let counts: Vec<Term> = loops
        .iter()
        .map(|l| match l.extent.value {
            Some(_) => l.extent.clone(),
            None => {
                let count = format!("count_{}", l.name);
                let _ = writeln!(
                    out,
                    "const unsigned {count} = {};",
                    blocks::count(&l.extent)
                );
                Term::named(count)
            }
        })
        .collect();
    let steps = counts
        .iter()
        .fold(Term::known(1), |product, count| product.times(count));
    let indices: Vec<String> = loops.iter().map(|l| format!("{} = 0", l.index())).collect();
    let _ = writeln!(
        out,
        "const unsigned steps = {steps};\nunsigned {};",
        indices.join(", ")
    );
    let _ = writeln!(
        out,
        "const auto advance = [&](const {element} *&left, const {element} *&right) {{"
    );
    out += &advances(&loops, &counts, [left, right]);
    let exists = exists(nest, &loops, &counts, &steps);
    let _ = writeln!(
        out,
        "}};\nconst auto depth = [&]() -> unsigned {{ return {exists}; }};"
    );
    out
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
                let _ = writeln!(out, "{indent}{name} {sign}= {};", size(by));
            }
        }
        let i = loops[at].index();
        if at == 0 {
            let _ = writeln!(out, "{indent}{i}++;");
        } else {
            let _ = writeln!(
                out,
                "{indent}if (++{i} == {}) {{\n{indent}  {i} = 0;",
                counts[at]
            );
        }
    }
    for at in (0..last).rev() {
        let _ = writeln!(out, "{}}}", "  ".repeat(at + 1));
    }
    out
}

/// How much of the tile exists along K where the copies are.
fn exists(nest: &Nest, loops: &[&Loop], counts: &[Term], steps: &Term) -> String {
    let exists = edges::extent(nest, 2, "DEPTH");
    // A bound that ends with the loop says that nothing is left beyond.
    let ends = loops.len() == 1
        && loops[0].extent.value.is_none()
        && nest
            .bounds
            .iter()
            .any(|bound| matches!(bound.tile, Some((2, _))));
    match ends {
        true => exists,
        // With a count of 0 among several there is no step at all.
        false if steps.value.is_none() && loops.len() > 1 => format!(
            "steps > 0 && {} < {} ? {exists} : 0",
            loops[0].index(),
            counts[0]
        ),
        false => format!("{} < {} ? {exists} : 0", loops[0].index(), counts[0]),
    }
}

/// A distance in elements: a product of macros alone would be one of `int`.
fn size(term: &Term) -> String {
    match term.text.contains(" * ") {
        true => format!("(size_t){}", term.text),
        false => term.text.clone(),
    }
}
