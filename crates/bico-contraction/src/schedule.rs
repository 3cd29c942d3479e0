//! A contraction as data.

use super::types::{Bound, DataType, DimType, ExecType, LastTouch, PrimType};

/// A tensor contraction: which loops, of which type, executed how, over which elements.
///
/// Dimensions are in loop order, outermost first. Tensors are numbered 0 = `A`, 1 = `B` (inputs),
/// 2 = `C` (output), 3 = `D` (what the output is multiplied by, if anything).
/// [`from_einsum`](Self::from_einsum) makes one, the steps ([`split_dim`](Self::split_dim),
/// [`fuse_dims`](Self::fuse_dims), ..) make an equivalent one of it.
///
/// Its fields may be set to anything; whatever uses it checks it ([`validate`](Self::validate)). Printed, it is a table with its bounds and steps below.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    /// What the inputs hold.
    pub data_type: DataType,
    /// What the `Prim` dimensions are together.
    pub prim_main: PrimType,
    /// What happens to each element of the output last. First it becomes zero.
    pub prim_last: LastTouch,
    /// Per dimension.
    pub dim_types: Vec<DimType>,
    /// Per dimension.
    pub exec_types: Vec<ExecType>,
    /// Per dimension: how often the loop runs, at least 1.
    pub dim_sizes: Vec<u64>,
    /// Per tensor and dimension, in elements; 0 where the tensor lacks the dimension.
    pub strides: Vec<Vec<u64>>,
    /// Per tensor: how many elements it has. No step changes it.
    pub elements: Vec<u64>,
    /// Per dimension, no two alike: the einsum's letters, later what the steps made of them.
    pub names: Vec<String>,
    /// What keeps padded dimensions from going beyond the tensors.
    pub bounds: Vec<Bound>,
    /// How the schedule came to be: the calls that made it.
    pub steps: Vec<String>,
}
