//! From a candidate's images, or its source, to a kernel that can be launched.

use super::constant::Constants;
use super::registry::Gpu;
use super::source;
use crate::data::{GpuCode, ImageKind, Source};
use crate::images;
use crate::target::Refusal;
use bico_core::device::{CudaFacts, Facts, KernelLimits};
use bico_device::cuda::{self, HostFunction};
use cudarc::driver::result::{function, module};
use cudarc::driver::sys::{CUfunction, CUfunction_attribute as Attribute, CUresult};
use cudarc::driver::{CudaContext, DriverError};
use std::ffi::CString;

/// A loaded candidate. Its module is never unloaded.
pub(super) struct Kernel {
    /// One for each pass.
    pub(super) functions: Box<[Function]>,
    pub(super) constants: Constants,
}

/// What a pass runs.
pub(super) struct Function {
    pub(super) code: Code,
    pub(super) limits: KernelLimits,
}

/// What it is.
pub(super) enum Code {
    /// A kernel.
    Kernel(CUfunction),
    /// A function of the host, which launches what it likes on the stream.
    Host(HostFunction),
}

/// That of a function of the host, whose launches are its own.
const UNLIMITED: KernelLimits = KernelLimits {
    threads: u64::MAX,
    shared: u64::MAX,
    fixed: 0,
    cluster: u64::MAX,
};

// SAFETY: a function's handle may be used from every thread.
unsafe impl Send for Kernel {}
// SAFETY: as above; nothing in it changes.
unsafe impl Sync for Kernel {}

/// Loads a candidate: its best image, the next where that fails, at last its source.
pub(super) fn load(
    code: &GpuCode,
    source: Option<&Source>,
    gpu: &Gpu,
    context: &CudaContext,
) -> Result<Kernel, Refusal> {
    let Facts::Cuda(facts) = &gpu.facts else {
        return Err(Refusal::lasting("it has no code for a CPU".to_string()));
    };
    let capability = facts.compute_capability;
    let bound = context.bind_to_thread();
    bound.map_err(|error| refused(error, ""))?;
    let mut told = Vec::new();
    for image in images::loadable(code.images, capability) {
        let what = images::said(std::slice::from_ref(image));
        if let (ImageKind::Host, [entry]) = (image.kind, image.entries) {
            let function = HostFunction::load(image.bytes, entry);
            let function = function
                .map_err(|why| Refusal::lasting(format!("{what} does not load ({why})")))?;
            return Ok(Kernel {
                functions: Box::new([Function {
                    code: Code::Host(function),
                    limits: UNLIMITED,
                }]),
                constants: Constants::of(std::ptr::null_mut()),
            });
        }
        let loaded = attempt(image.bytes, image.entries, facts, &what, &mut told)?;
        if let Some(kernel) = loaded {
            return Ok(kernel);
        }
    }
    if told.is_empty() {
        let there = images::said(code.images);
        let kind = &facts.architecture;
        told.push(format!("for {kind} this program carries {there}"));
    }
    match source.map(|source| source::compile(code, source, capability)) {
        None => told.push("and not the source".to_string()),
        Some(Err(why)) => told.push(format!("its source does not serve: {why}")),
        Some(Ok((bytes, entries))) => {
            let loaded = attempt(&bytes, &entries, facts, "what NVRTC made", &mut told)?;
            if let Some(kernel) = loaded {
                return Ok(kernel);
            }
        }
    }
    Err(Refusal::lasting(told.join("; ")))
}

/// Loads one image. `None`: something is wrong with it, which is told. An error: something is wrong with the device now.
fn attempt(
    code: &[u8],
    entries: &[impl AsRef<str>],
    facts: &CudaFacts,
    what: &str,
    told: &mut Vec<String>,
) -> Result<Option<Kernel>, Refusal> {
    let missing = DriverError(CUresult::CUDA_ERROR_FILE_NOT_FOUND);
    match load_code(code, entries, facts) {
        Ok(kernel) => Ok(Some(kernel)),
        Err(error) if error == missing || OF_IMAGES.contains(&error.0) => {
            told.push(format!("{what} does not load ({})", cuda::text(error)));
            Ok(None)
        }
        Err(error) => Err(refused(error, &format!("{what} does not load: "))),
    }
}

fn refused(error: DriverError, what: &str) -> Refusal {
    Refusal {
        why: format!("{what}{}", cuda::text(error)),
        lasting: false,
    }
}

/// Errors that are about an image. Others are about the device's state: memory that is not there now, or a kernel before
/// that failed.
pub(super) const OF_IMAGES: &[CUresult] = &[
    CUresult::CUDA_ERROR_INVALID_VALUE,
    CUresult::CUDA_ERROR_INVALID_IMAGE,
    CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU,
    CUresult::CUDA_ERROR_INVALID_PTX,
    CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
    CUresult::CUDA_ERROR_JIT_COMPILER_NOT_FOUND,
    CUresult::CUDA_ERROR_JIT_COMPILATION_DISABLED,
    CUresult::CUDA_ERROR_INVALID_SOURCE,
    CUresult::CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND,
    CUresult::CUDA_ERROR_SHARED_OBJECT_INIT_FAILED,
    CUresult::CUDA_ERROR_NOT_FOUND,
    CUresult::CUDA_ERROR_NOT_SUPPORTED,
];

fn load_code(
    code: &[u8],
    entries: &[impl AsRef<str>],
    facts: &CudaFacts,
) -> Result<Kernel, DriverError> {
    let invalid = DriverError(CUresult::CUDA_ERROR_INVALID_IMAGE);
    if code.is_empty() {
        return Err(invalid);
    }
    // A copy, once: the driver wants a NUL behind PTX, and reads cubins as numbers in memory.
    let mut words = vec![0u64; code.len() / 8 + 1];
    let start = words.as_mut_ptr();
    // SAFETY: `words` has room for all bytes, and for one more at least, which is zero.
    unsafe { std::ptr::copy_nonoverlapping(code.as_ptr(), start.cast(), code.len()) };
    // SAFETY: the image lies in `words`, and PTX ends with a NUL there. A compiler made it; should
    // it be damaged, the driver says so.
    let module = unsafe { module::load_data(start.cast_const().cast()) }?;
    let functions = entries.iter().map(|entry| {
        let entry = CString::new(entry.as_ref()).map_err(|_| invalid)?;
        // SAFETY: the module was just loaded.
        let function = unsafe { module::get_function(module, entry) }?;
        prepared(function, facts)
    });
    let functions = functions.collect::<Result<_, _>>();
    if functions.is_err() {
        // SAFETY: nothing of it is used any more. What this could tell was told.
        let _ = unsafe { module::unload(module) };
    }
    Ok(Kernel {
        functions: functions?,
        constants: Constants::of(module),
    })
}

/// Asks once for all the shared memory that the device gives, so that launches need not.
fn prepared(function: CUfunction, facts: &CudaFacts) -> Result<Function, DriverError> {
    // SAFETY: the function's module is loaded.
    let attribute = |which| unsafe { function::get_function_attribute(function, which) };
    let count = |value: i64| u64::try_from(value).unwrap_or(0);
    let threads = Attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK;
    let threads = count(attribute(threads)?.into());
    let own = Attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES;
    let own = count(attribute(own)?.into());
    let mut shared = count(facts.shared_memory_per_block);
    let most = count(facts.shared_memory_per_block_optin);
    if most > shared
        && let Ok(bytes) = i32::try_from(most.saturating_sub(own))
    {
        let which = Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        // SAFETY: as above.
        if unsafe { function::set_function_attribute(function, which, bytes) }.is_ok() {
            shared = most;
        }
    }
    Ok(Function {
        code: Code::Kernel(function),
        limits: KernelLimits {
            threads,
            shared,
            fixed: own,
            cluster: KernelLimits::cluster(facts),
        },
    })
}
