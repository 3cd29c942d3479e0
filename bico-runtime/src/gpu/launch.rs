//! The hot path of a CUDA kernel: which candidate, with which extents, and off it goes. It takes no
//! lock and allocates nothing.

use super::module::Kernel;
use super::on::OnGpu;
use super::state::State;
use crate::device::{Dims, cuda};
use crate::dispatch::Tunable;
use crate::error::DriverFailure;
use crate::rules::{Scope, Selector};
use crate::{Choice, Config, Error, Result, settle};
use cudarc::driver::sys::CUresult;
use cudarc::driver::{CudaStream, DriverError, result};
use std::ffi::c_void;
use std::sync::Arc;

/// What serves one call.
#[derive(Debug)]
pub struct Chosen {
    tunable: &'static Tunable,
    state: &'static State,
    kernel: &'static Kernel,
    candidate: usize,
    dims: Dims,
    /// What was tried before, for this call.
    failed: Vec<Failed>,
}

/// A candidate that did not serve.
#[derive(Debug)]
struct Failed {
    candidate: usize,
    error: Error,
}

impl Tunable {
    /// What serves calls of these sizes (the integer arguments, in order) on the GPU of a stream or a
    /// context, and why. For a kernel of the CPU that is the same everywhere.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let gemm_tunable = || -> &'static bico::Tunable { unimplemented!() };
    /// let second = bico::cudarc::driver::CudaContext::new(1)?;
    /// println!("{}", gemm_tunable().config_on(&second, &[1024, 12288, 4096])?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::NoConfig`] where nothing does.
    pub fn config_on(&self, on: &impl OnGpu, sizes: &[i64]) -> Result<Choice> {
        self.count(sizes)?;
        self.choice_on(on, sizes, &[])
    }

    /// What serves calls of these sizes, and why; settles them and loads the code.
    #[doc(hidden)]
    pub fn choice_on(
        &self,
        on: &impl OnGpu,
        sizes: &[i64],
        given: &[Selector<'_>],
    ) -> Result<Choice> {
        match self.state(on.gpu()) {
            Some(state) => settle::choice(self, state?.target(), sizes, given),
            None => self.choice(sizes, given),
        }
    }

    /// The candidate that serves a call, and how it is launched.
    #[doc(hidden)]
    #[inline]
    pub fn choose(
        &'static self,
        on: &impl OnGpu,
        sizes: &[i64],
        given: &[Selector<'_>],
    ) -> Result<Chosen> {
        let state = self.gpu_state(on)?;
        let settled = self.settled_on(&state.target(), sizes, given);
        match settled.and_then(|candidate| self.ready(state, candidate, sizes)) {
            Some(chosen) => Ok(chosen),
            None => self.choose_slowly(state, sizes, given),
        }
    }

    /// The candidate of this config, and how it is launched.
    #[doc(hidden)]
    pub fn choose_with(
        &'static self,
        on: &impl OnGpu,
        config: &Config,
        sizes: &[i64],
        given: &[Selector<'_>],
    ) -> Result<Chosen> {
        let state = self.gpu_state(on)?;
        let candidate = settle::with_config(self, state.target(), config, sizes, given)?;
        let ready = self.ready(state, candidate, sizes);
        ready.ok_or_else(|| unready(self))
    }

    #[inline(always)]
    fn gpu_state(&self, on: &impl OnGpu) -> Result<&'static State> {
        match self.state(on.gpu()) {
            Some(state) => state,
            None => Err(unready(self)),
        }
    }

    #[cold]
    #[inline(never)]
    fn choose_slowly(
        &'static self,
        state: &'static State,
        sizes: &[i64],
        given: &[Selector<'_>],
    ) -> Result<Chosen> {
        let candidate = settle::pull(self, state.target(), sizes, given, false)?.candidate();
        let ready = self.ready(state, candidate, sizes);
        ready.ok_or_else(|| unready(self))
    }

    /// A loaded candidate with its extents, where the device allows them.
    #[inline(always)]
    fn ready(
        &'static self,
        state: &'static State,
        candidate: usize,
        sizes: &[i64],
    ) -> Option<Chosen> {
        let kernel = state.kernel(candidate)?;
        let scope = self.scope_on(&state.gpu.facts, candidate, sizes);
        let dims = (self.rules.launch?)(&scope).ok()?;
        kernel.limits.allow(&dims).then_some(Chosen {
            tunable: self,
            state,
            kernel,
            candidate,
            dims,
            failed: Vec::new(),
        })
    }
}

/// Settling has found a candidate that is loaded and fits: this does not happen with what the macro
/// makes.
#[cold]
fn unready(tunable: &Tunable) -> Error {
    Error::NoDevice {
        why: format!("{} is not made for GPUs", tunable.name()).into(),
    }
}

impl Chosen {
    /// What names mean, for lengths that hang on the candidate.
    pub fn scope<'a>(&self, sizes: &'a [i64]) -> Scope<'a> {
        let (tunable, state) = (self.tunable, self.state);
        tunable.scope_on(&state.gpu.facts, self.candidate, sizes)
    }

    /// Launches it. A grid without blocks is nothing to do.
    ///
    /// # Errors
    ///
    /// The driver refuses, or tells of a kernel before.
    ///
    /// # Safety
    ///
    /// The parameters are those of the kernel in number and width, and stay valid during this call; the
    /// memory that they name is valid until the kernel ends and used by nobody else.
    #[inline]
    pub unsafe fn launch(
        &mut self,
        stream: &CudaStream,
        parameters: &mut [*mut c_void],
    ) -> Result<()> {
        if self.dims.is_empty() {
            return Ok(());
        }
        let bound = stream.context().bind_to_thread();
        // SAFETY: the caller's promise.
        let launched = bound.and_then(|()| unsafe { self.give(stream, parameters) });
        launched.map_err(|error| self.refused(error))
    }

    /// # Safety
    ///
    /// That of [`Chosen::launch`]. The stream's context is this thread's.
    #[inline(always)]
    unsafe fn give(
        &self,
        stream: &CudaStream,
        parameters: &mut [*mut c_void],
    ) -> Result<(), DriverError> {
        let Dims {
            grid,
            block,
            shared,
        } = self.dims;
        let (grid, block) = ((grid[0], grid[1], grid[2]), (block[0], block[1], block[2]));
        let function = self.kernel.function();
        // SAFETY: the function is of this context and stays loaded; its parameters are the caller's
        // promise.
        unsafe {
            let stream = stream.cu_stream();
            result::launch_kernel(function, grid, block, shared, stream, parameters)
        }
    }

    /// What the driver said, for people.
    #[cold]
    #[inline(never)]
    fn refused(&self, error: DriverError) -> Error {
        let Dims {
            grid,
            block,
            shared,
        } = self.dims;
        let data = self.tunable.data;
        let values = data.candidates[self.candidate].values;
        let config = Config::new(data.parameters, values);
        Error::Driver(Box::new(DriverFailure {
            tunable: data.key,
            what: format!(
                "the launch of {config} (grid {grid:?}, block {block:?}, {shared} bytes of shared memory)"
            ),
            code: error.0 as u32,
            error: cuda::text(error),
        }))
    }

    /// Another candidate for the same call, in place of one that could not serve it.
    ///
    /// # Errors
    ///
    /// It is not the config's fault, or there is no other: what the first said.
    #[doc(hidden)]
    #[cold]
    #[inline(never)]
    pub fn another(
        &mut self,
        error: Error,
        stream: &Arc<CudaStream>,
        sizes: &[i64],
        given: &[Selector<'_>],
    ) -> Result<()> {
        if !is_of_the_config(&error) {
            self.forgive();
            return Err(error);
        }
        self.state.fails(self.candidate, error.to_string());
        self.failed.push(Failed {
            candidate: self.candidate,
            error,
        });
        match self.tunable.choose_slowly(self.state, sizes, given) {
            Ok(chosen) => {
                self.kernel = chosen.kernel;
                self.candidate = chosen.candidate;
                self.dims = chosen.dims;
                Ok(())
            }
            Err(none) => {
                self.forgive();
                Err(self
                    .failed
                    .drain(..)
                    .next()
                    .map_or(none, |first| first.error))
            }
        }
    }

    /// What fails with every config is no config's fault.
    fn forgive(&self) {
        for failed in &self.failed {
            self.state.forgive(failed.candidate);
        }
    }
}

/// Whether another config may do better. Errors of the context stay whatever is launched next.
fn is_of_the_config(error: &Error) -> bool {
    let failure = match error {
        Error::Scratch { .. } => return true,
        Error::Driver(failure) => failure,
        _ => return false,
    };
    [
        CUresult::CUDA_ERROR_INVALID_VALUE,
        CUresult::CUDA_ERROR_OUT_OF_MEMORY,
        CUresult::CUDA_ERROR_INVALID_IMAGE,
        CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU,
        CUresult::CUDA_ERROR_INVALID_PTX,
        CUresult::CUDA_ERROR_JIT_COMPILER_NOT_FOUND,
        CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
        CUresult::CUDA_ERROR_JIT_COMPILATION_DISABLED,
        CUresult::CUDA_ERROR_INVALID_SOURCE,
        CUresult::CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND,
        CUresult::CUDA_ERROR_SHARED_OBJECT_INIT_FAILED,
        CUresult::CUDA_ERROR_INVALID_HANDLE,
        CUresult::CUDA_ERROR_NOT_FOUND,
        CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
        CUresult::CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING,
        CUresult::CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
        CUresult::CUDA_ERROR_NOT_SUPPORTED,
        CUresult::CUDA_ERROR_INVALID_CLUSTER_SIZE,
    ]
    .iter()
    .any(|&code| code as u32 == failure.code)
}
