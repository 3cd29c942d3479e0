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
mod reference;
mod step;
#[cfg(test)]
mod tests;

use super::{ContractionError, DataType, Nest, Result, Signature, template};
use facts::Facts;
pub use kernel::{Kernel, Tiling, kernel};

/// The C text of a nest: the kernel `signature.entry` and, where it is named, a reference.
///
/// Its parameters are macros with defaults that `-D` replaces: `VL MR NR KU PF_A PF_C`, and for a nest of a plan
/// `M_PRIM N_PRIM K_PRIM ORDER` too.
///
/// # Errors
///
/// Element types other than `f32`, and a signature without all tensors or without scratch.
pub fn source(nest: &Nest, signature: &Signature) -> Result<String> {
    text(nest, signature, None)
}

/// The same with the parameters of one schedule, where it is for one.
fn text(nest: &Nest, signature: &Signature, tiling: Option<&Tiling>) -> Result<String> {
    if [nest.input, nest.output].contains(&DataType::F16) {
        return Err(ContractionError::new(
            "contractions on a CPU are computed in f32: f16 is for CUDA kernels only; use DataType::F32",
        ));
    }
    signature.check(nest, 2)?;
    let facts = Facts::of(nest, tiling);
    let mut words = facts.words();
    words.word("heading", template::comment(&nest.heading));
    words.word("scratch", template::comment(&head::scratch(&facts)));
    words.word("defines", head::defines(&facts, tiling));
    entry::add(&mut words, &facts, signature);
    let mut text = words.fill(include_str!("text/head.c"));
    text.extend(facts.sides.map(|side| side.packing(facts.quads)));
    text += &words.fill(include_str!("text/product.c"));
    text += &words.fill(include_str!("text/entry.c"));
    if let Some(name) = &signature.reference {
        text += &reference::text(nest, signature, name);
    }
    Ok(text)
}
