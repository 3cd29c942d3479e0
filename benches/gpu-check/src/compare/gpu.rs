//! A GPU as this program uses it: memory, launches and times, all on one stream.

use bico_core::device::CudaFacts;
use bico_device::measure::Bytes;
use cargo_bico::opened::{Argument, Buffer, Call};
use cudarc::driver::sys::{CUevent_flags, CUfunction_attribute};
use cudarc::driver::{
    CudaContext, CudaFunction, CudaSlice, CudaStream, DevicePtr, DriverError, LaunchConfig,
    PushKernelArg,
};
use cudarc::nvrtc::Ptx;
use std::cell::RefCell;
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
    launch: LaunchConfig,
    /// A word for each parameter: an address, or a number in its first bytes.
    words: Vec<u64>,
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

    /// Loads a kernel whose buffer arguments are `memory`, in order.
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
        let mut memory = memory.iter();
        let words = pass.arguments.iter().map(|argument| match argument {
            Argument::Scalar(bytes) => Some(u64::from_ne_bytes(*bytes)),
            Argument::Buffer(_) => memory.next().map(|memory| self.address(memory)),
        });
        let words = words.collect::<Option<Vec<u64>>>();
        let [[gx, gy, gz], [bx, by, bz]] = [pass.dims.grid, pass.dims.block];
        Ok(Kernel {
            function,
            launch: LaunchConfig {
                grid_dim: (gx, gy, gz),
                block_dim: (bx, by, bz),
                shared_mem_bytes: pass.dims.shared,
            },
            words: words.ok_or("a buffer is missing")?,
        })
    }

    /// The address of a buffer; everything that uses it runs on the stream.
    pub(super) fn address(&self, memory: &Memory) -> u64 {
        memory.slice.device_ptr(&self.stream).0
    }

    /// Blocks of the kernel that one multiprocessor holds at a time.
    pub(super) fn resident(&self, kernel: &Kernel) -> Result<u32, String> {
        let LaunchConfig {
            block_dim: (x, y, z),
            shared_mem_bytes,
            ..
        } = kernel.launch;
        let shared = shared_mem_bytes as usize;
        let function = &kernel.function;
        function
            .occupancy_max_active_blocks_per_multiprocessor(x * y * z, shared, None)
            .map_err(text)
    }

    pub(super) fn launch(&self, kernel: &Kernel) -> Result<(), String> {
        let mut launch = self.stream.launch_builder(&kernel.function);
        for word in &kernel.words {
            launch.arg(word);
        }
        // SAFETY: these are the kernel's parameters by the attribute that it was tuned with, and the buffers have the
        // lengths that it promises to stay within. Whatever it does else ends this process, which exists for it.
        let launched = unsafe { launch.launch(kernel.launch) };
        launched.map(|_| ()).map_err(text)
    }
}

/// The buffer arguments of a call, in order.
pub(super) fn buffers(call: &Call) -> impl Iterator<Item = &Buffer> {
    let arguments = call.passes.iter().flat_map(|pass| &pass.arguments);
    arguments.filter_map(|argument| match argument {
        Argument::Buffer(buffer) => Some(buffer),
        Argument::Scalar(_) => None,
    })
}

pub(super) fn text(error: DriverError) -> String {
    bico_device::cuda::text(error)
}
