//! What a kernel gets.

use crate::Lists;
use crate::expr::Expr;
use crate::kernel::Kernel;
use crate::spec::{Argument, ArgumentKind, Element, ReferenceKind, Scratch, TunableSpec};
use crate::tensor::TensorMap;

/// One thing that a kernel gets.
#[derive(Debug, Clone)]
pub enum KernelArgument {
    /// An argument of the wrapper, a buffer or a scalar: an index into [`TunableSpec::arguments`].
    Argument(usize),
    /// A buffer that bico owns: an index into [`TunableSpec::scratch`].
    Scratch(usize),
    /// `null`: a pointer to nothing.
    Null,
    /// `EXPR as u32`: a value of this type. Real arithmetic where it is a floating-point number.
    Value(Expr, Element),
    /// `tensor_map(a, dims = (k, m), box = (TILE_K, TILE_M))`: a buffer as a tensor, by value.
    Tensor(Box<TensorMap>),
}

impl KernelArgument {
    /// What tells buffers apart; `None` for all else.
    pub(crate) fn buffer_of(&self, arguments: &[Argument]) -> Option<(bool, usize)> {
        match self {
            KernelArgument::Argument(at) => {
                let is_buffer = matches!(arguments[*at].kind, ArgumentKind::Buffer { .. });
                is_buffer.then_some((false, *at))
            }
            KernelArgument::Scratch(at) => Some((true, *at)),
            KernelArgument::Tensor(map) => map.buffer.buffer_of(arguments),
            KernelArgument::Null | KernelArgument::Value(..) => None,
        }
    }
}

impl TunableSpec {
    /// What each pass gets, in its kernel's order: what `args` lists, else the wrapper's arguments without what no kernel
    /// sees, then the scratch buffers. Others, which are one pass, get the wrapper's arguments, whatever `args` says.
    /// What a `__constant__` variable holds is a parameter only of functions in C.
    pub fn kernel_arguments(&self, of: Callee) -> Vec<Vec<KernelArgument>> {
        match of {
            Callee::Reference | Callee::Inputs | Callee::Judge | Callee::Drive => {
                vec![self.unlisted(of)]
            }
            Callee::Kernel(at) => {
                let passes = self.kernels[at].passes.iter();
                let given = passes.map(|pass| pass.args.clone());
                given
                    .map(|args| args.unwrap_or_else(|| self.unlisted(of)))
                    .collect_vec()
            }
        }
    }

    /// Whether some kernel gets a tensor map of a buffer of the wrapper.
    pub fn is_mapped(&self, argument: usize) -> bool {
        let mut maps = self.kernels.iter().flat_map(Kernel::tensors);
        maps.any(|map| matches!(map.buffer, KernelArgument::Argument(at) if at == argument))
    }

    /// The name of the buffer that a tensor map is a view of.
    pub fn viewed(&self, map: &TensorMap) -> &str {
        match map.buffer {
            KernelArgument::Argument(at) => &self.arguments[at].name.text,
            KernelArgument::Scratch(at) => &self.scratch[at].name.text,
            _ => "",
        }
    }

    /// What is passed where no `args` lists it.
    fn unlisted(&self, of: Callee) -> Vec<KernelArgument> {
        let in_c = match of {
            Callee::Kernel(_) | Callee::Drive => false,
            Callee::Reference => self.is_reference_in_c(),
            Callee::Inputs | Callee::Judge => true,
        };
        let arguments = self.arguments.iter().enumerate();
        let passed = arguments.filter(|(_, argument)| match &argument.kind {
            ArgumentKind::Stream | ArgumentKind::Selector(_) => false,
            kind => in_c || kind.symbol().is_none(),
        });
        let passed = passed.map(|(at, _)| KernelArgument::Argument(at));
        let gets = |scratch: &Scratch| match of {
            Callee::Kernel(at) => scratch.is_of(at),
            Callee::Drive => true,
            _ => false,
        };
        let scratch = self.scratch.iter().enumerate();
        let scratch = scratch.filter(|(_, scratch)| gets(scratch));
        let scratch = scratch.map(|(at, _)| KernelArgument::Scratch(at));
        passed.chain(scratch).collect_vec()
    }

    fn is_reference_in_c(&self) -> bool {
        let reference = self.verify.reference.as_ref();
        reference.is_some_and(|of| matches!(of.kind, ReferenceKind::File { .. }))
    }
}

/// Who is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Callee {
    /// The passes of a kernel, by its place among [`TunableSpec::kernels`].
    Kernel(usize),
    /// What its results are compared with. It does without scratch.
    Reference,
    /// What fills its buffers.
    Inputs,
    /// What says whether its results are right.
    Judge,
    /// What calls the kernels while they are measured.
    Drive,
}
