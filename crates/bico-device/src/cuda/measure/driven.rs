//! Calls in which a function of the host launches the kernels.

use super::{Cuda, pointers};
use crate::measure::{Code, Invocation};
use bico_core::device::Dims;
use cudarc::driver::sys::{CUfunction, CUstream};
use std::ffi::{c_int, c_void};

/// What the build's shim launches kernels by: it knows the first field only.
#[repr(C)]
struct Launches {
    launch: unsafe extern "C" fn(*const Launches, usize, CUstream, *mut *mut c_void) -> c_int,
    /// The kernel of each pass.
    kernels: Vec<(CUfunction, Dims)>,
}

/// Launches the kernel of a pass: 0 where all went well.
///
/// # Safety
///
/// `launches` is what the driver was called with, and each parameter points to what the kernel gets.
unsafe extern "C" fn launch(
    launches: *const Launches,
    pass: usize,
    stream: CUstream,
    parameters: *mut *mut c_void,
) -> c_int {
    // SAFETY: it lives as long as the call of the driver.
    let kernels = unsafe { &(*launches).kernels };
    let Some((function, dims)) = kernels.get(pass) else {
        return -1;
    };
    // As the wrapper does.
    if dims.is_empty() {
        return 0;
    }
    // SAFETY: the function's module is loaded, its context is this thread's, and the driver gives as many parameters as there
    // are: none of them is looked at here.
    let launched = unsafe {
        let parameters = match parameters.is_null() {
            true => &mut [],
            false => std::slice::from_raw_parts_mut(parameters, 0),
        };
        crate::cuda::launch(*function, dims, stream, parameters)
    };
    launched.err().map_or(0, |error| error.0 as c_int)
}

impl Cuda {
    /// Seconds of some calls: the last pass is what the driver gets.
    pub(super) fn driven(
        &mut self,
        code: Code,
        passes: &[Invocation<'_>],
        calls: u32,
    ) -> Result<f64, String> {
        let Some((own, passes)) = passes.split_last() else {
            return Err("there is nothing that a driver could be given".to_string());
        };
        let mut kernels = Vec::with_capacity(passes.len());
        for (at, pass) in passes.iter().enumerate() {
            let dims = pass.dims.ok_or("a kernel on a GPU needs a `launch(..)`")?;
            let kernel = self.loaded.get(code.0)?.kernel(at, dims.shared)?;
            kernels.push((kernel.ok_or("a function of the host is not driven")?, dims));
        }
        let launches = Launches { launch, kernels };
        let words = own.arguments.iter().map(|argument| self.word(argument));
        let mut words = words.collect::<Result<Vec<_>, String>>()?;
        let mut parameters: Vec<*mut c_void> = vec![(&raw const launches).cast_mut().cast()];
        parameters.extend(pointers(&mut words));
        let loaded = self.loaded.peek(code.0)?;
        let driver = loaded.driver().ok_or("there is no driver")?;
        self.timed(calls, || {
            // SAFETY: as for launches one after the other; the parameters are what the shim of the driver takes.
            match unsafe { driver.call(self.stream, &parameters) } {
                0 => Ok(()),
                given => Err(format!("its driver gave back {given}")),
            }
        })
    }
}
