//! The words of a [`Schedule`](super::Schedule).

pub use bico_einsum::DimType;
use bico_einsum::Einsum;

/// How a dimension is executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExecType {
    /// A loop, one iteration after the other.
    Seq,
    /// A parallel loop: blocks of a GPU, threads of a CPU.
    Par,
    /// Part of the inner product, the [`PrimType`], that is computed at once.
    Prim,
}

/// What is computed at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrimType {
    /// A matrix product.
    Gemm,
    /// A batch of matrix products: [`DimType::C`] may be `Prim`, too.
    Bgemm,
}

/// What happens to an element of the output when everything has been added to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastTouch {
    /// Nothing.
    None,
    /// It is multiplied by the element of the third input, `D`.
    ElementwiseMul,
}

impl LastTouch {
    /// What an einsum asks for: a third input is a factor.
    pub(crate) fn of(einsum: &Einsum) -> LastTouch {
        match einsum.inputs.len() {
            ..=2 => LastTouch::None,
            _ => LastTouch::ElementwiseMul,
        }
    }

    /// How many tensors there are.
    pub(crate) fn tensors(self) -> usize {
        match self {
            LastTouch::None => 3,
            LastTouch::ElementwiseMul => 4,
        }
    }
}

/// The type of the inputs' elements. Sums are kept in [`DataType::F32`] either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataType {
    /// IEEE half precision.
    F16,
    /// IEEE single precision.
    F32,
}

/// A condition that [`pad_dim`](super::Schedule::pad_dim) made: where it does not hold, reads give zeros and writes are dropped.
///
/// `sum(factor * index of the dimension) < limit`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// The size before padding.
    pub limit: u64,
    /// Dimensions, by their place in the schedule, with their factors, in order of the dimensions.
    pub terms: Vec<(usize, u64)>,
}
