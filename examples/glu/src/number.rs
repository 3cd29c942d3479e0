//! What differs between FP32 and FP16.

use crate::gate::{gate, gate_f16};
use bico::cudarc::driver::{CudaSlice, CudaStream, DeviceRepr, ValidAsZeroBits};
use bico::{Choice, Config, Tunable};
use bico_kernels as kernels;
use cudarc::cublas::{CudaBlas, Gemm};
use half::f16;
use std::sync::Arc;

/// A type of elements, and its kernels. Products are row-major; sizes are m, n, k.
pub trait Number: DeviceRepr + ValidAsZeroBits + Copy + Into<f64> {
    /// What people call it.
    const NAME: &str;
    /// The kernel of bico-kernels that makes one product.
    const PRODUCT: &str;
    /// By how much of itself a result may be off.
    const TOLERANCE: f64;

    /// Rounded.
    fn of(value: f32) -> Self;

    /// The fused kernel.
    fn tunable() -> &'static Tunable;

    /// What serves calls of these sizes.
    fn choice(stream: &Arc<CudaStream>, act: &str, sizes: [u32; 3]) -> bico::Result<Choice>;

    /// y = (x W) * act(x V) for [x, w, v], by one config or the tuned one.
    fn fused(
        config: Option<&Config>,
        stream: &Arc<CudaStream>,
        act: &str,
        y: &mut CudaSlice<Self>,
        inputs: [&CudaSlice<Self>; 3],
        sizes: [u32; 3],
    ) -> bico::Result<()>;

    /// C = A * B for [a, b], by bico-kernels.
    fn product(
        stream: &Arc<CudaStream>,
        c: &mut CudaSlice<Self>,
        inputs: [&CudaSlice<Self>; 2],
        sizes: [u32; 3],
    ) -> bico::Result<()>;

    /// y = left * act(right) for [left, right].
    fn gate(
        stream: &Arc<CudaStream>,
        act: &str,
        y: &mut CudaSlice<Self>,
        inputs: [&CudaSlice<Self>; 2],
    ) -> bico::Result<()>;
}

/// A number that cuBLAS multiplies, too.
pub trait Multiplied: Number {
    /// C = A * B for [a, b], by cuBLAS.
    fn by_cublas(
        blas: &crate::cublas::Cublas,
        c: &mut CudaSlice<Self>,
        inputs: [&CudaSlice<Self>; 2],
        sizes: [u32; 3],
    ) -> Result<(), crate::Error>;
}

impl<T: Number> Multiplied for T
where
    CudaBlas: Gemm<T>,
{
    fn by_cublas(
        blas: &crate::cublas::Cublas,
        c: &mut CudaSlice<T>,
        inputs: [&CudaSlice<T>; 2],
        sizes: [u32; 3],
    ) -> Result<(), crate::Error> {
        blas.product(c, inputs, sizes, [T::of(0.0), T::of(1.0)])
    }
}

macro_rules! number {
    ($type:ty, $name:expr, $tolerance:expr, $of:expr, $fused:ident $with:ident $tunable:ident $warm_up:ident,
     $product:ident, $gate:ident) => {
        impl Number for $type {
            const NAME: &str = $name;
            const PRODUCT: &str = stringify!($product);
            const TOLERANCE: f64 = $tolerance;

            fn of(value: f32) -> $type {
                $of(value)
            }

            fn tunable() -> &'static Tunable {
                kernels::$tunable()
            }

            fn choice(
                stream: &Arc<CudaStream>,
                act: &str,
                [m, n, k]: [u32; 3],
            ) -> bico::Result<Choice> {
                kernels::$warm_up(stream, act, m, n, k)
            }

            fn fused(
                config: Option<&Config>,
                stream: &Arc<CudaStream>,
                act: &str,
                y: &mut CudaSlice<$type>,
                [x, w, v]: [&CudaSlice<$type>; 3],
                [m, n, k]: [u32; 3],
            ) -> bico::Result<()> {
                match config {
                    None => kernels::$fused(stream, act, y, x, w, v, m, n, k),
                    Some(config) => kernels::$with(config, stream, act, y, x, w, v, m, n, k),
                }
            }

            fn product(
                stream: &Arc<CudaStream>,
                c: &mut CudaSlice<$type>,
                [a, b]: [&CudaSlice<$type>; 2],
                [m, n, k]: [u32; 3],
            ) -> bico::Result<()> {
                kernels::$product(stream, c, a, b, m, n, k)
            }

            fn gate(
                stream: &Arc<CudaStream>,
                act: &str,
                y: &mut CudaSlice<$type>,
                [left, right]: [&CudaSlice<$type>; 2],
            ) -> bico::Result<()> {
                let length = y.len() as u64;
                $gate(stream, act, y, left, right, length)
            }
        }
    };
}

number!(f32, "FP32", 1e-3, |x| x, glu glu_with glu_tunable glu_warm_up, gemm_regtile, gate);
// Two products that are rounded each are further off than the fused kernel's sums, which are not.
number!(f16, "FP16", 1e-2, f16::from_f32, glu_f16 glu_f16_with glu_f16_tunable glu_f16_warm_up, gemm_f16, gate_f16);
