//! For crates that launch themselves: what a call would launch.

use super::launch::{Chosen, unready};
use super::module::Code;
use super::registry::OnGpu;
use crate::target::Call;
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
    /// How it is launched, which its GPU allows. A grid without blocks is nothing to launch. One in clusters needs `cuLaunchKernelEx`.
    pub dims: Dims,
}

impl Tunable {
    /// What a call of these sizes (the integer arguments, in order) would launch on the GPU of a stream or a context;
    /// decides and loads it. Launched by others it teaches nothing. Of several passes it is the first. In place of a library's call
    /// it is the best kernel.
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
        let (function, chosen) = match kernel(&chosen) {
            Some(function) => (function, chosen),
            None => self.kernel_instead(&chosen, sizes)?,
        };
        Ok(KernelLaunch {
            config: self.config(chosen.candidate),
            function,
            module: chosen.kernel.constants.module,
            dims: chosen.dims,
        })
    }

    /// The best one that is a kernel, in place of a function of the host.
    fn kernel_instead(
        &'static self,
        chosen: &Chosen,
        sizes: &[i64],
    ) -> Result<(CUfunction, Chosen)> {
        let call = Call::new(chosen.state.target(self), sizes, &[])?;
        let mut others = call.order().filter(|&of| call.runs(of));
        let other = others.find_map(|of| {
            let other = self.ready(chosen.state, of, sizes)?;
            Some((kernel(&other)?, other))
        });
        other.ok_or_else(|| unready(self))
    }
}

/// What is launched, if that is a kernel.
fn kernel(chosen: &Chosen) -> Option<CUfunction> {
    match chosen.kernel.functions[0].code {
        Code::Kernel(function) => Some(function),
        Code::Host(_) => None,
    }
}
