//! Modules: compiled code, loaded.

use std::ffi::c_void;
use std::sync::atomic::{AtomicI32, AtomicU64};
use std::sync::{Arc, Mutex};

use crate::library::abi::{Out, Text};
use crate::library::driver::{Function, LoadedModule, driver, lock};
use crate::library::handles::Handle;
use crate::library::image::{Cubin, Module, from_ptx, from_source};
use crate::library::status::{Answer, Status};

entry! {
    fn cuModuleLoad(module: Out<Handle>, path: Text) {
        let bytes = std::fs::read(path.get()?).map_err(|_| Status::FileNotFound)?;
        load(&module, &bytes)
    }

    fn cuModuleLoadData(module: Out<Handle>, image: *const c_void) {
        load(&module, &bytes(image)?)
    }

    fn cuModuleLoadDataEx(
        module: Out<Handle>,
        image: *const c_void,
        _options: u32,
        _names: usize,
        _values: usize,
    ) {
        load(&module, &bytes(image)?)
    }

    fn cuModuleUnload(module: Handle) {
        let driver = driver()?;
        let module = driver.modules.remove(module)?;
        for (_, function) in lock(&module.functions).drain(..) {
            let _ = driver.functions.remove(function);
        }
        driver.devices[module.device].sound()
    }

    fn cuModuleGetFunction(function: Out<Handle>, module: Handle, name: Text) {
        let driver = driver()?;
        driver.context()?;
        let loaded = driver.modules.get(module)?;
        let name = name.get()?;
        let kernels = &loaded.module.cubin.kernels;
        let index = kernels.iter().position(|kernel| kernel.name == name);
        let index = index.ok_or(Status::NotFound)?;
        let mut functions = lock(&loaded.functions);
        let known = functions.iter().find(|known| known.0 == index).map(|known| known.1);
        let handle = known.unwrap_or_else(|| {
            let handle = driver.functions.insert(Arc::new(Function {
                module: loaded.module.clone(),
                device: loaded.device,
                index,
                dynamic_shared: AtomicI32::new(0),
                launches: AtomicU64::new(0),
            }));
            functions.push((index, handle));
            handle
        });
        function.set(handle)
    }

    fn cuModuleGetGlobal_v2(address: Out<u64>, bytes: Out<usize>, module: Handle, name: Text) {
        let loaded = driver()?.modules.get(module)?;
        let name = name.get()?;
        let mut variables = loaded.module.variables.iter();
        let found = variables.find(|variable| variable.name == name).ok_or(Status::NotFound)?;
        address.set(found.at)?;
        bytes.set(found.size as usize)
    }

    fn cuModuleGetLoadingMode(mode: Out<i32>) {
        mode.set(1)
    }
}

fn load(handle: &Out<Handle>, bytes: &[u8]) -> Answer {
    let driver = driver()?;
    let device = &driver.devices[driver.context()?.device];
    driver.not_capturing()?;
    let is_elf = bytes.starts_with(b"\x7fELF");
    let cubin = if is_elf {
        Cubin::read(bytes)?
    } else {
        let text = std::str::from_utf8(bytes).map_err(|_| Status::InvalidImage)?;
        from_source(text).map_or_else(|| from_ptx(text), Ok)?
    };
    driver.admits(&cubin, !is_elf, device)?;
    let module = Arc::new(Module::load(cubin)?);
    for variable in &module.variables {
        driver
            .memory
            .adopt(device.ordinal, variable.at, variable.size as usize);
    }
    handle.set(driver.modules.insert(Arc::new(LoadedModule {
        device: device.ordinal,
        module,
        functions: Mutex::new(Vec::new()),
    })))
}

/// An image says itself how long it is: an ELF file by its table of sections, which is its end here
/// and in real cubins lies before it; a text by a zero.
fn bytes(image: *const c_void) -> Answer<Vec<u8>> {
    const HEADER: usize = 64;
    if image.is_null() {
        return Err(Status::InvalidValue);
    }
    let start: *const u8 = image.cast();
    // SAFETY: the caller gives an image, of which these rules find the end; rubbish without any zero
    // would be read too far, as by the real driver.
    unsafe {
        let mut magic = Vec::new();
        while magic.len() < 4 && !magic.ends_with(&[0]) {
            magic.push(start.add(magic.len()).read());
        }
        if magic != *b"\x7fELF" {
            let text = std::ffi::CStr::from_ptr(start.cast());
            return Ok(text.to_bytes().to_vec());
        }
        let header = std::slice::from_raw_parts(start, HEADER);
        let at = u64::from_le_bytes(header[40..48].try_into().expect("8 bytes")) as usize;
        let number = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]) as usize;
        if number(18) != 190 || number(58) != HEADER || at > 1 << 30 {
            return Err(Status::InvalidImage);
        }
        let end = at + number(58) * number(60);
        Ok(std::slice::from_raw_parts(start, end).to_vec())
    }
}
