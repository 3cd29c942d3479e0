//! A GPU as a device that kernels are measured on.
//!
//! A kernel comes as a cubin or PTX file, a function of the host as a shared library. Everything runs on one stream of the primary context, so
//! copies, flushes and launches come in the order in which they were asked for.

mod driven;
mod looks;

use super::buffer::{self, Guarded};
use super::clocks::Clocks;
use super::loaded::Loaded;
use super::look::{self, Look};
use super::pages::Pages;
use super::{TensorMap, driver, facts, text};
use crate::conditions::Conditions;
use crate::measure::{
    Argument, Buffer, Bytes, Code, Contents, Device, Invocation, Lap, Looks, Place, Violation,
};
use crate::slots::Slots;
use bico_core::Lists;
use bico_core::device::{Dims, Facts};
use cudarc::driver::result::{ctx, device, event, primary_ctx, stream};
use cudarc::driver::sys::{
    CUcontext, CUdevice, CUdeviceptr, CUevent, CUevent_flags, CUfunction, CUstream,
};
use cudarc::driver::{DriverError, result};
use std::ffi::c_void;
use std::path::Path;

/// Cache of the second level where the driver does not say.
const TYPICAL_L2: usize = 64 << 20;

/// One pass of a call.
struct Launch {
    /// `None`: the function of the host.
    function: Option<CUfunction>,
    dims: Dims,
    /// What its parameters are: an address or a number each.
    words: Vec<Vec<u8>>,
}

/// One GPU of this machine.
pub struct Cuda {
    facts: Facts,
    gpu: CUdevice,
    context: CUcontext,
    stream: CUstream,
    start: CUevent,
    end: CUevent,
    loaded: Slots<Loaded>,
    buffers: Slots<Guarded>,
    pages: Option<Pages>,
    look: Option<Look>,
    /// Written to empty the second-level cache.
    sweep: Option<(CUdeviceptr, usize)>,
    sweeps: u8,
    clocks: Option<Clocks>,
}

impl Cuda {
    /// The GPU of this number.
    ///
    /// # Errors
    ///
    /// There is no driver or no such GPU, or it cannot be used now.
    pub fn new(ordinal: usize) -> Result<Cuda, String> {
        driver()?;
        let facts = facts(ordinal)?;
        let number = i32::try_from(ordinal).map_err(|_| format!("there is no GPU {ordinal}"))?;
        let failed = |error: DriverError| format!("{} cannot be used: {}", facts.name, text(error));
        let gpu = device::get(number).map_err(failed)?;
        // SAFETY: `gpu` is a device of this driver; the context is released when this is dropped.
        let context = unsafe { primary_ctx::retain(gpu) }.map_err(failed)?;
        // SAFETY: the context was just retained.
        unsafe { ctx::set_current(context) }.map_err(failed)?;
        let stream = stream::create(stream::StreamKind::NonBlocking).map_err(failed)?;
        let timed = || event::create(CUevent_flags::CU_EVENT_DEFAULT).map_err(failed);
        let (start, end) = (timed()?, timed()?);
        let l2 = usize::try_from(facts.l2_bytes).unwrap_or(0);
        let l2 = if l2 > 0 { l2 } else { TYPICAL_L2 };
        // SAFETY: the size is not 0.
        let sweep = unsafe { result::malloc_sync(2 * l2) }.ok();
        Ok(Cuda {
            clocks: Clocks::of(gpu),
            facts: Facts::Cuda(facts),
            gpu,
            context,
            stream,
            start,
            end,
            loaded: Slots::new(),
            buffers: Slots::new(),
            pages: Pages::of(gpu),
            look: Look::new(stream),
            sweep: sweep.map(|address| (address, 2 * l2)),
            sweeps: 0,
        })
    }

    /// Copies a buffer to a variable of the module, on the stream.
    fn fill_variable(&self, code: Code, buffer: Buffer, symbol: &str) -> Result<(), String> {
        let (to, room) = self.loaded.peek(code.0)?.variable(symbol)?;
        let from = self.buffers.peek(buffer.0)?;
        if from.len > room {
            let bytes = from.len;
            return Err(format!(
                "`{symbol}` has {room} bytes, what is to fill it has {bytes}"
            ));
        }
        if from.len == 0 {
            return Ok(());
        }
        // SAFETY: both are as long, of this context, and live until the stream is through.
        let copied =
            unsafe { result::memcpy_dtod_async(to, from.address(), from.len, self.stream) };
        copied.map_err(text)
    }

    /// One pass, ready to be launched; what its module's variables hold is copied there.
    fn launch(
        &mut self,
        code: Code,
        pass: usize,
        invocation: &Invocation<'_>,
    ) -> Result<Launch, String> {
        let dims = invocation
            .dims
            .ok_or("a kernel on a GPU needs a `launch(..)`")?;
        let function = self.loaded.get(code.0)?.kernel(pass, dims.shared)?;
        let mut words = Vec::with_capacity(invocation.arguments.len());
        for argument in invocation.arguments {
            match argument {
                Argument::Constant(..) if function.is_none() => {}
                Argument::Constant(buffer, symbol) => self.fill_variable(code, *buffer, symbol)?,
                argument => words.push(self.word(argument)?),
            }
        }
        Ok(Launch {
            function,
            dims,
            words,
        })
    }

    /// A number or an address, as a launch has it.
    fn word(&self, argument: &Argument) -> Result<Vec<u8>, String> {
        Ok(match argument {
            Argument::Buffer(buffer) | Argument::Constant(buffer, _) => {
                let address = self.buffers.peek(buffer.0)?.address();
                address.to_ne_bytes().to_vec()
            }
            Argument::Value(buffer) => self.contents(*buffer)?.to_vec(),
            Argument::Scalar(bytes) => bytes.to_vec(),
            Argument::Tensor(buffer, kind, numbers) => {
                let address = self.buffers.peek(buffer.0)?.address();
                TensorMap::encode(kind, address, numbers)?.to_vec()
            }
        })
    }

    fn launches(&self, code: Code, passes: &mut [Launch], calls: u32) -> Result<f64, String> {
        let loaded = self.loaded.peek(code.0)?;
        let parameters = passes.iter_mut().map(|pass| pointers(&mut pass.words));
        let mut parameters = parameters.collect_vec();
        self.timed(calls, || {
            for (pass, parameters) in passes.iter().zip(&mut parameters) {
                match (pass.function, loaded) {
                    // SAFETY: stream and function belong to this context. What the kernel itself does cannot be known: this
                    // process exists so that whatever it does costs one trial.
                    (Some(function), _) => unsafe {
                        super::launch(function, &pass.dims, self.stream, parameters)
                            .map_err(text)?;
                    },
                    (None, Loaded::Host(function)) => {
                        // SAFETY: as for a kernel; the parameters are what its shim takes.
                        let given = unsafe { function.call(self.stream, parameters) };
                        if given != 0 {
                            return Err(format!("its function of the host gave back {given}"));
                        }
                    }
                    (None, Loaded::Module(_)) => {}
                }
            }
            Ok(())
        })
    }

    /// Seconds of so many calls, from one event on the stream to another.
    fn timed(
        &self,
        calls: u32,
        mut call: impl FnMut() -> Result<(), String>,
    ) -> Result<f64, String> {
        // Not a context's fault of some earlier call: this thread may have been given another one.
        // SAFETY: the context lives while `self` does, and events and stream belong to it.
        unsafe {
            ctx::set_current(self.context).map_err(text)?;
            event::record(self.start, self.stream).map_err(text)?;
        }
        for _ in 0..calls {
            call()?;
        }
        // SAFETY: as above.
        unsafe {
            event::record(self.end, self.stream).map_err(text)?;
            event::synchronize(self.end).map_err(text)?;
            let milliseconds = event::elapsed(self.start, self.end).map_err(text)?;
            Ok(f64::from(milliseconds) * 1e-3)
        }
    }
}

/// What a launch gets: where each word lies.
fn pointers(words: &mut [Vec<u8>]) -> Vec<*mut c_void> {
    let words = words.iter_mut();
    words.map(|word| word.as_mut_ptr().cast()).collect_vec()
}

impl Drop for Cuda {
    fn drop(&mut self) {
        // A broken context refuses all of this, and ends with the process.
        // SAFETY: all of it was made in this context, and nothing uses it any more.
        unsafe {
            let _ = ctx::set_current(self.context);
            for buffer in self.buffers.drain() {
                buffer.free();
            }
            if let Some((address, _)) = self.sweep {
                let _ = result::free_sync(address);
            }
            if let Some(look) = &self.look {
                look.unload();
            }
            for loaded in self.loaded.drain() {
                loaded.unload();
            }
            let _ = event::destroy(self.start);
            let _ = event::destroy(self.end);
            let _ = stream::destroy(self.stream);
            let _ = primary_ctx::release(self.gpu);
        }
    }
}

impl Device for Cuda {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn load(
        &mut self,
        path: &Path,
        entries: &[String],
        variables: &[String],
    ) -> Result<Code, String> {
        // SAFETY: the context lives while `self` does.
        unsafe { ctx::set_current(self.context) }.map_err(text)?;
        let loaded = Loaded::load(path, entries, variables, self.stream)?;
        Ok(Code(self.loaded.insert(loaded)))
    }

    fn drive(&mut self, code: Code, path: &Path, entry: &str) -> Result<(), String> {
        self.loaded.get(code.0)?.drive(path, entry)
    }

    fn restore(&mut self, code: Code) -> Result<(), String> {
        self.loaded.peek(code.0)?.restore(self.stream)
    }

    fn unload(&mut self, code: Code) {
        if let Some(loaded) = self.loaded.take(code.0) {
            loaded.unload();
        }
    }

    fn allocate(&mut self, bytes: usize, alignment: usize) -> Result<Buffer, String> {
        let guarded = Guarded::new(bytes, alignment, self.pages.as_ref(), self.stream)?;
        Ok(Buffer(self.buffers.insert(guarded)))
    }

    fn free(&mut self, buffer: Buffer) {
        if let Some(guarded) = self.buffers.take(buffer.0) {
            guarded.free();
        }
    }

    fn write(&mut self, buffer: Buffer, data: &[u8]) -> Result<(), String> {
        let guarded = self.buffers.peek(buffer.0)?;
        let len = data.len().min(guarded.len);
        buffer::write(guarded.address(), &data[..len], self.stream)
    }

    fn fill(&mut self, buffer: Buffer, pattern: [u8; 8]) -> Result<(), String> {
        let guarded = self.buffers.peek(buffer.0)?;
        if look::fill(guarded.address(), guarded.len, pattern, self.stream)? {
            return Ok(());
        }
        let mut bytes = Bytes::zeroed(guarded.len);
        crate::measure::fill(bytes.as_mut_slice(), pattern);
        self.write(buffer, bytes.as_slice())
    }

    fn looks(&self) -> Option<&dyn Looks> {
        self.look.as_ref().map(|_| self as &dyn Looks)
    }

    fn place(&mut self, buffer: Buffer, place: Place, _read_only: bool) -> Result<(), String> {
        self.buffers.get(buffer.0)?.place(place, self.stream)
    }

    fn contents(&self, buffer: Buffer) -> Result<Contents<'_>, String> {
        let guarded = self.buffers.peek(buffer.0)?;
        buffer::read(guarded.address(), guarded.len, self.stream).map(Contents::Copied)
    }

    fn violation(&mut self, buffer: Buffer) -> Result<Option<Violation>, String> {
        self.buffers.peek(buffer.0)?.violation(self.stream)
    }

    fn time(&mut self, code: Code, passes: &[Invocation<'_>], calls: u32) -> Result<Lap, String> {
        if self.loaded.peek(code.0)?.driver().is_some() {
            return Ok(Lap {
                wall: self.driven(code, passes, calls)?,
                thread: None,
                disturbed: false,
            });
        }
        let mut launches = Vec::with_capacity(passes.len());
        for (at, pass) in passes.iter().enumerate() {
            launches.push(self.launch(code, at, pass)?);
        }
        // As the wrapper does. Outputs that nobody writes are found.
        launches.retain(|launch| !launch.dims.is_empty());
        let seconds = match launches.is_empty() {
            true => Ok(0.0),
            false => self.launches(code, &mut launches, calls),
        };
        Ok(Lap {
            wall: seconds?,
            thread: None,
            disturbed: false,
        })
    }

    fn flush(&mut self) {
        let Some((address, len)) = self.sweep else {
            return;
        };
        self.sweeps = self.sweeps.wrapping_add(1);
        // The launch that follows waits in the stream behind it, so that it begins at once.
        // SAFETY: `sweep` is that long. If it fails, so does the launch.
        let _ = unsafe { result::memset_d8_async(address, self.sweeps, len, self.stream) };
    }

    fn conditions(&mut self) -> Conditions {
        let clocks = self.clocks.as_ref();
        clocks.map_or_else(Conditions::default, Clocks::conditions)
    }
}
