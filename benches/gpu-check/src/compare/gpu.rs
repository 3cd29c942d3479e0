//! A GPU as this program uses it: memory, launches and times, all on one stream.

use bico_core::device::{CudaFacts, Dims};
use bico_device::cuda::TensorMap;
use bico_device::measure::Bytes;
use cargo_bico::opened::{Argument, Buffer, Call};
use cudarc::driver::sys::{CUevent_flags, CUfunction_attribute};
use cudarc::driver::{CudaContext, CudaFunction, CudaSlice, CudaStream, DevicePtr, DriverError};
use cudarc::nvrtc::Ptx;
use std::cell::RefCell;
use std::ffi::c_void;
use std::sync::Arc;

/// Bytes behind each buffer, which must remain as they are.
const GUARD: usize = 4096;
const CANARY: u8 = 0x3f;
/// What the sweep writes lasts longer than it takes to ask for the work behind it, also where the cache is small.
const LEAST_SWEEP: usize = 64 << 20;

/// One GPU.
pub(super) struct Gpu {
    context: Arc<CudaContext>,
    pub(super) stream: Arc<CudaStream>,
    /// Written to before each timed run, so that the second-level cache holds nothing of the last one.
    sweep: RefCell<CudaSlice<u8>>,
}

/// Memory of the GPU, with a guard zone behind.
pub(super) struct Memory {
    pub(super) slice: CudaSlice<u8>,
    len: usize,
}

/// A loaded kernel and what it is launched with.
pub(super) struct Kernel {
    function: CudaFunction,
    dims: Dims,
    parameters: Vec<Parameter>,
}

/// What a kernel gets.
enum Parameter {
    /// An address, or a number in its first bytes.
    Word(u64),
    Tensor(TensorMap),
}

impl Gpu {
    pub(super) fn new(facts: &CudaFacts) -> Result<Gpu, String> {
        let context = CudaContext::new(0).map_err(text)?;
        // With one stream only, cudarc adds no events of its own to what is timed.
        let stream = context.default_stream();
        let l2 = usize::try_from(facts.l2_bytes).unwrap_or(0);
        let sweep = stream
            .alloc_zeros((2 * l2).max(LEAST_SWEEP))
            .map_err(text)?;
        Ok(Gpu {
            context,
            stream,
            sweep: RefCell::new(sweep),
        })
    }

    /// Seconds of some work on the stream, the second-level cache flushed before.
    pub(super) fn time(&self, work: &mut dyn FnMut() -> Result<(), String>) -> Result<f64, String> {
        // What follows waits in the stream behind it, so that the caller's own time does not count.
        let sweep = &mut *self.sweep.borrow_mut();
        self.stream.memset_zeros(sweep).map_err(text)?;
        let timed = Some(CUevent_flags::CU_EVENT_DEFAULT);
        let start = self.stream.record_event(timed).map_err(text)?;
        work()?;
        let end = self.stream.record_event(timed).map_err(text)?;
        let milliseconds = start.elapsed_ms(&end).map_err(text)?;
        Ok(f64::from(milliseconds) * 1e-3)
    }

    pub(super) fn synchronize(&self) -> Result<(), String> {
        self.stream.synchronize().map_err(text)
    }

    pub(super) fn allocate(&self, len: usize) -> Result<Memory, String> {
        let failed = |error| format!("{len} bytes of GPU memory: {}", text(error));
        let mut slice = self.stream.alloc_zeros(len + GUARD).map_err(failed)?;
        let guard = [CANARY; GUARD];
        let mut behind = slice.slice_mut(len..);
        self.stream
            .memcpy_htod(&guard, &mut behind)
            .map_err(failed)?;
        Ok(Memory { slice, len })
    }

    pub(super) fn write(&self, memory: &mut Memory, bytes: &[u8]) -> Result<(), String> {
        let mut view = memory.slice.slice_mut(..bytes.len());
        self.stream.memcpy_htod(bytes, &mut view).map_err(text)?;
        self.synchronize()
    }

    pub(super) fn read(&self, memory: &Memory) -> Result<Bytes, String> {
        let mut bytes = Bytes::zeroed(memory.len);
        let view = memory.slice.slice(..memory.len);
        self.stream
            .memcpy_dtoh(&view, bytes.as_mut_slice())
            .map_err(text)?;
        self.synchronize()?;
        Ok(bytes)
    }

    /// Whether nothing wrote behind the memory's end.
    pub(super) fn is_whole(&self, memory: &Memory) -> Result<bool, String> {
        let view = memory.slice.slice(memory.len..);
        let guard = self.stream.clone_dtoh(&view).map_err(text)?;
        self.synchronize()?;
        Ok(guard.iter().all(|byte| *byte == CANARY))
    }

    /// Loads a kernel whose buffers are `memory`, in the order of [`buffers`].
    pub(super) fn load(&self, call: &Call, memory: &[&Memory]) -> Result<Kernel, String> {
        let [pass] = call.passes.as_slice() else {
            return Err("a call of several passes is not compared".to_string());
        };
        let path = &call.kernel.path;
        let mut image =
            std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        // PTX ends with a NUL; a cubin does not mind.
        image.push(0);
        let module = self.context.load_module(Ptx::from_binary(image));
        let function = module
            .and_then(|module| module.load_function(&pass.entry))
            .map_err(text)?;
        // Without asking it is 48 KiB less what the kernel declares, which is not known here.
        if pass.dims.shared > 0 {
            let bytes = i32::try_from(pass.dims.shared).map_err(|error| error.to_string())?;
            let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            function.set_attribute(attribute, bytes).map_err(text)?;
        }
        let known = buffers(call).into_iter().zip(memory);
        let known: Vec<(&Buffer, &&Memory)> = known.collect();
        let address = |of: &Buffer| {
            let found = known.iter().find(|(known, _)| known.name() == of.name());
            found.map(|(_, memory)| self.address(memory))
        };
        let parameter = |argument: &Argument| {
            let missing = "a buffer is missing";
            Ok(match argument {
                Argument::Scalar(bytes) => Parameter::Word(u64::from_ne_bytes(*bytes)),
                Argument::Buffer(of) => Parameter::Word(address(of).ok_or(missing)?),
                Argument::Tensor(of, kind, numbers) => {
                    let at = address(of).ok_or(missing)?;
                    Parameter::Tensor(TensorMap::encode(kind, at, numbers)?)
                }
            })
        };
        let parameters = pass.arguments.iter().map(parameter);
        Ok(Kernel {
            function,
            dims: pass.dims,
            parameters: parameters.collect::<Result<_, String>>()?,
        })
    }

    /// The address of a buffer; everything that uses it runs on the stream.
    pub(super) fn address(&self, memory: &Memory) -> u64 {
        memory.slice.device_ptr(&self.stream).0
    }

    /// Blocks of the kernel that one multiprocessor holds at a time.
    pub(super) fn resident(&self, kernel: &Kernel) -> Result<u32, String> {
        let threads = kernel.dims.block.iter().product();
        let shared = kernel.dims.shared as usize;
        let function = &kernel.function;
        function
            .occupancy_max_active_blocks_per_multiprocessor(threads, shared, None)
            .map_err(text)
    }

    pub(super) fn launch(&self, kernel: &Kernel) -> Result<(), String> {
        let parameters = kernel.parameters.iter().map(|parameter| match parameter {
            Parameter::Word(word) => (&raw const *word).cast_mut().cast(),
            Parameter::Tensor(map) => (&raw const *map).cast_mut().cast(),
        });
        let mut parameters: Vec<*mut c_void> = parameters.collect();
        let (function, stream) = (kernel.function.cu_function(), self.stream.cu_stream());
        // SAFETY: these are the kernel's parameters by the attribute that it was tuned with, and the buffers have the
        // lengths that it promises to stay within. Whatever it does else ends this process, which exists for it.
        unsafe { bico_device::cuda::launch(function, &kernel.dims, stream, &mut parameters) }
            .map_err(text)
    }
}

/// The buffers of a call, each once, in the order in which they are passed.
pub(super) fn buffers(call: &Call) -> Vec<&Buffer> {
    let mut all: Vec<&Buffer> = Vec::new();
    for argument in call.passes.iter().flat_map(|pass| &pass.arguments) {
        let (Argument::Buffer(buffer) | Argument::Tensor(buffer, ..)) = argument else {
            continue;
        };
        if !all.iter().any(|known| known.name() == buffer.name()) {
            all.push(buffer);
        }
    }
    all
}

/// Those of them that are no scratch.
pub(super) fn given(call: &Call) -> Vec<&Buffer> {
    let mut all = buffers(call);
    all.retain(|buffer| !buffer.is_scratch());
    all
}

pub(super) fn text(error: DriverError) -> String {
    bico_device::cuda::text(error)
}
