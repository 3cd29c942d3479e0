//! The hot path of a CUDA kernel: which candidate, with which extents, and off it goes. It takes no
//! lock and allocates nothing. A call that teaches something takes the cold way beside it. At the end: the wrapper's
//! arguments as a launch takes them.

use super::clock;
use super::fallback::{Failed, OF_HOST};
use super::module::{Code, Kernel};
use super::registry::OnGpu;
use super::state::State;
use crate::dispatch::Tunable;
use crate::error::DriverFailure;
use crate::learn::Pull;
use crate::rules::{Given, Scope};
use crate::target::Call;
use crate::{Choice, Config, Error, Result};
use bico_core::device::Dims;
use bico_device::cuda;
use cudarc::driver::sys::CUdeviceptr;
use cudarc::driver::{CudaStream, DriverError};
use cudarc::driver::{DevicePtr, DevicePtrMut, DeviceSlice, SyncOnDrop};
use std::ffi::c_void;
use std::sync::Arc;

/// What serves one call.
pub struct Chosen {
    pub(super) tunable: &'static Tunable,
    pub(super) state: &'static State,
    pub(super) kernel: &'static Kernel,
    pub(super) candidate: usize,
    /// How its first pass is launched, at the usual values of what is no size.
    pub(super) dims: Dims,
    /// The passes of the call that are on their way.
    pub(super) launched: usize,
    /// The part that the call has in learning.
    pub(super) pull: Option<Pull>,
    /// What was tried before it, for this call.
    pub(super) failed: Vec<Failed>,
}

/// A launch of one of a call's passes.
pub struct Launch<'a> {
    /// Its extents.
    pub dims: Dims,
    /// Addresses of what the kernel gets, in its order.
    pub parameters: &'a mut [*mut c_void],
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

    #[inline(always)]
    fn gpu_state(&self, on: &impl OnGpu) -> Result<&'static State> {
        let gpus = self.gpus.ok_or_else(|| unready(self))?;
        gpus.of(self.data, on.gpu())
    }

    #[cold]
    #[inline(never)]
    pub(super) fn choose_slowly(
        &'static self,
        state: &'static State,
        stream: &CudaStream,
        sizes: &[i64],
        given: Given<'_>,
    ) -> Result<Chosen> {
        let bound = stream.context().bind_to_thread();
        bound.map_err(|error| failure(self.name(), "a call".to_string(), error))?;
        // What a graph replays later says nothing of its time now, and has no place for events.
        let live = !clock::is_captured(stream);
        let call = Call::new(state.target(self), sizes, given)?;
        for _ in 0..=self.data.candidates.len() {
            let pull = call.pull(live)?;
            let candidate = pull.candidate();
            if let Some(mut chosen) = self.ready(state, candidate, sizes) {
                chosen.pull = pull.learns().then_some(pull);
                return Ok(chosen);
            }
            // It was taken out after another thread had decided for it.
            state.vacate(candidate);
        }
        Err(unready(self))
    }

    /// A loaded candidate with its extents, where the device allows them.
    #[inline(always)]
    pub(super) fn ready(
        &'static self,
        state: &'static State,
        candidate: usize,
        sizes: &[i64],
    ) -> Option<Chosen> {
        let kernel = state.kernel(candidate)?;
        let scope = self.scope_on(&state.gpu.facts, candidate, sizes);
        let mut first = None;
        for (launch, function) in self.rules.launches.iter().zip(&kernel.functions) {
            let dims = launch(&scope).ok().filter(|of| function.limits.allow(of))?;
            first.get_or_insert(dims);
        }
        Some(Chosen {
            tunable: self,
            state,
            kernel,
            candidate,
            dims: first?,
            launched: 0,
            pull: None,
            failed: Vec::new(),
        })
    }
}

/// For wrappers.
#[doc(hidden)]
impl Tunable {
    /// What serves calls of these sizes, and why; settles them and loads the code.
    pub fn choice_on(&self, on: &impl OnGpu, sizes: &[i64], given: Given<'_>) -> Result<Choice> {
        match self.gpus {
            Some(gpus) => {
                let on = gpus.of(self.data, on.gpu())?.target(self);
                Call::new(on, sizes, given)?.choice()
            }
            None => self.choice(sizes, given),
        }
    }

    /// The candidate that serves a call, and how it is launched.
    #[inline]
    pub fn choose(
        &'static self,
        stream: &Arc<CudaStream>,
        sizes: &[i64],
        given: Given<'_>,
    ) -> Result<Chosen> {
        let state = self.gpu_state(stream)?;
        let here = state.target(self).tunable;
        let settled = here.settled(|| &state.gpu.facts, sizes, given);
        match settled.and_then(|candidate| self.ready(state, candidate, sizes)) {
            Some(chosen) => Ok(chosen),
            None => self.choose_slowly(state, stream, sizes, given),
        }
    }

    /// The candidate of this config, and how it is launched.
    pub fn choose_with(
        &'static self,
        on: &impl OnGpu,
        config: &Config,
        sizes: &[i64],
        given: Given<'_>,
    ) -> Result<Chosen> {
        let state = self.gpu_state(on)?;
        let candidate = Call::new(state.target(self), sizes, given)?.with_config(config)?;
        let ready = self.ready(state, candidate, sizes);
        ready.ok_or_else(|| unready(self))
    }
}

/// Settling has found a candidate that is loaded and fits: this does not happen with what the macro
/// makes.
#[cold]
pub(super) fn unready(tunable: &Tunable) -> Error {
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

    /// How its first pass is launched, where `launch` names nothing but sizes.
    #[inline]
    pub fn dims(&self) -> Dims {
        self.dims
    }

    /// Launches its passes, one behind the other. A grid without blocks is nothing to do.
    ///
    /// # Errors
    ///
    /// The driver refuses, or tells of a kernel before.
    ///
    /// # Safety
    ///
    /// There is a launch for each pass. Its parameters are those of the kernel in number and width, and stay valid during
    /// this call; the memory that they name is valid until the kernel ends and used by nobody else.
    #[inline]
    pub unsafe fn launch(
        &mut self,
        stream: &CudaStream,
        launches: &mut [Launch<'_>],
    ) -> Result<()> {
        if launches.iter().all(|launch| launch.dims.is_empty()) {
            return Ok(());
        }
        let bound = stream.context().bind_to_thread();
        let launched = bound.map_err(Refused::Driver).and_then(|()| {
            let plain = self.pull.is_none() && self.failed.is_empty();
            if plain && !self.state.clock.is_timing() {
                // SAFETY: the caller's promise.
                let given = unsafe { self.give(stream, launches) };
                if self.state.clock.is_timing() {
                    self.state.clock.passed(stream);
                }
                return given;
            }
            // SAFETY: as above.
            unsafe { self.learn(stream, launches) }
        });
        launched.map_err(|error| self.refused(error, launches))
    }

    /// Launches a call that teaches something, or that may spoil what another thread's would.
    ///
    /// # Safety
    ///
    /// That of [`Chosen::launch`]. The stream's context is this thread's.
    #[cold]
    #[inline(never)]
    unsafe fn learn(
        &mut self,
        stream: &CudaStream,
        launches: &mut [Launch<'_>],
    ) -> Result<(), Refused> {
        let clock = &self.state.clock;
        let timed = self.pull.as_ref().is_some_and(Pull::timed);
        let started = clock.start(stream, timed);
        // SAFETY: the caller's promise.
        let given = unsafe { self.give(stream, launches) };
        clock.stop(started, stream, self.pull.take_if(|_| given.is_ok()));
        given?;
        self.confirm();
        clock.read();
        Ok(())
    }

    /// # Safety
    ///
    /// That of [`Chosen::launch`]. The stream's context is this thread's.
    #[inline(always)]
    unsafe fn give(
        &mut self,
        stream: &CudaStream,
        launches: &mut [Launch<'_>],
    ) -> Result<(), Refused> {
        for (function, Launch { dims, parameters }) in self.kernel.functions.iter().zip(launches) {
            match &function.code {
                Code::Kernel(_) if dims.is_empty() => {}
                Code::Kernel(function) => {
                    // SAFETY: the function is of this context and stays loaded; its parameters are the caller's
                    // promise.
                    let launched =
                        unsafe { cuda::launch(*function, dims, stream.cu_stream(), parameters) };
                    launched.map_err(Refused::Driver)?;
                }
                Code::Host(function) => {
                    // SAFETY: the stream's context is this thread's, and the parameters are the caller's promise.
                    match unsafe { function.call(stream.cu_stream(), parameters) } {
                        0 => {}
                        given => return Err(Refused::Host(given)),
                    }
                }
            }
            self.launched += 1;
        }
        Ok(())
    }

    /// What the driver said, for people.
    #[cold]
    #[inline(never)]
    fn refused(&self, error: Refused, launches: &[Launch<'_>]) -> Error {
        let config = self.tunable.config(self.candidate);
        let code = self.tunable.data.candidates[self.candidate].gpu.as_ref();
        let names = code.map_or(&[][..], |code| code.expressions);
        let pass = match names.get(self.launched).filter(|_| launches.len() > 1) {
            Some(name) => format!("`{name}` of "),
            None => String::new(),
        };
        let error = match error {
            Refused::Driver(error) => error,
            Refused::Host(given) => return of_host(self.tunable.name(), &config, given),
        };
        let dims = launches.get(self.launched).map_or(self.dims, |of| of.dims);
        let (grid, block) = (dims.grid, dims.block);
        let shared = format!("{} bytes of shared memory", dims.shared);
        let what =
            format!("the launch of {pass}{config} (grid {grid:?}, block {block:?}, {shared})");
        failure(self.tunable.name(), what, error)
    }
}

/// What a function of the host gave back, as an error that other candidates may not have.
fn of_host(tunable: &'static str, config: &Config, given: i32) -> Error {
    Error::Driver(Box::new(DriverFailure {
        tunable,
        what: format!("the call of {config}"),
        code: OF_HOST as u32,
        error: format!("its function of the host gave back {given}"),
    }))
}

/// Why a pass is not on its way.
enum Refused {
    Driver(DriverError),
    /// What the function of the host gave back.
    Host(i32),
}

pub(super) fn failure(tunable: &'static str, what: String, error: DriverError) -> Error {
    Error::Driver(Box::new(DriverFailure {
        tunable,
        what,
        code: error.0 as u32,
        error: cuda::text(error),
    }))
}

/// An address on the GPU and, until it is dropped after the launch, what keeps other streams from
/// reading or writing there at the same time: cudarc's own tracking.
pub type Pointer<'a> = (CUdeviceptr, SyncOnDrop<'a>);

/// The wrapper's stream, by its type.
#[inline(always)]
pub fn stream(stream: &Arc<CudaStream>) -> &Arc<CudaStream> {
    stream
}

/// Elements of a buffer. `BYTES` are those of one, as the build took them to be.
#[inline(always)]
pub fn len<T, B: DeviceSlice<T>, const BYTES: usize>(buffer: &B) -> usize {
    const {
        assert!(
            size_of::<T>() == BYTES,
            "an element of another size than its name says"
        )
    };
    buffer.len()
}

/// Whether a buffer belongs to the stream's context.
#[inline(always)]
pub fn here<T, B: DeviceSlice<T>>(
    function: &'static str,
    argument: &'static str,
    buffer: &B,
    stream: &Arc<CudaStream>,
) -> Result<()> {
    let (of, on) = (buffer.stream().context(), stream.context());
    if Arc::ptr_eq(of, on) || of == on {
        return Ok(());
    }
    Err(Error::OtherDevice {
        function,
        argument,
        buffer: of.ordinal(),
        stream: on.ordinal(),
    })
}

/// A buffer that the kernel reads.
#[inline(always)]
pub fn input<'a, T, B: DevicePtr<T>>(buffer: &'a B, stream: &'a CudaStream) -> Pointer<'a> {
    buffer.device_ptr(stream)
}

/// A buffer that the kernel writes.
#[inline(always)]
pub fn output<'a, T, B: DevicePtrMut<T>>(buffer: &'a mut B, stream: &'a CudaStream) -> Pointer<'a> {
    buffer.device_ptr_mut(stream)
}

/// A parameter of the kernel: the driver copies it during the launch.
#[inline(always)]
pub fn parameter<T: Copy>(value: &T) -> *mut c_void {
    std::ptr::from_ref(value).cast_mut().cast()
}
