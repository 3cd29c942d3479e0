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
            ArgumentKind::Scalar(element) => passed.push(Passed::Value(element)),
            ArgumentKind::Stream | ArgumentKind::Selector(_) => {}
        }
    }
    let scratch = spec.scratch.iter().filter(|_| with_scratch);
    passed.extend(scratch.map(|scratch| Passed::Pointer(scratch.element, true)));
    passed
}

/// Which function is looked at.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Role {
    Kernel,
    #[cfg_attr(not(feature = "tune"), allow(dead_code))]
    Reference,
}

impl Role {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Role::Kernel => "kernel",
            Role::Reference => "reference",
        }
    }

    /// How the attribute names it.
    #[cfg(feature = "tune")]
    fn option(self) -> &'static str {
        match self {
            Role::Kernel => "`entry = \"..\"`",
            Role::Reference => "`verify(reference = \"..\")`",
        }
    }
}
