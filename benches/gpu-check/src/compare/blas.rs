//! cuBLAS, from wherever the loader finds it when the program runs.

use super::gpu::Gpu;
use bico_syntax::Element;
use cudarc::cublas::sys::{
    self, cublasComputeType_t, cublasGemmAlgo_t, cublasMath_t, cublasOperation_t, cudaDataType_t,
};
use cudarc::cublas::{CudaBlas, result};
use std::ffi::c_int;
use std::mem::ManuallyDrop;

/// A handle on the stream of a GPU.
pub(super) struct Blas {
    /// Left to the end of the process: cudarc panics where a broken GPU refuses to take it back, and the panic would
    /// hide what broke the GPU.
    handle: ManuallyDrop<CudaBlas>,
}

/// Products C = A * B of dense row-major matrices on the GPU, one behind the other: C is m x n, A is m x k, B is k x n.
#[derive(Debug, Clone, Copy)]
pub(super) struct Product {
    pub(super) sizes: [u32; 3],
    /// How many there are.
    pub(super) batches: u32,
    /// Of A and B.
    pub(super) element: Element,
    /// Of C.
    pub(super) result: Element,
    /// Addresses.
    pub(super) a: u64,
    pub(super) b: u64,
    pub(super) c: u64,
}

impl Blas {
    /// # Errors
    ///
    /// The library is not there, or does not work here: why it is not compared with.
    pub(super) fn new(gpu: &Gpu) -> Result<Blas, String> {
        // SAFETY: loading NVIDIA's library runs its initialisers, which any program that links it does.
        if !unsafe { sys::is_culib_present() } {
            return Err("libcublas is not there".to_string());
        }
        let handle = CudaBlas::new(gpu.stream.clone())
            .map_err(|error| format!("cuBLAS does not start: {error:?}"))?;
        let handle = ManuallyDrop::new(handle);
        // The default, without tensor cores in FP32; but parts of an FP16 product, which it likes to add up in FP16
        // where k is split, are added in FP32 as ours are.
        let mode = cublasMath_t::CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;
        // SAFETY: the handle is whole.
        unsafe { sys::cublasSetMathMode(*handle.handle(), mode) }
            .result()
            .map_err(|error| format!("cuBLAS: {error:?}"))?;
        Ok(Blas { handle })
    }

    /// `12.9.1`
    pub(super) fn version(&self) -> String {
        let mut version: c_int = 0;
        // SAFETY: the handle is whole, and the library writes one number.
        let said = unsafe { sys::cublasGetVersion_v2(*self.handle.handle(), &mut version) };
        match said.result() {
            Ok(()) => {
                // Since 12 the parts have two digits, and the first part is the rest.
                let parts = [version / 10_000, version / 100 % 100, version % 100];
                parts.map(|part| part.to_string()).join(".")
            }
            Err(_) => "?".to_string(),
        }
    }

    /// Multiplies on the stream; sums are in FP32.
    pub(super) fn multiply(&self, product: &Product) -> Result<(), String> {
        let whole = |size: u32| c_int::try_from(size).map_err(|error| error.to_string());
        let [m, n, k] = product.sizes;
        let [m, n, k] = [whole(m)?, whole(n)?, whole(k)?];
        let none = cublasOperation_t::CUBLAS_OP_N;
        let (one, zero) = (1.0f32, 0.0f32);
        let (one, zero) = ((&raw const one).cast(), (&raw const zero).cast());
        let (element, output) = (data_type(product.element)?, data_type(product.result)?);
        let compute = cublasComputeType_t::CUBLAS_COMPUTE_32F;
        let algorithm = cublasGemmAlgo_t::CUBLAS_GEMM_DEFAULT;
        let handle = *self.handle.handle();
        let [a, b, c] = [product.a, product.b, product.c];
        // Row by row it is the same as C' = B' * A' column by column.
        let said = if product.batches == 1 {
            // SAFETY: the caller's buffers have these sizes and lie on this GPU.
            unsafe {
                result::gemm_ex(
                    handle,
                    none,
                    none,
                    n,
                    m,
                    k,
                    one,
                    b as *const _,
                    element,
                    n,
                    a as *const _,
                    element,
                    k,
                    zero,
                    c as *mut _,
                    output,
                    n,
                    compute,
                    algorithm,
                )
            }
        } else {
            let elements = |rows: c_int, columns: c_int| i64::from(rows) * i64::from(columns);
            // SAFETY: the same, of all batches together.
            unsafe {
                result::gemm_strided_batched_ex(
                    handle,
                    none,
                    none,
                    n,
                    m,
                    k,
                    one,
                    b as *const _,
                    element,
                    n,
                    elements(k, n),
                    a as *const _,
                    element,
                    k,
                    elements(m, k),
                    zero,
                    c as *mut _,
                    output,
                    n,
                    elements(m, n),
                    whole(product.batches)?,
                    compute,
                    algorithm,
                )
            }
        };
        said.map_err(|error| format!("cuBLAS: {error:?}"))
    }
}

fn data_type(element: Element) -> Result<cudaDataType_t, String> {
    match element {
        Element::F32 => Ok(cudaDataType_t::CUDA_R_32F),
        Element::F16 => Ok(cudaDataType_t::CUDA_R_16F),
        Element::Bf16 => Ok(cudaDataType_t::CUDA_R_16BF),
        other => Err(format!("cuBLAS is not asked for {}", other.name())),
    }
}
