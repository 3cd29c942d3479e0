//! Another candidate, where one cannot serve a call: no call fails as long as some config can serve it.

use super::launch::{Chosen, unready};
use crate::learn::Pull;
use crate::rules::Selector;
use crate::{Error, Result, settle};
use cudarc::driver::CudaStream;
use cudarc::driver::sys::CUresult;
use std::sync::Arc;

/// A candidate that did not serve a call.
#[derive(Debug)]
pub(super) struct Failed {
    candidate: usize,
    pull: Option<Pull>,
    error: Error,
    fault: Fault,
}

/// Whose fault a failure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// The config's: it does not run on this GPU.
    Config,
    /// The config's, at this moment or with these arguments: memory, or a buffer that is long enough for others.
    Now,
    /// Somebody else's: whatever runs next fails as well.
    Other,
}

impl Chosen {
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
        let swaps = !self.failed.is_empty() || self.is_learned(sizes, given);
        let fault = fault(&error, swaps);
        if fault == Fault::Other {
            return Err(error);
        }
        self.failed.push(Failed {
            candidate: self.candidate,
            pull: self.pull.take(),
            error,
            fault,
        });
        // Nothing is changed yet: what fails with every config is no config's fault.
        let next = self.tunable.choose_slowly(self.state, stream, sizes, given);
        let next = next.ok().filter(|next| !self.tried(next.candidate));
        // Each candidate has one chance: this ends.
        match next.map_or_else(|| self.untried(sizes, given), Ok) {
            Ok(next) => {
                let failed = std::mem::take(&mut self.failed);
                *self = Chosen { failed, ..next };
                Ok(())
            }
            Err(none) => {
                let first = self.failed.drain(..).next();
                Err(first.map_or(none, |failed| failed.error))
            }
        }
    }

    fn is_learned(&self, sizes: &[i64], given: &[Selector<'_>]) -> bool {
        let problem = self.tunable.problem(sizes, given);
        problem.is_ok_and(|problem| {
            settle::is_learned(self.tunable, self.state.target(), problem, sizes)
        })
    }

    /// The first candidate in the problem's order that was not tried yet.
    fn untried(&self, sizes: &[i64], given: &[Selector<'_>]) -> Result<Chosen> {
        let (tunable, on) = (self.tunable, self.state.target());
        let problem = tunable.problem(sizes, given)?;
        let mut order = tunable.order(problem);
        let next = order.find(|&c| !self.tried(c) && settle::runs(tunable, on, c, problem, sizes));
        next.and_then(|next| tunable.ready(self.state, next, sizes))
            .ok_or_else(|| unready(tunable))
    }

    fn tried(&self, candidate: usize) -> bool {
        self.failed.iter().any(|of| of.candidate == candidate)
    }

    /// A call was served at last: what failed before it, failed by its own fault.
    pub(super) fn confirm(&mut self) {
        for failed in self.failed.drain(..) {
            if failed.fault == Fault::Config {
                self.state.take_out(failed.candidate, &failed.error);
            }
            let learned = failed.pull.map(Pull::failed).is_some();
            if learned || failed.fault == Fault::Config {
                log::warn!(
                    "{}: {} does not serve on {}: {}",
                    self.tunable.name(),
                    self.tunable.config(failed.candidate),
                    self.state.gpu.key,
                    failed.error
                );
            }
        }
    }
}

/// `swaps`: who calls did not count on this very config.
fn fault(error: &Error, swaps: bool) -> Fault {
    match error {
        Error::Scratch { .. } => Fault::Now,
        Error::BufferTooShort { .. } | Error::Eval { .. } if swaps => Fault::Now,
        Error::Driver(failure) if failure.code == CUresult::CUDA_ERROR_OUT_OF_MEMORY as u32 => {
            Fault::Now
        }
        Error::Driver(failure) if CONFIG.iter().any(|&code| code as u32 == failure.code) => {
            Fault::Config
        }
        _ => Fault::Other,
    }
}

/// What a launch gives where another one may do better. Errors of the context are not among them: they
/// stay whatever is launched next.
const CONFIG: &[CUresult] = &[
    CUresult::CUDA_ERROR_INVALID_VALUE,
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
];
