//! The words of a [`Schedule`](super::Schedule).

use serde::{Deserialize, Serialize};

pub use bico_einsum::DimType;

/// How a dimension is executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ExecType {
    /// A loop, one iteration after the other.
    Seq,
    /// A parallel loop: blocks of a GPU, threads of a CPU.
    Par,
    /// Part of the inner product, the [`PrimType`], that is computed at once.
    Prim,
}

/// What is computed at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum PrimType {
    /// A matrix product.
    Gemm,
    /// A batch of matrix products: [`DimType::C`] may be `Prim`, too.
    Bgemm,
}

/// What happens to an element of the output before anything is added to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum FirstTouch {
    /// It becomes zero.
    Zero,
}

/// What happens to an element of the output when everything has been added to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum LastTouch {
    /// Nothing.
    None,
    /// It is multiplied by the element of the third input, `D`.
    ElementwiseMul,
}

/// The type of the inputs' elements. Sums are kept in [`DataType::F32`] either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum DataType {
    /// IEEE half precision.
    F16,
    /// IEEE single precision.
    F32,
}

/// A condition that [`pad_dim`](super::Schedule::pad_dim) made: where it does not hold, reads give zeros and writes are dropped.
///
/// `sum(factor * index of the dimension) < limit`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Bound {
    /// The size before padding.
    pub limit: u64,
    /// Dimensions, by their place in the schedule, with their factors, in order of the dimensions.
    pub terms: Vec<(usize, u64)>,
}

/// Serialises dimension types by name: they come from a crate without serde.
pub(super) mod dim_types {
    use super::DimType;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(crate) fn serialize<S: Serializer>(types: &[DimType], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(types.iter().map(|kind| kind.name()))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<DimType>, D::Error> {
        let read = |name: &String| {
            DimType::from_name(name).ok_or_else(|| {
                let expected = "expected M, N, K or C";
                D::Error::custom(format!("unknown type `{name}` of a dimension: {expected}"))
            })
        };
        Vec::<String>::deserialize(from)?.iter().map(read).collect()
    }
}
