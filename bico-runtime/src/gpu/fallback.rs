//! Another candidate, where one cannot serve a call: no call fails as long as some config can serve it.

use super::launch::{Chosen, unready};
use super::module::OF_IMAGES;
use crate::learn::Pull;
use crate::rules::Given;
use crate::target::Call;
use crate::{Error, Result};
use cudarc::driver::CudaStream;
use cudarc::driver::sys::CUresult;
use std::sync::Arc;

/// A candidate that did not serve a call.
pub(super) struct Failed {
    candidate: usize,
    pull: Option<Pull>,
    error: Error,
    /// Whether it does not run on this GPU at all. Else it was so at this moment, or with these arguments: memory, or a
    /// buffer that is long enough for others.
    lasting: bool,
}

impl Chosen {
    /// Another candidate for the same call, in place of one that could not serve it.
    ///
    /// # Errors
    ///
    /// It is not the config's fault, there is no other, or a pass of it is on its way and may have changed what others
    /// would begin with: what the first said.
    #[doc(hidden)]
    #[cold]
    #[inline(never)]
    pub fn another(
        &mut self,
        error: Error,
        stream: &Arc<CudaStream>,
        sizes: &[i64],
        given: Given<'_>,
    ) -> Result<()> {
        if self.launched > 0 {
            return Err(error);
        }
        let call = Call::new(self.state.target(self.tunable), sizes, given)?;
        let swaps = !self.failed.is_empty() || call.is_learned();
        let Some(lasting) = fault(&error, swaps) else {
            return Err(error);
        };
        self.failed.push(Failed {
            candidate: self.candidate,
            pull: self.pull.take(),
            error,
            lasting,
        });
        // Nothing is changed yet: what fails with every config is no config's fault.
        let next = self.tunable.choose_slowly(self.state, stream, sizes, given);
        let next = next.ok().filter(|next| !self.tried(next.candidate));
        // Each candidate has one chance: this ends.
        match next.map_or_else(|| self.untried(&call), Ok) {
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

    /// The first candidate in the problem's order that was not tried yet.
    fn untried(&self, call: &Call<'_>) -> Result<Chosen> {
        let next = call.order().find(|&c| !self.tried(c) && call.runs(c));
        let next = next.and_then(|next| self.tunable.ready(self.state, next, call.sizes));
        next.ok_or_else(|| unready(self.tunable))
    }

    fn tried(&self, candidate: usize) -> bool {
        self.failed.iter().any(|of| of.candidate == candidate)
    }

    /// A call was served at last: what failed before it, failed by its own fault.
    pub(super) fn confirm(&mut self) {
        for failed in self.failed.drain(..) {
            if failed.lasting {
                self.state.take_out(failed.candidate, &failed.error);
            }
            let learned = failed.pull.map(Pull::failed).is_some();
            if learned || failed.lasting {
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

/// Whether the config that failed is out for good. `None`: it is not its fault, and whatever runs next fails as well.
/// `swaps`: who calls did not count on this very config.
fn fault(error: &Error, swaps: bool) -> Option<bool> {
    match error {
        Error::Scratch { .. } => Some(false),
        Error::BufferTooShort { .. } | Error::Eval { .. } if swaps => Some(false),
        Error::Driver(failure) => {
            let is = |&code: &CUresult| code as u32 == failure.code;
            // A library may fail for want of memory, too, or at these sizes.
            match is(&CUresult::CUDA_ERROR_OUT_OF_MEMORY) || is(&OF_HOST) {
                true => Some(false),
                false => OF_IMAGES.iter().chain(OF_LAUNCHES).any(is).then_some(true),
            }
        }
        _ => None,
    }
}

/// What stands among the driver's codes for a function of the host that failed: no launch gives this one.
pub(super) const OF_HOST: CUresult = CUresult::CUDA_ERROR_EXTERNAL_DEVICE;

/// What a launch gives where another one may do better. Errors of the context are not among them: they
/// stay whatever is launched next.
const OF_LAUNCHES: &[CUresult] = &[
    CUresult::CUDA_ERROR_INVALID_HANDLE,
    CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
    CUresult::CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING,
    CUresult::CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
    CUresult::CUDA_ERROR_INVALID_CLUSTER_SIZE,
];
