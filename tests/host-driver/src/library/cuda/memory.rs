//! Device memory.

use std::ffi::c_void;

use crate::library::abi::Out;
use crate::library::count::Count;
use crate::library::driver::{Driver, driver, for_ever};
use crate::library::handles::Handle;
use crate::library::status::{Answer, Status};

entry! {
    fn cuMemGetInfo_v2(free: Out<usize>, total: Out<usize>) {
        let driver = driver()?;
        let info = driver.memory.info(driver.context()?.device);
        free.set(info.0)?;
        total.set(info.1)
    }

    fn cuMemAlloc_v2(address: Out<u64>, bytes: usize) {
        let driver = driver()?;
        driver.not_capturing()?;
        address.set(driver.memory.allocate(driver.context()?.device, bytes)?)
    }

    fn cuMemAllocAsync(address: Out<u64>, bytes: usize, stream: Handle) {
        let driver = driver()?;
        address.set(driver.memory.allocate(driver.stream(stream)?.device, bytes)?)
    }

    fn cuMemAllocFromPoolAsync(address: Out<u64>, bytes: usize, _pool: usize, stream: Handle) {
        let driver = driver()?;
        address.set(driver.memory.allocate(driver.stream(stream)?.device, bytes)?)
    }

    fn cuMemAllocManaged(address: Out<u64>, bytes: usize, _flags: u32) {
        let driver = driver()?;
        address.set(driver.memory.allocate(driver.context()?.device, bytes)?)
    }

    fn cuMemFree_v2(address: u64) {
        let driver = driver()?;
        driver.wait(driver.context()?.device)?;
        driver.memory.free(address)
    }

    fn cuMemFreeAsync(address: u64, stream: Handle) {
        let driver = driver()?;
        if driver.stream(stream)?.is_hung() {
            return Ok(());
        }
        driver.memory.free(address)
    }

    fn cuMemGetAllocationGranularity(granularity: Out<usize>, _properties: *const u32, _which: u32) {
        granularity.set(driver()?.memory.granularity())
    }

    fn cuMemAddressReserve(
        start: Out<u64>,
        bytes: usize,
        _alignment: usize,
        _wanted: u64,
        _flags: u64,
    ) {
        start.set(driver()?.memory.reserve(bytes)?)
    }

    fn cuMemAddressFree(start: u64, bytes: usize) {
        driver()?.memory.give_back(start, bytes)
    }

    fn cuMemCreate(handle: Out<u64>, bytes: usize, properties: *const u32, _flags: u64) {
        if properties.is_null() {
            return Err(Status::InvalidValue);
        }
        // SAFETY: not null; by the interface there are eight words: kind, handles, and a location's kind and number.
        let [kind, _, place, device] = unsafe { properties.cast::<[u32; 4]>().read() };
        if [kind, place] != [1, 1] {
            return Err(Status::InvalidValue);
        }
        handle.set(driver()?.memory.create(device as usize, bytes)?)
    }

    fn cuMemRelease(handle: u64) {
        driver()?.memory.forget(handle)
    }

    fn cuMemMap(start: u64, bytes: usize, _offset: usize, handle: u64, _flags: u64) {
        driver()?.memory.map(start, bytes, handle)
    }

    fn cuMemSetAccess(start: u64, bytes: usize, _access: *const u32, _count: usize) {
        driver()?.memory.open(start, bytes)
    }

    fn cuMemUnmap(start: u64, bytes: usize) {
        driver()?.memory.unmap(start, bytes)
    }

    fn cuMemHostAlloc(address: Out<*mut c_void>, bytes: usize, _flags: u32) {
        host(&address, bytes)
    }

    fn cuMemAllocHost_v2(address: Out<*mut c_void>, bytes: usize) {
        host(&address, bytes)
    }

    fn cuMemFreeHost(address: *mut c_void) {
        // SAFETY: the caller gives back what `host` gave.
        unsafe { libc::free(address) };
        Ok(())
    }

    fn cuMemHostRegister_v2(_address: *mut c_void, _bytes: usize, _flags: u32) {
        driver()?.context().map(drop)
    }

    fn cuMemHostUnregister(_address: *mut c_void) {
        driver()?.context().map(drop)
    }

    fn cuMemcpyHtoD_v2(to: u64, from: usize, bytes: usize) {
        copy(Work::Now, (to, Side::Device), (from as u64, Side::Host), bytes)
    }

    fn cuMemcpyHtoDAsync_v2(to: u64, from: usize, bytes: usize, stream: Handle) {
        copy(Work::In(stream), (to, Side::Device), (from as u64, Side::Host), bytes)
    }

    fn cuMemcpyDtoH_v2(to: usize, from: u64, bytes: usize) {
        copy(Work::Now, (to as u64, Side::Host), (from, Side::Device), bytes)
    }

    fn cuMemcpyDtoHAsync_v2(to: usize, from: u64, bytes: usize, stream: Handle) {
        copy(Work::Wait(stream), (to as u64, Side::Host), (from, Side::Device), bytes)
    }

    fn cuMemcpyDtoD_v2(to: u64, from: u64, bytes: usize) {
        copy(Work::Now, (to, Side::Device), (from, Side::Device), bytes)
    }

    fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: Handle) {
        copy(Work::In(stream), (to, Side::Device), (from, Side::Device), bytes)
    }

    fn cuMemcpyPeerAsync(
        to: u64,
        _to_context: Handle,
        from: u64,
        _from_context: Handle,
        bytes: usize,
        stream: Handle,
    ) {
        copy(Work::In(stream), (to, Side::Device), (from, Side::Device), bytes)
    }

    fn cuMemsetD8_v2(to: u64, value: u8, count: usize) {
        set(Work::Now, to, &[value], count)
    }

    fn cuMemsetD8Async(to: u64, value: u8, count: usize, stream: Handle) {
        set(Work::In(stream), to, &[value], count)
    }

    fn cuMemsetD16_v2(to: u64, value: u16, count: usize) {
        set(Work::Now, to, &value.to_ne_bytes(), count)
    }

    fn cuMemsetD16Async(to: u64, value: u16, count: usize, stream: Handle) {
        set(Work::In(stream), to, &value.to_ne_bytes(), count)
    }

    fn cuMemsetD32_v2(to: u64, value: u32, count: usize) {
        set(Work::Now, to, &value.to_ne_bytes(), count)
    }

    fn cuMemsetD32Async(to: u64, value: u32, count: usize, stream: Handle) {
        set(Work::In(stream), to, &value.to_ne_bytes(), count)
    }
}

/// When work is done.
enum Work {
    /// After all that was given before.
    Now,
    /// In its turn.
    In(Handle),
    /// In its turn, and the caller waits: the host's memory is not pinned.
    Wait(Handle),
}

#[derive(PartialEq)]
enum Side {
    Host,
    Device,
}

impl Work {
    /// Whether it comes to be done at all: behind a kernel that never ends it does not.
    fn begins(&self, driver: &Driver) -> Answer<bool> {
        match *self {
            Work::Now => {
                driver.wait(driver.context()?.device)?;
                Ok(true)
            }
            Work::In(stream) => {
                let stream = driver.stream(stream)?;
                stream.not_captured(Status::NotSupported)?;
                Ok(!stream.is_hung())
            }
            Work::Wait(stream) => {
                Count::Waits.one_more();
                let stream = driver.stream(stream)?;
                stream.not_captured(Status::NotSupported)?;
                if stream.is_hung() {
                    for_ever();
                }
                stream.waited(stream.next_number());
                Ok(true)
            }
        }
    }
}

fn copy(work: Work, to: (u64, Side), from: (u64, Side), bytes: usize) -> Answer {
    let driver = driver()?;
    driver.context()?;
    if bytes == 0 {
        return Ok(());
    }
    for (address, side) in [&to, &from] {
        match side {
            Side::Device => drop(driver.memory.owner(*address, bytes)?),
            Side::Host if *address == 0 => return Err(Status::InvalidValue),
            Side::Host => {}
        }
    }
    if work.begins(driver)? {
        // SAFETY: device memory was checked; the caller answers for its own, as for any copy.
        unsafe { libc::memmove(to.0 as *mut c_void, from.0 as *const c_void, bytes) };
    }
    Ok(())
}

fn set(work: Work, to: u64, value: &[u8], count: usize) -> Answer {
    let driver = driver()?;
    driver.context()?;
    let bytes = count.checked_mul(value.len()).ok_or(Status::InvalidValue)?;
    if bytes == 0 {
        return Ok(());
    }
    if !to.is_multiple_of(value.len() as u64) {
        return Err(Status::InvalidValue);
    }
    driver.memory.owner(to, bytes)?;
    if work.begins(driver)? {
        // SAFETY: checked to lie in one allocation, which nobody borrows: it is the device's.
        let memory = unsafe { std::slice::from_raw_parts_mut(to as *mut u8, bytes) };
        match value {
            [byte] => memory.fill(*byte),
            _ => memory
                .chunks_exact_mut(value.len())
                .for_each(|part| part.copy_from_slice(value)),
        }
    }
    Ok(())
}

fn host(address: &Out<*mut c_void>, bytes: usize) -> Answer {
    driver()?.context()?;
    // SAFETY: plain memory, given back by `cuMemFreeHost`.
    let memory = unsafe { libc::malloc(bytes.max(1)) };
    if memory.is_null() {
        return Err(Status::OutOfMemory);
    }
    address.set(memory)
}
