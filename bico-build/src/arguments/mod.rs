//! What the wrapper passes, held against what the kernel takes.

pub(crate) mod constants;
pub(crate) mod parameters;
#[cfg(feature = "tune")]
pub(crate) mod shim;
#[cfg(feature = "tune")]
pub(crate) mod signature;

use bico_syntax::{ArgumentKind, Callee, Element, KernelArgument, TunableSpec};

/// One argument of a kernel, as C sees it.
#[derive(Clone, Copy)]
pub(crate) enum Passed {
    /// A pointer to elements; whether the kernel may write through it.
    #[cfg_attr(not(feature = "tune"), allow(dead_code))]
    Pointer(Element, bool),
    /// A pointer to nothing, of whatever type.
    Null,
    /// A value.
    Value(Element),
}

/// What each pass of a tunable, or its reference, gets.
pub(crate) fn passed(spec: &TunableSpec, callee: Callee) -> Vec<Vec<Passed>> {
    let seen = |given| match given {
        KernelArgument::Argument(at) => match spec.arguments[at].kind {
            ArgumentKind::Buffer {
                element, mutable, ..
            } => Passed::Pointer(element, mutable),
            ArgumentKind::Scalar(element)
            | ArgumentKind::Value { element, .. }
            | ArgumentKind::Selector(element) => Passed::Value(element),
            ArgumentKind::Stream => Passed::Null,
        },
        KernelArgument::Scratch(at) => Passed::Pointer(spec.scratch[at].element, true),
        KernelArgument::Null => Passed::Null,
        KernelArgument::Value(_, element) => Passed::Value(element),
    };
    let passes = spec.kernel_arguments(callee).into_iter();
    passes
        .map(|pass| pass.into_iter().map(seen).collect())
        .collect()
}

/// Which function is looked at.
#[cfg_attr(not(feature = "tune"), allow(dead_code))]
pub(crate) struct Role {
    pub(crate) name: &'static str,
    /// How the attribute names it.
    option: &'static str,
    pub(crate) callee: Callee,
}

pub(crate) const KERNEL: Role = Role {
    name: "kernel",
    option: "`entry = \"..\"`",
    callee: Callee::Kernel,
};

#[cfg(feature = "tune")]
pub(crate) const REFERENCE: Role = Role {
    name: "reference",
    option: "`verify(reference = \"..\")`",
    callee: Callee::Reference,
};
