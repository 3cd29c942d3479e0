use crate::part::{matrix, range};
use candle_core::{CpuStorage, CustomOp1, Error, Layout, Result, Shape};

/// The softmax of each row, over the last dimension. `f32` only.
pub struct Softmax;

impl CustomOp1 for Softmax {
    fn name(&self) -> &'static str {
        "softmax"
    }

    fn cpu_fwd(&self, x: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let (rows, columns) = matrix(layout)?;
        let x = &x.as_slice::<f32>()?[range(layout)?];
        let mut y = vec![0.0; x.len()];
        crate::cpu::softmax(&mut y, x, rows, columns).map_err(Error::wrap)?;
        Ok((CpuStorage::F32(y), layout.shape().clone()))
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(
        &self,
        x: &candle_core::CudaStorage,
        layout: &Layout,
    ) -> Result<(candle_core::CudaStorage, Shape)> {
        let (rows, columns) = matrix(layout)?;
        let device = &x.device;
        let x = x.as_cuda_slice::<f32>()?.slice(range(layout)?);
        let mut y = device.alloc_zeros::<f32>(layout.shape().elem_count())?;
        let stream = device.cuda_stream();
        crate::gpu::softmax(&stream, &mut y, &x, rows, columns).map_err(Error::wrap)?;
        let y = candle_core::CudaStorage::wrap_cuda_slice(y, device.clone());
        Ok((y, layout.shape().clone()))
    }
}
