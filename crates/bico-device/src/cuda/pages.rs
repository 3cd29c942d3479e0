//! Memory of a GPU whose neighbours are mapped to nothing: whatever touches them faults, reads too.
//!
//! CUDA C++ Programming Guide, "Virtual Memory Management": addresses are reserved, memory is created without one, and
//! then one is mapped to the other.

use super::text;
use cudarc::driver::result;
use cudarc::driver::result::device;
use cudarc::driver::sys::{
    self, CUdevice, CUdevice_attribute, CUdeviceptr, CUmemAllocationGranularity_flags, CUresult,
};
use std::ffi::c_void;
use std::ptr;

/// Whose memory it is. These structures are written out here, as `cuda.h` has them: their names for Rust change with
/// the version of CUDA that other crates of a program choose.
#[repr(C)]
#[derive(Clone, Copy)]
struct Location {
    /// 1: a GPU.
    kind: u32,
    number: i32,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Properties {
    /// 1: it stays where it is.
    kind: u32,
    handles: u32,
    location: Location,
    metadata: *const c_void,
    flags: [u8; 8],
}

#[repr(C)]
struct Access {
    location: Location,
    /// 3: to read and to write.
    flags: u32,
}

/// How a GPU maps memory.
pub(super) struct Pages {
    properties: Properties,
    /// What sizes and addresses are multiples of.
    granularity: usize,
}

impl Pages {
    /// Those of this GPU; `None` where it or its driver has none that programs may map.
    pub(super) fn of(gpu: CUdevice) -> Option<Pages> {
        let attribute =
            CUdevice_attribute::CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED;
        // SAFETY: `gpu` is a device of this driver.
        let able = unsafe { device::get_attribute(gpu, attribute) };
        if !matches!(able, Ok(1)) {
            return None;
        }
        let properties = Properties {
            kind: 1,
            handles: 0,
            location: Location {
                kind: 1,
                number: gpu,
            },
            metadata: ptr::null(),
            flags: [0; 8],
        };
        let mut granularity = 0;
        let which = CUmemAllocationGranularity_flags::CU_MEM_ALLOC_GRANULARITY_MINIMUM;
        // SAFETY: `properties` is laid out as the driver has it, and both live until it answers.
        let asked = unsafe {
            sys::cuMemGetAllocationGranularity(
                &raw mut granularity,
                (&raw const properties).cast(),
                which,
            )
        };
        (asked == CUresult::CUDA_SUCCESS && granularity > 0).then_some(Pages {
            properties,
            granularity,
        })
    }
}

/// Some memory of a GPU.
pub(super) struct Memory {
    pub(super) start: CUdeviceptr,
    pub(super) len: usize,
    mapping: Option<Mapping>,
}

/// What memory with forbidden neighbours is made of.
struct Mapping {
    reserved: CUdeviceptr,
    bytes: usize,
    handle: u64,
}

impl Memory {
    /// At least `len` bytes; with forbidden neighbours if there are `pages`, and the driver grants it.
    pub(super) fn new(len: usize, pages: Option<&Pages>) -> Result<Memory, String> {
        if let Some(memory) = pages.and_then(|pages| Memory::mapped(len, pages)) {
            return Ok(memory);
        }
        // SAFETY: the size is not 0; the context is bound by whoever calls.
        let start = unsafe { result::malloc_sync(len) }.map_err(text)?;
        Ok(Memory {
            start,
            len,
            mapping: None,
        })
    }

    fn mapped(len: usize, pages: &Pages) -> Option<Memory> {
        let Pages {
            properties,
            granularity,
        } = pages;
        let len = len.checked_next_multiple_of(*granularity)?;
        let bytes = len.checked_add(2 * granularity)?;
        let (mut reserved, mut handle) = (0, 0);
        let is_done = |result: CUresult| (result == CUresult::CUDA_SUCCESS).then_some(());
        // SAFETY: the pointers are good until the driver answers, and `properties` is laid out as it has it. What was
        // made before something fails is given back, in the order in which the driver asks for.
        unsafe {
            is_done(sys::cuMemAddressReserve(&raw mut reserved, bytes, 0, 0, 0))?;
            let created =
                sys::cuMemCreate(&raw mut handle, len, ptr::from_ref(properties).cast(), 0);
            if created != CUresult::CUDA_SUCCESS {
                let _ = sys::cuMemAddressFree(reserved, bytes);
                return None;
            }
            let start = reserved + *granularity as u64;
            let memory = Memory {
                start,
                len,
                mapping: Some(Mapping {
                    reserved,
                    bytes,
                    handle,
                }),
            };
            let access = Access {
                location: properties.location,
                flags: 3,
            };
            let mapped = is_done(sys::cuMemMap(start, len, 0, handle, 0)).and_then(|()| {
                is_done(sys::cuMemSetAccess(
                    start,
                    len,
                    (&raw const access).cast(),
                    1,
                ))
            });
            if mapped.is_none() {
                memory.free();
            }
            mapped.map(|()| memory)
        }
    }

    /// Whether its neighbours are forbidden.
    pub(super) fn has_fences(&self) -> bool {
        self.mapping.is_some()
    }

    /// Gives it back, once.
    pub(super) fn free(&self) {
        // SAFETY: it came from the driver, and its owner frees it once. Where the context is broken this fails, and the
        // worker ends soon.
        unsafe {
            match &self.mapping {
                None => {
                    let _ = result::free_sync(self.start);
                }
                Some(mapping) => {
                    let _ = sys::cuMemUnmap(self.start, self.len);
                    let _ = sys::cuMemRelease(mapping.handle);
                    let _ = sys::cuMemAddressFree(mapping.reserved, mapping.bytes);
                }
            }
        }
    }
}
