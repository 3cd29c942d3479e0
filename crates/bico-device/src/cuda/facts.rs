//! A GPU's facts, as the driver tells them.

use super::{driver, text};
use bico_core::device::CudaFacts;
use cudarc::driver::result::device;
use cudarc::driver::sys::{self, CUdevice, CUdevice_attribute as Attribute};
use std::ffi::{CStr, CString};

/// Facts of the GPU of this number.
///
/// # Errors
///
/// There is no driver, or no such GPU.
pub fn facts(ordinal: usize) -> Result<CudaFacts, String> {
    let gpu = gpu(ordinal)?;
    let name = device::get_name(gpu).map_err(text)?;
    let attribute = |attribute| -> Result<i64, String> {
        // SAFETY: `gpu` is a device of this driver.
        let value = unsafe { device::get_attribute(gpu, attribute) }.map_err(text)?;
        Ok(value.into())
    };
    let capability = 10 * attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?
        + attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
    let typical = CudaFacts::typical(&name, "", capability);
    // Virtual machines hide clocks: then what is typical serves.
    let known = |value: i64, typical: i64| if value > 0 { value } else { typical };
    let clock = attribute(Attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE).unwrap_or(0) * 1000;
    let memory_clock = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE).unwrap_or(0);
    let bus = attribute(Attribute::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH).unwrap_or(0);
    // Two transfers per cycle, as for all memory that the attribute is given for.
    let bandwidth = 2 * memory_clock * 1000 * (bus / 8);
    Ok(CudaFacts {
        max_threads_per_block: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
        shared_memory_per_block: attribute(
            Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK,
        )?,
        shared_memory_per_block_optin: attribute(
            Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
        )?,
        shared_memory_per_multiprocessor: attribute(
            Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
        )?,
        registers_per_block: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK)?,
        registers_per_multiprocessor: attribute(
            Attribute::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR,
        )?,
        max_threads_per_multiprocessor: attribute(
            Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
        )?,
        warp_size: attribute(Attribute::CU_DEVICE_ATTRIBUTE_WARP_SIZE)?,
        multiprocessors: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        l2_bytes: attribute(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?,
        memory_bytes_per_second: known(bandwidth, typical.memory_bytes_per_second),
        clock_hz: known(clock, typical.clock_hz),
        ..typical
    })
}

/// Which GPU it is in this machine: its address on the PCI bus, `0000:65:00.0`.
///
/// # Errors
///
/// There is no driver, or no such GPU.
pub fn address(ordinal: usize) -> Result<String, String> {
    let gpu = gpu(ordinal)?;
    Ok(pci_address(gpu).map_or_else(|| ordinal.to_string(), |text| text.to_string_lossy().into()))
}

/// The GPU of this number, for the driver.
fn gpu(ordinal: usize) -> Result<CUdevice, String> {
    driver()?;
    let number = i32::try_from(ordinal).map_err(|_| format!("there is no GPU {ordinal}"))?;
    device::get(number).map_err(|error| format!("GPU {ordinal}: {}", text(error)))
}

/// The address of a GPU on the PCI bus, if the driver tells.
pub(super) fn pci_address(gpu: CUdevice) -> Option<CString> {
    let mut address = [0; 32];
    // SAFETY: the driver writes at most that many bytes, with a NUL at their end.
    let said = unsafe { sys::cuDeviceGetPCIBusId(address.as_mut_ptr(), 32, gpu) };
    said.result().ok()?;
    // SAFETY: the call succeeded, so there is a NUL.
    Some(unsafe { CStr::from_ptr(address.as_ptr()) }.to_owned())
}
