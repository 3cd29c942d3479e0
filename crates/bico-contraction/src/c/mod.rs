//! Contractions as C for one thread of a CPU: packed, blocked, with register tiles.
//!
//! The texts are templates (`text/*.c`); what a [`Nest`] says fills their places and leaves out what it
//! does not need: edges where tiles divide sizes, the detour over a local tile where C lies well.

mod entry;
mod facts;
mod head;
mod kernel;
mod lines;
mod names;
mod product;
mod reference;
mod step;
#[cfg(test)]
mod tests;

use super::{ContractionError, DataType, Nest, Param, Signature};
use facts::Facts;
pub use kernel::{Kernel, Tiling, kernel};

/// The C text of a nest: the kernel `signature.entry` and, where it is named, a reference.
///
/// `constants` are macros that the text defines itself, the parameters of one schedule; what is not
/// among them (for a tunable: nothing is) has a default that `-D` replaces. They are `VL MR NR KU PF_A
/// PF_C`, and for a nest of a plan `M_PRIM N_PRIM K_PRIM ORDER` too.
///
/// # Errors
///
/// Element types other than `f32`, and a signature without all tensors or without scratch.
pub fn source(
    nest: &Nest,
    signature: &Signature,
    constants: &[(String, String)],
) -> Result<String, ContractionError> {
    check(nest, signature)?;
    let facts = Facts::of(nest, constants);
    let mut text = head::text(&facts, constants);
    text += &product::packing(&facts);
    text += &product::text(&facts);
    text += &entry::text(&facts, signature);
    if let Some(name) = &signature.reference {
        text += &reference::text(nest, signature, name);
    }
    Ok(text)
}

fn check(nest: &Nest, signature: &Signature) -> Result<(), ContractionError> {
    let mut messages = Vec::new();
    if nest.input == DataType::F16 || nest.output == DataType::F16 {
        messages.push(
            "contractions on a CPU are computed in f32: f16 is for CUDA kernels only; use DataType::F32"
                .to_string(),
        );
    }
    let mut tensors = vec![0, 1, 2];
    if nest.last == super::LastTouch::ElementwiseMul {
        tensors.push(3);
    }
    for tensor in tensors {
        if !signature.parameters.contains(&Param::Tensor(tensor)) {
            messages.push(format!(
                "the signature of `{}` lacks tensor {tensor}",
                signature.entry
            ));
        }
    }
    for scratch in [0, 1] {
        if !signature.parameters.contains(&Param::Scratch(scratch)) {
            messages.push(format!(
                "the signature of `{}` lacks scratch {scratch}, the packed block of {}",
                signature.entry,
                ["A", "B"][scratch]
            ));
        }
    }
    ContractionError::check(messages)
}
