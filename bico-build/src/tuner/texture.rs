//! Kernels that take textures: bico fills buffers only.

use crate::compile::textured;
use bico_core::Lists;
use bico_syntax::TunableSpec;
use bico_syntax::bind::SpaceError;
use std::path::Path;

/// Refuses a kernel that takes a texture, whose handle nobody here can make.
///
/// # Errors
///
/// There is one.
pub(super) fn refuse(spec: &TunableSpec, root: &Path) -> Result<(), SpaceError> {
    let passes = spec.kernels.iter().flat_map(|kernel| &kernel.passes);
    let entries = passes.map(|pass| pass.entry.to_string());
    let entries = entries.collect_vec().join(" ");
    let words = entries.split(|c: char| c != '_' && !c.is_alphanumeric());
    let words: Vec<&str> = words.collect_vec();
    let sources = spec.kernels.iter().map(|kernel| &kernel.source);
    let mut files = sources.flat_map(|source| source.before.iter().chain([&source.path]));
    let error = files.find_map(|file| {
        let path = &file.text;
        let (name, handle, line) = textured(&root.join(path), &words)?;
        let message = format!(
            "the kernel `{name}` takes a texture or surface (`{handle}` in line {line} of `{path}`), and bico fills buffers only\n  = help: let it read a buffer, `const float *__restrict__ x`: that goes the same way through the caches"
        );
        Some(SpaceError::new(file.span, message))
    });
    error.map_or(Ok(()), Err)
}
