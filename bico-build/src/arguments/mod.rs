//! What the wrapper passes, held against what the kernel takes.

pub(crate) mod parameters;
#[cfg(feature = "tune")]
pub(crate) mod shim;
#[cfg(feature = "tune")]
pub(crate) mod signature;

use bico_syntax::{ArgumentKind, Element, TunableSpec};

/// One argument of a kernel, as C sees it.
#[derive(Clone, Copy)]
pub(crate) enum Passed {
    /// A pointer to elements; whether the kernel may write through it.
    #[cfg_attr(not(feature = "tune"), allow(dead_code))]
    Pointer(Element, bool),
    /// A value.
    Value(Element),
}

/// The arguments of a tunable's kernel: the wrapper's, without what the kernel never sees, then the
/// scratch buffers, which a reference does without.
pub(crate) fn passed(spec: &TunableSpec, with_scratch: bool) -> Vec<Passed> {
    let mut passed = Vec::new();
    for argument in &spec.arguments {
        match argument.kind {
            ArgumentKind::Buffer {
                element, mutable, ..
            } => passed.push(Passed::Pointer(element, mutable)),
            ArgumentKind::Scalar(element) | ArgumentKind::Value { element, .. } => {
                passed.push(Passed::Value(element))
            }
            ArgumentKind::Stream | ArgumentKind::Selector(_) => {}
        }
    }
    let scratch = spec.scratch.iter().filter(|_| with_scratch);
    passed.extend(scratch.map(|scratch| Passed::Pointer(scratch.element, true)));
    passed
}

/// Which function is looked at.
#[cfg_attr(not(feature = "tune"), allow(dead_code))]
pub(crate) struct Role {
    pub(crate) name: &'static str,
    /// How the attribute names it.
    option: &'static str,
    pub(crate) with_scratch: bool,
}

pub(crate) const KERNEL: Role = Role {
    name: "kernel",
    option: "`entry = \"..\"`",
    with_scratch: true,
};

#[cfg(feature = "tune")]
pub(crate) const REFERENCE: Role = Role {
    name: "reference",
    option: "`verify(reference = \"..\")`",
    with_scratch: false,
};
