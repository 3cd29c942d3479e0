//! cuBLASLt, from wherever the loader finds it: what its heuristics take first, and the fastest of what they propose, found by trying.

use super::blas::Product;
use super::gpu::{Gpu, Memory};
use super::timing::{self, Contender};
use super::{HEURISTIC, SEARCHED};
use bico_syntax::Element;
use cudarc::cublaslt::{result, sys};
use std::ffi::c_int;
use std::rc::Rc;

/// What it may use beside the matrices: what NVIDIA recommends for Hopper (cuBLAS' documentation, "cublasSetWorkspace").
const WORKSPACE: usize = 32 << 20;
/// Algorithms that are asked for, and seconds for trying them.
const MOST: usize = 32;
const CHOOSING: f64 = 0.5;
/// Parts of a sum may be added in place and in FP32, and not in the type of C, as cuBLAS is told, too.
const REDUCTIONS: u32 = 3;

/// A product, as the library sees it. Its handles are left to the end of the process.
#[derive(Clone, Copy)]
struct Lt {
    handle: sys::cublasLtHandle_t,
    about: sys::cublasLtMatmulDesc_t,
    /// Of the first factor, the second one and the result, column by column.
    layouts: [sys::cublasLtMatrixLayout_t; 3],
    product: Product,
}

/// Both of them, but for what cannot be had of this product.
///
/// # Errors
///
/// The library is not there, or has nothing for it.
pub(super) fn contenders<'a>(gpu: &'a Gpu, product: Product) -> Result<Vec<Contender<'a>>, String> {
    let lt = Lt::new(product)?;
    let workspace = Rc::new(gpu.allocate(WORKSPACE)?);
    let algorithms = lt.algorithms()?;
    let count = algorithms.len();
    let contender = |name: &str, at: usize| {
        let (algorithm, workspace) = (algorithms[at], Rc::clone(&workspace));
        Contender {
            name: name.to_string(),
            detail: format!("algorithm {} of {count}", at + 1),
            run: Box::new(move || lt.multiply(gpu, &algorithm, &workspace)),
        }
    };
    let mut entrants: Vec<Contender<'_>> = (0..count).map(|at| contender("", at)).collect();
    let best = timing::fastest(gpu, &mut entrants, CHOOSING)?;
    let (best, _) = best.ok_or("cuBLASLt knows no algorithm")?;
    Ok(vec![contender(HEURISTIC, 0), contender(SEARCHED, best)])
}

impl Lt {
    fn new(product: Product) -> Result<Lt, String> {
        // SAFETY: loading NVIDIA's library runs its initialisers, which any program that links it does.
        if !unsafe { sys::is_culib_present() } {
            return Err("libcublasLt is not there".to_string());
        }
        let compute = sys::cublasComputeType_t::CUBLAS_COMPUTE_32F;
        let scale = sys::cudaDataType_t::CUDA_R_32F;
        let [m, n, k] = product.sizes.map(u64::from);
        let (element, output) = (data_type(product.element)?, data_type(product.result)?);
        // Row by row it is the same as C' = B' * A' column by column.
        let layout = |kind, rows: u64, columns| {
            let leading = i64::try_from(rows).map_err(|error| error.to_string())?;
            result::create_matrix_layout(kind, rows, columns, leading).map_err(text)
        };
        Ok(Lt {
            handle: result::create_handle().map_err(text)?,
            about: result::create_matmul_desc(compute, scale).map_err(text)?,
            layouts: [
                layout(element, n, k)?,
                layout(element, k, m)?,
                layout(output, n, m)?,
            ],
            product,
        })
    }

    /// What the heuristics propose, what they take for the fastest first.
    fn algorithms(&self) -> Result<Vec<sys::cublasLtMatmulAlgo_t>, String> {
        let preference = result::create_matmul_pref().map_err(text)?;
        let (workspace, reductions) = (WORKSPACE, REDUCTIONS);
        use sys::cublasLtMatmulPreferenceAttributes_t as Attribute;
        let attributes = [
            (
                Attribute::CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                (&raw const workspace).cast(),
                size_of_val(&workspace),
            ),
            (
                Attribute::CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
                (&raw const reductions).cast(),
                size_of_val(&reductions),
            ),
        ];
        for (attribute, value, bytes) in attributes {
            // SAFETY: the preference is whole, and the value has so many bytes.
            unsafe { result::set_matmul_pref_attribute(preference, attribute, value, bytes) }
                .map_err(text)?;
        }
        let mut found = Vec::with_capacity(MOST);
        let mut count: c_int = 0;
        let [a, b, c] = self.layouts;
        // SAFETY: all of it is whole, and there is room for as many results as are asked for.
        let said = unsafe {
            sys::cublasLtMatmulAlgoGetHeuristic(
                self.handle,
                self.about,
                a,
                b,
                c,
                c,
                preference,
                MOST as c_int,
                found.as_mut_ptr(),
                &raw mut count,
            )
        };
        said.result().map_err(text)?;
        // SAFETY: the library has written so many.
        unsafe { found.set_len(usize::try_from(count).unwrap_or(0).min(MOST)) };
        let works = |of: &&sys::cublasLtMatmulHeuristicResult_t| of.state.result().is_ok();
        Ok(found.iter().filter(works).map(|of| of.algo).collect())
    }

    fn multiply(
        &self,
        gpu: &Gpu,
        algorithm: &sys::cublasLtMatmulAlgo_t,
        workspace: &Memory,
    ) -> Result<(), String> {
        let (one, zero) = (1.0f32, 0.0f32);
        let Product { a, b, c, .. } = self.product;
        let [first, second, output] = self.layouts;
        // SAFETY: the caller's buffers have these sizes and lie on this GPU, and the workspace is as large as was said.
        unsafe {
            result::matmul(
                self.handle,
                self.about,
                (&raw const one).cast(),
                (&raw const zero).cast(),
                b as *const _,
                first,
                a as *const _,
                second,
                c as *const _,
                output,
                c as *mut _,
                output,
                algorithm,
                gpu.address(workspace) as *mut _,
                WORKSPACE,
                gpu.stream.cu_stream().cast(),
            )
        }
        .map_err(text)
    }
}

fn data_type(element: Element) -> Result<sys::cudaDataType_t, String> {
    match element {
        Element::F32 => Ok(sys::cudaDataType_t::CUDA_R_32F),
        Element::F16 => Ok(sys::cudaDataType_t::CUDA_R_16F),
        Element::Bf16 => Ok(sys::cudaDataType_t::CUDA_R_16BF),
        other => Err(format!("cuBLASLt is not asked for {}", other.name())),
    }
}

fn text(error: result::CublasError) -> String {
    format!("cuBLASLt: {error:?}")
}
