//! What `tensor_map(..)` says of a buffer: a tensor that a GPU's copy engine takes boxes of.

use crate::args::KernelArgument;
use crate::expr::{BinaryOp, Expr, ExprKind};
use crate::spec::Element;
use bico_core::Lists;
use bico_core::device::{ACCELERATED, MOST_OF_BOX, PROMOTIONS, SWIZZLES, TENSOR_ALIGN, TensorKind};
use proc_macro2::Span;

/// A tensor map: what a kernel gets as `const __grid_constant__ CUtensorMap`.
#[derive(Debug, Clone)]
pub struct TensorMap {
    /// The buffer that it lies in, or scratch.
    pub buffer: KernelArgument,
    /// What that holds.
    pub element: Element,
    /// Elements along each dimension, the one without gaps first.
    pub dims: Vec<Expr>,
    /// Elements from one to the next, of each dimension but the first.
    pub strides: Vec<Expr>,
    /// Elements of a box along each dimension.
    pub tile: Vec<Expr>,
    /// Bytes within which 16-byte pieces are permuted in shared memory; 0 if they are not.
    pub swizzle: Expr,
    /// Bytes that a miss brings to the L2 cache; 0: as many as it needs.
    pub promotion: Expr,
    /// What lies outside is NaN, not zero.
    pub nan: bool,
}

impl TensorMap {
    /// What is computed of it for a call, in the order of [`TensorKind::tensor`].
    pub fn numbers(&self) -> Vec<&Expr> {
        let extents = self.dims.iter().chain(&self.strides).chain(&self.tile);
        extents
            .chain([&self.swizzle, &self.promotion])
            .collect_vec()
    }

    pub(crate) fn numbers_mut(&mut self) -> Vec<&mut Expr> {
        let extents = self.dims.iter_mut().chain(&mut self.strides);
        let extents = extents.chain(&mut self.tile);
        extents
            .chain([&mut self.swizzle, &mut self.promotion])
            .collect_vec()
    }

    /// What is known of it before a call.
    pub fn kind(&self) -> TensorKind {
        TensorKind {
            code: code(self.element),
            bytes: self.element.size() as u32,
            nan: self.nan,
        }
    }

    /// What the copy engine can do, as conditions of the space.
    pub(crate) fn limits(&self) -> Vec<Expr> {
        let span = self.swizzle.span;
        let mut limits = vec![accelerated(span)];
        let bytes = self.element.size() as i64;
        for stride in &self.strides {
            limits.push(is_multiple(stride, bytes));
        }
        for extent in &self.tile {
            limits.push(compare(BinaryOp::Ge, extent, 1));
            limits.push(compare(BinaryOp::Le, extent, MOST_OF_BOX));
        }
        limits.push(is_multiple(&self.tile[0], bytes));
        for (value, list) in [(&self.swizzle, SWIZZLES), (&self.promotion, PROMOTIONS)] {
            let known = list
                .iter()
                .map(|known| compare(BinaryOp::Eq, value, *known));
            limits.extend(known.reduce(|a, b| binary(BinaryOp::Or, a, b)));
        }
        let none = compare(BinaryOp::Eq, &self.swizzle, 0);
        let row = times(&self.tile[0], bytes);
        let fits = binary(BinaryOp::Le, row, self.swizzle.clone());
        limits.push(binary(BinaryOp::Or, none, fits));
        // Those that are written out were looked at where they stand.
        let is_open = |of: &Expr| !matches!(of.kind, ExprKind::Int(_) | ExprKind::Binary(..));
        limits.retain(|limit| limit.any(&mut |of| is_open(of)));
        limits
    }
}

/// `extent * bytes % 16 == 0`
fn is_multiple(extent: &Expr, bytes: i64) -> Expr {
    let all = times(extent, bytes);
    let number = Expr::new(ExprKind::Int(TENSOR_ALIGN), extent.span);
    compare(BinaryOp::Eq, &binary(BinaryOp::Rem, all, number), 0)
}

fn times(extent: &Expr, bytes: i64) -> Expr {
    let bytes = Expr::new(ExprKind::Int(bytes), extent.span);
    binary(BinaryOp::Mul, extent.clone(), bytes)
}

fn compare(op: BinaryOp, expr: &Expr, with: i64) -> Expr {
    let with = Expr::new(ExprKind::Int(with), expr.span);
    binary(op, expr.clone(), with)
}

/// Whether the GPU is one of those from Hopper on: `device.compute_capability >= 90`.
pub(crate) fn accelerated(span: Span) -> Expr {
    let capability = ExprKind::Device("compute_capability".to_string());
    let capability = Expr::new(capability, span);
    compare(BinaryOp::Ge, &capability, ACCELERATED.into())
}

pub(crate) fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    let span = a.span;
    Expr::new(ExprKind::Binary(op, Box::new(a), Box::new(b)), span)
}

/// The driver's number of an element type. It copies bytes: signs do not matter to it, but to nobody who fills with NaN.
fn code(element: Element) -> u32 {
    match element {
        Element::U8 | Element::I8 | Element::Bool | Element::Str => 0,
        Element::U16 | Element::I16 => 1,
        Element::U32 => 2,
        Element::I32 => 3,
        Element::U64 | Element::Usize => 4,
        Element::I64 | Element::Isize => 5,
        Element::F16 => 6,
        Element::F32 => 7,
        Element::F64 => 8,
        Element::Bf16 => 9,
    }
}
