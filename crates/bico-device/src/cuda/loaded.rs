//! What runs when a measured call is made: a module's kernels, or a function of the host.

use super::{HostFunction, buffer, text};
use crate::measure::Bytes;
use cudarc::driver::result::{function, module};
use cudarc::driver::sys::{CUdeviceptr, CUfunction, CUfunction_attribute, CUmodule, CUstream};
use std::ffi::CString;
use std::path::Path;

/// What runs when a call is made.
pub(super) enum Loaded {
    Module(Module),
    Host(HostFunction),
}

/// The kernels of one cubin or PTX file.
pub(super) struct Module {
    module: CUmodule,
    /// One for each pass, with the dynamic shared memory that was asked for. Without asking it is 48 KiB less what the
    /// kernel declares.
    functions: Vec<(CUfunction, u32)>,
    /// Variables, and what they held in the beginning.
    variables: Vec<(CUdeviceptr, Bytes)>,
    /// What calls them, where they are not launched one after the other.
    driver: Option<HostFunction>,
}

impl Loaded {
    /// Loads what [`Device::load`](crate::measure::Device::load) is asked for; a shared library is the host's. The context is
    /// this thread's: libraries make what they need in it.
    pub(super) fn load(
        path: &Path,
        entries: &[String],
        variables: &[String],
        stream: CUstream,
    ) -> Result<Loaded, String> {
        if let (true, [entry]) = (path.extension().is_some_and(|of| of == "so"), entries) {
            return HostFunction::open(path, entry).map(Loaded::Host);
        }
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
        let mut loaded = Module {
            module,
            functions: functions?,
            variables: Vec::new(),
            driver: None,
        };
        // What the driver does not find by name no host can have filled either.
        let known = variables
            .iter()
            .filter_map(|name| loaded.variable(name).ok());
        let mut kept = Vec::new();
        for (address, len) in known {
            kept.push((address, buffer::read(address, len, stream)?));
        }
        loaded.variables = kept;
        Ok(Loaded::Module(loaded))
    }

    /// Lets a function of the host call the kernels.
    pub(super) fn drive(&mut self, path: &Path, entry: &str) -> Result<(), String> {
        let Loaded::Module(module) = self else {
            return Err("a function of the host has no driver".to_string());
        };
        module.driver = Some(HostFunction::open(path, entry)?);
        Ok(())
    }

    /// What calls the kernels.
    pub(super) fn driver(&self) -> Option<&HostFunction> {
        match self {
            Loaded::Module(module) => module.driver.as_ref(),
            Loaded::Host(_) => None,
        }
    }

    /// A pass's kernel, which may have so much dynamic shared memory; `None`: it is the host's.
    pub(super) fn kernel(
        &mut self,
        pass: usize,
        shared: u32,
    ) -> Result<Option<CUfunction>, String> {
        match self {
            Loaded::Module(module) => module.kernel(pass, shared).map(Some),
            Loaded::Host(_) => Ok(None),
        }
    }

    /// Where a variable lies, and how long it is.
    pub(super) fn variable(&self, name: &str) -> Result<(CUdeviceptr, usize), String> {
        match self {
            Loaded::Module(module) => module.variable(name),
            Loaded::Host(_) => Err(format!("a function of the host has no variable `{name}`")),
        }
    }

    /// Gives variables what they held in the beginning.
    pub(super) fn restore(&self, stream: CUstream) -> Result<(), String> {
        let Loaded::Module(Module { variables, .. }) = self else {
            return Ok(());
        };
        let mut each = variables.iter();
        each.try_for_each(|(to, bytes)| buffer::write(*to, bytes.as_slice(), stream))
    }

    /// Forgets it. Every launch was waited for.
    pub(super) fn unload(self) {
        match self {
            Loaded::Module(Module { module, driver, .. }) => {
                // SAFETY: nothing of it is used any more.
                let _ = unsafe { module::unload(module) };
                std::mem::forget(driver);
            }
            // A library may keep handles and threads of its own.
            Loaded::Host(function) => std::mem::forget(function),
        }
    }
}

impl Module {
    /// Lets a kernel have more dynamic shared memory than kernels usually get.
    fn kernel(&mut self, pass: usize, shared: u32) -> Result<CUfunction, String> {
        let function = self.functions.get_mut(pass);
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

    fn variable(&self, name: &str) -> Result<(CUdeviceptr, usize), String> {
        let found = CString::new(name).map_err(|error| error.to_string())?;
        // SAFETY: the module is loaded.
        let found = unsafe { module::get_global(self.module, found) };
        found.map_err(|error| format!("it has no variable `{name}`: {}", text(error)))
    }
}
