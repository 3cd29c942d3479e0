//! What the wrapper passes, held against what the kernel takes.

#[cfg(feature = "cuda")]
pub(crate) mod constants;
#[cfg(feature = "tune")]
pub(crate) mod driver;
#[cfg(feature = "tune")]
pub(crate) mod names;
#[cfg(feature = "cuda")]
pub(crate) mod parameters;
pub(crate) mod shim;
#[cfg(feature = "tune")]
mod shown;
#[cfg(feature = "tune")]
pub(crate) mod signature;
#[cfg(feature = "tune")]
mod visible;

use bico_core::Lists;
use bico_syntax::{ArgumentKind, Callee, Element, KernelArgument, Layout, TunableSpec};

/// One argument of a kernel, as C sees it.
#[derive(Clone, Copy)]
pub(crate) enum Passed<'a> {
    /// A pointer to elements; whether the kernel may write through it.
    #[cfg_attr(not(feature = "tune"), allow(dead_code))]
    Pointer(Element, bool),
    /// A pointer to arrays or structures, of whatever type.
    Records,
    /// A pointer to nothing, of whatever type.
    Null,
    /// A value.
    Value(Element),
    /// A tensor map.
    Tensor,
    /// A structure by value.
    Structure(&'a Layout),
    /// The stream, which a function of the host gets first.
    Stream,
    /// The `int` that it gives back.
    Result,
}

/// What each pass of a tunable gets, or a function that goes with it.
pub(crate) fn passed(spec: &TunableSpec, callee: Callee) -> Vec<Vec<Passed<'_>>> {
    let seen = |given| match given {
        KernelArgument::Argument(at) => match &spec.arguments[at].kind {
            ArgumentKind::Buffer {
                layout, mutable, ..
            } => pointer(layout, *mutable),
            ArgumentKind::Scalar(element)
            | ArgumentKind::Value { element, .. }
            | ArgumentKind::Selector(element) => Passed::Value(*element),
            // Whoever fills it writes through a pointer.
            ArgumentKind::Structure(_) if callee == Callee::Inputs => Passed::Records,
            ArgumentKind::Structure(layout) => Passed::Structure(layout),
            ArgumentKind::Stream => Passed::Null,
        },
        KernelArgument::Scratch(at) => Passed::Pointer(spec.scratch[at].element, true),
        KernelArgument::Null => Passed::Null,
        KernelArgument::Value(_, element) => Passed::Value(element),
        KernelArgument::Tensor(_) => Passed::Tensor,
    };
    let passes = spec.kernel_arguments(callee).into_iter();
    let mut passes: Vec<Vec<Passed<'_>>> = passes
        .map(|pass| pass.into_iter().map(seen).collect_vec())
        .collect_vec();
    for pass in &mut passes {
        in_c(pass, spec, callee);
    }
    passes
}

/// A pointer to such elements.
fn pointer(layout: &Layout, writes: bool) -> Passed<'static> {
    let number = layout.number();
    number.map_or(Passed::Records, |element| Passed::Pointer(element, writes))
}

/// What a function in C gets besides, and how.
fn in_c(passed: &mut Vec<Passed<'_>>, spec: &TunableSpec, callee: Callee) {
    match callee {
        Callee::Kernel(at) if spec.kernels[at].host => on_stream(passed),
        Callee::Drive if spec.is_cuda() => on_stream(passed),
        Callee::Kernel(_) | Callee::Reference | Callee::Drive => {}
        Callee::Inputs => {
            for of in passed.iter_mut() {
                *of = of.in_c(true);
            }
            passed.push(Passed::Value(Element::U64));
        }
        Callee::Judge => {
            // What the kernel starts from, and what is right.
            for expected in [false, true] {
                for buffer in spec.buffers().filter(|buffer| buffer.kind.is_output()) {
                    let is_there = match expected {
                        true => spec.verify.reference.is_some(),
                        false => buffer.kind.is_filled(),
                    };
                    if let Some(layout) = buffer.kind.layout().filter(|_| is_there) {
                        passed.push(pointer(layout, false));
                    }
                }
            }
            for of in passed.iter_mut() {
                *of = of.in_c(false);
            }
            // Why results are wrong, and how much room there is for that.
            passed.push(Passed::Pointer(Element::U8, true));
            passed.push(Passed::Value(Element::Usize));
            passed.push(Passed::Result);
        }
    }
}

/// What a function of the host gets and gives back where a GPU's kernel gets this.
fn on_stream(passed: &mut Vec<Passed<'_>>) {
    for of in passed.iter_mut() {
        *of = of.in_c(matches!(of, Passed::Pointer(_, true)));
    }
    passed.insert(0, Passed::Stream);
    passed.push(Passed::Result);
}

impl<'a> Passed<'a> {
    /// As another function than the kernel gets it: 16-bit floats, which C does not have, by their bits.
    fn in_c(self, writes: bool) -> Passed<'a> {
        let bits = |element| match element {
            Element::F16 | Element::Bf16 => Element::U16,
            other => other,
        };
        match self {
            Passed::Pointer(element, _) => Passed::Pointer(bits(element), writes),
            Passed::Value(element) => Passed::Value(bits(element)),
            other => other,
        }
    }
}

/// Which function is looked at.
#[cfg_attr(not(feature = "tune"), allow(dead_code))]
pub(crate) struct Role {
    pub(crate) name: &'static str,
    /// How the attribute names it.
    option: &'static str,
    pub(crate) callee: Callee,
    /// What to look at where it is wrong.
    pub(crate) help: &'static str,
}

impl Role {
    /// The source that a kernel stands in, or a function that shares one.
    #[cfg(feature = "cuda")]
    fn source<'s>(&self, spec: &'s TunableSpec) -> &'s str {
        let at = match self.callee {
            Callee::Kernel(at) => at,
            _ => 0,
        };
        &spec.kernels[at].source.path.text
    }
}

/// A kernel, by its place among the tunable's.
pub(crate) const fn kernel(at: usize) -> Role {
    Role {
        name: "kernel",
        option: "`entry = \"..\"`",
        callee: Callee::Kernel(at),
        help: "",
    }
}

#[cfg(feature = "tune")]
pub(crate) const INPUTS: Role = Role {
    name: "function",
    option: "`inputs(entry = \"..\")`",
    callee: Callee::Inputs,
    help: "check `#[len(..)]`; it fills what the kernel reads, of `&mut` buffers those with `#[init(..)]`",
};

#[cfg(feature = "tune")]
pub(crate) const DRIVE: Role = Role {
    name: "driver",
    option: "`drive(entry = \"..\")`",
    callee: Callee::Drive,
    help: "",
};

#[cfg(feature = "tune")]
pub(crate) const JUDGE: Role = Role {
    name: "judge",
    option: "`verify(judge(entry = \"..\"))`",
    callee: Callee::Judge,
    help: "",
};

#[cfg(feature = "tune")]
pub(crate) const REFERENCE: Role = Role {
    name: "reference",
    option: "`verify(reference = \"..\")`",
    callee: Callee::Reference,
    help: "check `#[len(..)]`, and on a GPU the reference's `launch(..)`",
};
