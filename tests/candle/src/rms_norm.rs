use crate::cpu;
use crate::part::{matrix, range};
use candle_core::backend::BackendStorage;
use candle_core::{CpuStorage, CustomOp2, DType, Error, Layout, Result, Shape, bail};
use half::{bf16, f16};

/// `x / sqrt(mean of x^2 + eps) * w` over the last dimension of `x`, where `w` has that length and type: `f32`, `f16` or
/// `bf16`, on a CPU `f64` too.
pub struct RmsNorm {
    pub eps: f32,
}

impl RmsNorm {
    /// Rows and columns of `x`.
    fn matrix(&self, x: &Layout, w: &Layout) -> Result<(u32, u32)> {
        let (rows, columns) = matrix(x)?;
        match w.dims() == [columns as usize] {
            true => Ok((rows, columns)),
            false => bail!("{}: rows of {columns}, weights {:?}", self.name(), w.dims()),
        }
    }

    fn untyped<T>(&self, x: DType, w: DType) -> Result<T> {
        bail!("{}: no kernel for {x:?} with weights in {w:?}", self.name())
    }
}

impl CustomOp2 for RmsNorm {
    fn name(&self) -> &'static str {
        "rms-norm"
    }

    fn cpu_fwd(
        &self,
        x: &CpuStorage,
        of_x: &Layout,
        w: &CpuStorage,
        of_w: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        let (rows, columns) = self.matrix(of_x, of_w)?;
        let (in_x, in_w) = (range(of_x)?, range(of_w)?);
        let narrow = |x: &[f32], w: &[f32]| {
            let mut y = vec![0.0; x.len()];
            cpu::rms_norm_f32(&mut y, x, w, rows, columns, self.eps).map_err(Error::wrap)?;
            Ok::<_, Error>(y)
        };
        // C has no floats of 16 bits.
        let y = match (x, w) {
            (CpuStorage::F32(x), CpuStorage::F32(w)) => {
                CpuStorage::F32(narrow(&x[in_x], &w[in_w])?)
            }
            (CpuStorage::F16(x), CpuStorage::F16(w)) => {
                let wide = |of: &[f16]| of.iter().copied().map(f16::to_f32).collect::<Vec<_>>();
                let y = narrow(&wide(&x[in_x]), &wide(&w[in_w]))?;
                CpuStorage::F16(y.into_iter().map(f16::from_f32).collect())
            }
            (CpuStorage::BF16(x), CpuStorage::BF16(w)) => {
                let wide = |of: &[bf16]| of.iter().copied().map(bf16::to_f32).collect::<Vec<_>>();
                let y = narrow(&wide(&x[in_x]), &wide(&w[in_w]))?;
                CpuStorage::BF16(y.into_iter().map(bf16::from_f32).collect())
            }
            (CpuStorage::F64(x), CpuStorage::F64(w)) => {
                let (x, w) = (&x[in_x], &w[in_w]);
                let mut y = vec![0.0; x.len()];
                cpu::rms_norm_f64(&mut y, x, w, rows, columns, self.eps).map_err(Error::wrap)?;
                CpuStorage::F64(y)
            }
            _ => return self.untyped(x.dtype(), w.dtype()),
        };
        Ok((y, of_x.shape().clone()))
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(
        &self,
        x: &candle_core::CudaStorage,
        of_x: &Layout,
        w: &candle_core::CudaStorage,
        of_w: &Layout,
    ) -> Result<(candle_core::CudaStorage, Shape)> {
        use crate::gpu;
        use candle_core::cuda_backend::CudaStorageSlice::{BF16, F16, F32};

        let (rows, columns) = self.matrix(of_x, of_w)?;
        let (device, stream) = (&x.device, x.device.cuda_stream());
        // The same for each type that a kernel is there for.
        macro_rules! on {
            ($kernel:path, $x:ident, $w:ident, $type:ident) => {{
                let (x, w) = ($x.slice(range(of_x)?), $w.slice(range(of_w)?));
                let mut y = device.alloc_zeros(of_x.shape().elem_count())?;
                $kernel(&stream, &mut y, &x, &w, rows, columns, self.eps).map_err(Error::wrap)?;
                $type(y)
            }};
        }
        let slice = match (&x.slice, &w.slice) {
            (F32(x), F32(w)) => on!(gpu::rms_norm_f32, x, w, F32),
            (F16(x), F16(w)) => on!(gpu::rms_norm_f16, x, w, F16),
            (BF16(x), BF16(w)) => on!(gpu::rms_norm_bf16, x, w, BF16),
            _ => return self.untyped(x.dtype(), w.dtype()),
        };
        let device = device.clone();
        Ok((
            candle_core::CudaStorage { slice, device },
            of_x.shape().clone(),
        ))
    }
}
