//! A GPU as a device that kernels are measured on.
//!
//! A kernel comes as a cubin or PTX file. Everything runs on one stream of the primary context, so
//! copies, flushes and launches come in the order in which they were asked for.

use super::buffer::{self, Guarded};
use super::clocks::Clocks;
use super::pages::Pages;
use super::{driver, facts, text};
use crate::conditions::Conditions;
use crate::measure::{
    Argument, Buffer, Bytes, Code, Contents, Device, Invocation, Lap, Place, Violation,
};
use crate::slots::Slots;
use bico_core::device::{Dims, Facts};
use cudarc::driver::result::{ctx, device, event, function, module, primary_ctx, stream};
use cudarc::driver::sys::{
    CUcontext, CUdevice, CUdeviceptr, CUevent, CUevent_flags, CUfunction, CUfunction_attribute,
    CUmodule, CUstream,
};
use cudarc::driver::{DriverError, result};
use std::ffi::{CString, c_void};
use std::path::Path;

/// Cache of the second level where the driver does not say.
const TYPICAL_L2: usize = 64 << 20;

struct Loaded {
    module: CUmodule,
    /// One for each pass, with the dynamic shared memory that was asked for. Without asking it is 48 KiB less what the
    /// kernel declares.
    functions: Vec<(CUfunction, u32)>,
    /// Variables, and what they held in the beginning.
    variables: Vec<(CUdeviceptr, Bytes)>,
}

/// Where a variable of a module lies, and how long it is.
fn variable(module: CUmodule, name: &str) -> Result<(CUdeviceptr, usize), String> {
    let found = CString::new(name).map_err(|error| error.to_string())?;
    // SAFETY: the module is loaded.
    let found = unsafe { module::get_global(module, found) };
    found.map_err(|error| format!("it has no variable `{name}`: {}", text(error)))
}

/// One pass of a call.
struct Launch {
    function: CUfunction,
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
            sweep: sweep.map(|address| (address, 2 * l2)),
            sweeps: 0,
        })
    }

    /// Lets a kernel have more dynamic shared memory than kernels usually get.
    fn opt_in(&mut self, code: Code, pass: usize, shared: u32) -> Result<CUfunction, String> {
        let functions = &mut self.loaded.get(code.0)?.functions;
        let function = functions.get_mut(pass);
        let (function, known) = function.ok_or("a pass has no kernel")?;
        if shared > *known {
            let bytes = i32::try_from(shared)
                .map_err(|_| format!("{shared} bytes of shared memory are too many"))?;
            let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            // SAFETY: the function's module is loaded.
            let asked = unsafe { function::set_function_attribute(*function, attribute, bytes) };
            asked.map_err(|error| {
                format!(
                    "{shared} bytes of dynamic shared memory could not be had: {}",
                    text(error)
                )
            })?;
            *known = shared;
        }
        Ok(*function)
    }

    /// Copies a buffer to a variable of the module, on the stream.
    fn fill_variable(&self, code: Code, buffer: Buffer, symbol: &str) -> Result<(), String> {
        let (to, room) = variable(self.loaded.peek(code.0)?.module, symbol)?;
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
        let function = self.opt_in(code, pass, dims.shared)?;
        let mut words = Vec::with_capacity(invocation.arguments.len());
        for argument in invocation.arguments {
            words.push(match argument {
                Argument::Buffer(buffer) => self
                    .buffers
                    .peek(buffer.0)?
                    .address()
                    .to_ne_bytes()
                    .to_vec(),
                Argument::Value(buffer) => self.contents(*buffer)?.to_vec(),
                Argument::Scalar(bytes) => bytes.to_vec(),
                Argument::Constant(buffer, symbol) => {
                    self.fill_variable(code, *buffer, symbol)?;
                    continue;
                }
            });
        }
        Ok(Launch {
            function,
            dims,
            words,
        })
    }

    fn launches(&self, passes: &mut [Launch], calls: u32) -> Result<f64, DriverError> {
        // Not a context's fault of some earlier call: this thread may have been given another one.
        // SAFETY: the context lives while `self` does.
        unsafe { ctx::set_current(self.context) }?;
        let pointers = |pass: &mut Launch| -> Vec<*mut c_void> {
            let words = pass.words.iter_mut();
            words.map(|word| word.as_mut_ptr().cast()).collect()
        };
        let mut parameters: Vec<_> = passes.iter_mut().map(pointers).collect();
        // SAFETY: events, stream and functions belong to this context. What the kernel itself does
        // cannot be known: this process exists so that whatever it does costs one trial.
        unsafe {
            event::record(self.start, self.stream)?;
            for _ in 0..calls {
                for (pass, parameters) in passes.iter().zip(&mut parameters) {
                    result::launch_kernel(
                        pass.function,
                        pass.dims.grid.into(),
                        pass.dims.block.into(),
                        pass.dims.shared,
                        self.stream,
                        parameters,
                    )?;
                }
            }
            event::record(self.end, self.stream)?;
            event::synchronize(self.end)?;
            let milliseconds = event::elapsed(self.start, self.end)?;
            Ok(f64::from(milliseconds) * 1e-3)
        }
    }
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
            for loaded in self.loaded.drain() {
                let _ = module::unload(loaded.module);
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
        let unread =
            |error: std::io::Error| format!("could not read `{}`: {error}", path.display());
        let mut image = std::fs::read(path).map_err(unread)?;
        // PTX ends with a NUL; a cubin does not mind.
        image.push(0);
        // SAFETY: `image` is a whole cubin or PTX with a NUL behind, and the driver copies it.
        let module = unsafe { module::load_data(image.as_ptr().cast()) }.map_err(text)?;
        let functions = entries.iter().map(|name| {
            let entry =
                CString::new(name.as_str()).map_err(|_| format!("`{name:?}` is no name"))?;
            // SAFETY: the module is loaded.
            let function = unsafe { module::get_function(module, entry) };
            let missing = |error| format!("it has no kernel `{name}`: {}", text(error));
            Ok((function.map_err(missing)?, 0))
        });
        let functions = functions.collect::<Result<_, String>>();
        if functions.is_err() {
            // SAFETY: nothing of it is used.
            let _ = unsafe { module::unload(module) };
        }
        let (functions, mut kept) = (functions?, Vec::new());
        // What the driver does not find by name no host can have filled either.
        let known = variables
            .iter()
            .filter_map(|name| variable(module, name).ok());
        for (address, len) in known {
            kept.push((address, buffer::read(address, len, self.stream)?));
        }
        Ok(Code(self.loaded.insert(Loaded {
            module,
            functions,
            variables: kept,
        })))
    }

    fn restore(&mut self, code: Code) -> Result<(), String> {
        let variables = &self.loaded.peek(code.0)?.variables;
        let mut each = variables.iter();
        each.try_for_each(|(to, bytes)| buffer::write(*to, bytes.as_slice(), self.stream))
    }

    fn unload(&mut self, code: Code) {
        if let Some(loaded) = self.loaded.take(code.0) {
            // SAFETY: every launch was waited for.
            let _ = unsafe { module::unload(loaded.module) };
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
        let mut bytes = Bytes::zeroed(self.buffers.peek(buffer.0)?.len);
        crate::measure::fill(bytes.as_mut_slice(), pattern);
        self.write(buffer, bytes.as_slice())
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
        let mut launches = Vec::with_capacity(passes.len());
        for (at, pass) in passes.iter().enumerate() {
            launches.push(self.launch(code, at, pass)?);
        }
        // As the wrapper does. Outputs that nobody writes are found.
        launches.retain(|launch| !launch.dims.is_empty());
        let seconds = match launches.is_empty() {
            true => Ok(0.0),
            false => self.launches(&mut launches, calls),
        };
        Ok(Lap {
            wall: seconds.map_err(text)?,
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
