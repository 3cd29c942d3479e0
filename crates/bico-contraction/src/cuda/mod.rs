//! From loops to CUDA C++: blocks of threads over the parallel loops, each with tiles of the inputs in
//! shared memory, copied ahead while tensor cores (FP16) or registers' tiles (FP32) multiply them.
//!
//! What is always the same stands in `text/`, with places to fill in; what depends on the loops is written here.

mod blocks;
mod edges;
mod fill;
mod fit;
mod kernel;
mod reference;
mod side;
#[cfg(test)]
mod tests;
mod walk;

use super::nest::{self, Nest};
use super::{DataType, Param, Result, Signature};
pub use kernel::{Kernel, Tiling, kernel};

/// Headers of the ready kernels in `kernels/`: links, which a package has as files.
const ASYNC_COPY: &str = include_str!("text/async_copy.cuh");
const TENSOR_CORE: &str = include_str!("text/tensor_core.cuh");
const _: () = assert!(
    ASYNC_COPY.len() > 1000 && TENSOR_CORE.len() > 1000,
    "this checkout has text in the place of symbolic links: git config core.symlinks true"
);

/// The text of a kernel, complete but for the headers of CUDA itself, and of its reference. Its macros come with each
/// compilation.
///
/// # Errors
///
/// What the kernel's parameters lack.
pub fn source(nest: &Nest, signature: &Signature) -> Result<String> {
    // An einsum without M, N or K has a side of 1.
    text(&fit::fit(nest, [0; 3]), signature, &[])
}

/// The same with macros that the text defines itself.
fn text(nest: &Nest, signature: &Signature, constants: &[(&str, u64)]) -> Result<String> {
    signature.check(nest, 0)?;
    let is_half = nest.input == DataType::F16;
    let words = fill::words(nest, signature);
    let mut out = words.fill(include_str!("text/header.cu"));
    if is_half || nest.output == DataType::F16 {
        out.push_str("#include <cuda_fp16.h>\n");
    }
    if !constants.is_empty() {
        out.push('\n');
    }
    for (name, value) in constants {
        out += &format!("#define {name} {value}\n");
    }
    let body = match is_half {
        true => include_str!("text/half.cu"),
        false => include_str!("text/float.cu"),
    };
    let has_edges = nest.bounds.iter().any(|bound| bound.tile.is_some());
    let pieces = [
        (true, ASYNC_COPY),
        (is_half, TENSOR_CORE),
        (nest.swap.is_some(), include_str!("text/order.cu")),
        (has_edges, include_str!("text/remaining.cu")),
        (true, body),
    ];
    for (_, piece) in pieces.iter().filter(|(wanted, _)| *wanted) {
        out.push('\n');
        // The headers become part of the text.
        out.push_str(&words.fill(piece).replace("#pragma once\n", ""));
    }
    if let Some(entry) = &signature.reference {
        out.push('\n');
        out.push_str(&reference::reference(nest, signature, entry));
    }
    Ok(out)
}

/// What the functions call a tensor.
fn tensor_name(tensor: usize) -> &'static str {
    ["a", "b", "c", "d"][tensor]
}

/// The parameters of kernel and reference.
fn parameters(nest: &Nest, signature: &Signature) -> String {
    let parameter = |parameter: &Param| match *parameter {
        Param::Tensor(2) => format!("{} *{}", element(nest.output), tensor_name(2)),
        Param::Tensor(tensor) => format!("const {} *{}", element(nest.input), tensor_name(tensor)),
        Param::Size { letter, c_type } => format!("{c_type} len_{letter}"),
        Param::Scratch(number) => format!("float *scratch{number}"),
    };
    let parameters: Vec<String> = signature.parameters.iter().map(parameter).collect();
    parameters.join(", ")
}

/// Statements that declare the sizes that `text` names.
fn sizes(nest: &Nest, text: &str) -> String {
    nest::declared(&nest.sizes, text, |letters| {
        let factors = letters.iter().map(|letter| format!("(size_t)len_{letter}"));
        factors.collect::<Vec<_>>().join(" * ")
    })
}

fn element(data_type: DataType) -> &'static str {
    match data_type {
        DataType::F16 => "__half",
        DataType::F32 => "float",
    }
}
