use crate::part::{matrix, range};
use candle_core::{CpuStorage, CustomOp3, Error, Layout, Result, Shape, bail};

/// Bytes of a block of 32 weights.
const BLOCK: u32 = 18;

/// `W x + b`, for one vector: the bytes of W's blocks, rows by columns / 32 * 18, as `QTensor::data` gives them; x; b.
pub struct LinearQ4_0;

impl LinearQ4_0 {
    /// Rows and columns of the weights.
    fn matrix(&self, w: &Layout, x: &Layout, b: &Layout) -> Result<(u32, u32)> {
        let (rows, bytes) = matrix(w)?;
        let columns = bytes / BLOCK * 32;
        if x.dims() != [columns as usize] || b.dims() != [rows as usize] || bytes % BLOCK != 0 {
            bail!(
                "{}: W has {rows} rows of {columns} columns in {bytes} bytes, x and b are {:?} and {:?}",
                self.name(),
                x.dims(),
                b.dims()
            );
        }
        Ok((rows, columns))
    }
}

impl CustomOp3 for LinearQ4_0 {
    fn name(&self) -> &'static str {
        "linear-q4_0"
    }

    fn cpu_fwd(
        &self,
        w: &CpuStorage,
        of_w: &Layout,
        x: &CpuStorage,
        of_x: &Layout,
        b: &CpuStorage,
        of_b: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        let (rows, columns) = self.matrix(of_w, of_x, of_b)?;
        let w = &w.as_slice::<u8>()?[range(of_w)?];
        let x = &x.as_slice::<f32>()?[range(of_x)?];
        let b = &b.as_slice::<f32>()?[range(of_b)?];
        let mut y = vec![0.0; b.len()];
        crate::cpu::linear_q4_0(&mut y, w, x, b, rows, columns).map_err(Error::wrap)?;
        Ok((CpuStorage::F32(y), of_b.shape().clone()))
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(
        &self,
        w: &candle_core::CudaStorage,
        of_w: &Layout,
        x: &candle_core::CudaStorage,
        of_x: &Layout,
        b: &candle_core::CudaStorage,
        of_b: &Layout,
    ) -> Result<(candle_core::CudaStorage, Shape)> {
        let (rows, columns) = self.matrix(of_w, of_x, of_b)?;
        let device = &x.device;
        let w = w.as_cuda_slice::<u8>()?.slice(range(of_w)?);
        let x = x.as_cuda_slice::<f32>()?.slice(range(of_x)?);
        let b = b.as_cuda_slice::<f32>()?.slice(range(of_b)?);
        let mut y = device.alloc_zeros::<f32>(rows as usize)?;
        let stream = device.cuda_stream();
        crate::gpu::linear_q4_0(&stream, &mut y, &w, &x, &b, rows, columns).map_err(Error::wrap)?;
        let y = candle_core::CudaStorage::wrap_cuda_slice(y, device.clone());
        Ok((y, of_b.shape().clone()))
    }
}
