//! Batched products of cuBLAS, where it is there.

use crate::{Error, SIZES};
use cudarc::cublas::sys::cublasOperation_t::CUBLAS_OP_N;
use cudarc::cublas::{CudaBlas, Gemm, GemmConfig, StridedBatchedConfig, sys};
use cudarc::driver::{CudaSlice, CudaStream};
use half::f16;
use std::sync::Arc;

/// The library on one stream.
pub struct Cublas(CudaBlas);

impl Cublas {
    /// `None` where it is not found: it is no part of the driver.
    ///
    /// # Errors
    ///
    /// It does not start.
    pub fn load(stream: &Arc<CudaStream>) -> Result<Option<Cublas>, Error> {
        // SAFETY: loads a library, whose initialisers are NVIDIA's.
        if !unsafe { sys::is_culib_present() } {
            return Ok(None);
        }
        Ok(Some(Cublas(CudaBlas::new(stream.clone())?)))
    }

    /// O = A * B for each c, sums in FP32.
    ///
    /// # Errors
    ///
    /// The call fails.
    pub fn contract(
        &self,
        o: &mut CudaSlice<f16>,
        [a, b]: [&CudaSlice<f16>; 2],
    ) -> Result<(), Error> {
        let [c, m, n, k] = SIZES.map(i64::from);
        assert!(o.len() as i64 >= c * m * n);
        assert!(a.len() as i64 >= c * m * k && b.len() as i64 >= c * k * n);
        let [batches, rows, columns, sum] = [c, m, n, k].map(i32::try_from);
        let [batches, rows, columns, sum] = [batches?, rows?, columns?, sum?];
        // It knows column-major matrices, which are the transposed ones of ours: B' A' is O'.
        let gemm = GemmConfig {
            transa: CUBLAS_OP_N,
            transb: CUBLAS_OP_N,
            m: columns,
            n: rows,
            k: sum,
            alpha: f16::ONE,
            lda: columns,
            ldb: sum,
            beta: f16::ZERO,
            ldc: columns,
        };
        let config = StridedBatchedConfig {
            gemm,
            batch_size: batches,
            stride_a: k * n,
            stride_b: m * k,
            stride_c: m * n,
        };
        // SAFETY: the buffers are as long as these batches of dense matrices.
        unsafe { self.0.gemm_strided_batched(config, b, a, o) }?;
        Ok(())
    }
}
