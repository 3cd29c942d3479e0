//! Matrix products of cuBLAS, where it is there.

use crate::Error;
use cudarc::cublas::sys::cublasOperation_t::CUBLAS_OP_N;
use cudarc::cublas::{CudaBlas, Gemm, GemmConfig, sys};
use cudarc::driver::{CudaSlice, CudaStream, DeviceRepr};
use std::sync::Arc;

/// The library on one stream.
pub struct Cublas(CudaBlas);

impl Cublas {
    /// `None` where it is not found: it is no part of the driver.
    pub fn load(stream: &Arc<CudaStream>) -> Result<Option<Cublas>, Error> {
        // SAFETY: loads a library, whose initialisers are NVIDIA's.
        if !unsafe { sys::is_culib_present() } {
            return Ok(None);
        }
        Ok(Some(Cublas(CudaBlas::new(stream.clone())?)))
    }

    /// C = A * B, all dense and row-major: C is m x n, A is m x k, B is k x n. In FP32 without TF32, which is
    /// what cuBLAS does unless it is asked for less.
    pub fn product<T: DeviceRepr>(
        &self,
        c: &mut CudaSlice<T>,
        [a, b]: [&CudaSlice<T>; 2],
        [m, n, k]: [u32; 3],
        [zero, one]: [T; 2],
    ) -> Result<(), Error>
    where
        CudaBlas: Gemm<T>,
    {
        let elements = |rows: u32, columns: u32| rows as usize * columns as usize;
        assert!(
            c.len() >= elements(m, n) && a.len() >= elements(m, k) && b.len() >= elements(k, n)
        );
        let [m, n, k] = [i32::try_from(m)?, i32::try_from(n)?, i32::try_from(k)?];
        // It knows column-major matrices, which are the transposed ones of ours: B' A' is C'.
        let config = GemmConfig {
            transa: CUBLAS_OP_N,
            transb: CUBLAS_OP_N,
            m: n,
            n: m,
            k,
            alpha: one,
            lda: n,
            ldb: k,
            beta: zero,
            ldc: n,
        };
        // SAFETY: the buffers are as long as these matrices, which are dense.
        unsafe { self.0.gemm(config, b, a, c) }?;
        Ok(())
    }
}
