//! The kernel that one writes first, launched by cudarc.

use crate::convolution::Sizes;
use crate::error::Error;
use bico::cudarc::driver::{
    CudaContext, CudaFunction, CudaSlice, CudaStream, LaunchConfig, PushKernelArg,
};
use cudarc::nvrtc::{Ptx, compile_ptx, sys::is_culib_present};
use std::sync::Arc;

/// Threads of a block.
const BLOCK: (u32, u32) = (32, 8);

pub(crate) struct Naive(CudaFunction);

impl Naive {
    /// Loads the kernel's PTX. A driver that takes none (the tests' stand-in) gets what NVRTC makes of
    /// the source, where there is one.
    pub(crate) fn new(context: &Arc<CudaContext>) -> Result<Naive, Error> {
        let ptx = Ptx::from_src(include_str!("../kernels/naive.ptx"));
        let module = match context.load_module(ptx) {
            // SAFETY: it opens the library and does nothing else.
            Err(_) if unsafe { is_culib_present() } => {
                let made = compile_ptx(include_str!("../kernels/naive.cu"));
                let made = made.map_err(|error| Error::Naive(error.to_string()))?;
                context.load_module(made)?
            }
            loaded => loaded.map_err(|error| Error::Naive(error.to_string()))?,
        };
        Ok(Naive(module.load_function("conv2d_naive")?))
    }

    /// One convolution.
    pub(crate) fn launch(
        &self,
        stream: &Arc<CudaStream>,
        out: &mut CudaSlice<f32>,
        input: &CudaSlice<f32>,
        filter: &CudaSlice<f32>,
        sizes: Sizes,
    ) -> Result<(), Error> {
        let Sizes { h, w, f } = sizes;
        let config = LaunchConfig {
            grid_dim: (w.div_ceil(BLOCK.0), h.div_ceil(BLOCK.1), 1),
            block_dim: (BLOCK.0, BLOCK.1, 1),
            shared_mem_bytes: 0,
        };
        let mut launch = stream.launch_builder(&self.0);
        launch.arg(out).arg(input).arg(filter);
        launch.arg(&h).arg(&w).arg(&f);
        // SAFETY: these are the kernel's arguments, and the buffers hold what it touches at these sizes.
        unsafe { launch.launch(config) }?;
        Ok(())
    }
}
