//! For crates that launch themselves: what a call would launch.

use super::registry::OnGpu;
use crate::{Config, Result, Tunable};
use bico_core::device::Dims;
use cudarc::driver::sys::{CUfunction, CUmodule};

/// A kernel with its extents, from [`Tunable::launch_on`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct KernelLaunch {
    /// What was chosen.
    pub config: Config,
    /// The kernel. It stays loaded, like its context, as long as the program runs.
    pub function: CUfunction,
    /// What it was loaded with.
    pub module: CUmodule,
    /// How it is launched, which its GPU allows. A grid without blocks is nothing to launch.
    pub dims: Dims,
}

impl Tunable {
    /// What a call of these sizes (the integer arguments, in order) would launch on the GPU of a stream or a context;
    /// decides and loads it. Launched by others it teaches nothing. Of several passes it is the first.
    ///
    /// The kernel's parameters are the caller's: what `args(..)` says, else the wrapper's, then the scratch buffers. Where
    /// `launch(..)` names a `#[value]`, the extents are those of the problem's.
    ///
    /// ```no_run
    /// # fn scale_tunable() -> &'static bico::Tunable { unimplemented!() }
    /// use bico::cudarc::driver::{CudaContext, DevicePtrMut, result};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let stream = CudaContext::new(0)?.default_stream();
    /// let (mut x, mut n) = (stream.clone_htod(&[1.0f32; 1000])?, 1000u32);
    /// let launch = scale_tunable().launch_on(&stream, &[1000])?;
    /// let (mut pointer, _guard) = x.device_ptr_mut(&stream);
    /// let mut parameters = [(&raw mut pointer).cast(), (&raw mut n).cast()];
    /// let (grid, block, shared) = (launch.dims.grid, launch.dims.block, launch.dims.shared);
    /// // SAFETY: these are the kernel's parameters, and live until it is launched.
    /// unsafe {
    ///     let stream = stream.cu_stream();
    ///     result::launch_kernel(launch.function, grid.into(), block.into(), shared, stream, &mut parameters)?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::NoConfig`](crate::Error::NoConfig) where nothing serves such calls.
    pub fn launch_on(&'static self, on: &impl OnGpu, sizes: &[i64]) -> Result<KernelLaunch> {
        let config = self.config_on(on, sizes)?.config;
        let chosen = self.choose_with(on, &config, sizes, &[])?;
        Ok(KernelLaunch {
            config,
            function: chosen.kernel.functions[0].function,
            module: chosen.kernel.constants.module,
            dims: chosen.dims,
        })
    }
}
