//! GPUs and what they are.

use std::ffi::{CStr, c_char};

use crate::library::abi::{Out, Text, fill};
use crate::library::driver::{self, driver};
use crate::library::fault::Fault;
use crate::library::status::Status;

entry! {
    fn cuInit(flags: u32) {
        if flags != 0 {
            return Err(Status::InvalidValue);
        }
        driver::initialize()
    }

    fn cuDriverGetVersion(version: Out<i32>) {
        let faults = crate::library::settings::faults().unwrap_or_default();
        let old = faults.contains(&Fault::DriverMismatch) || faults.contains(&Fault::OldPtx);
        version.set(if old { 11_040 } else { 12_090 })
    }

    fn cuDeviceGet(device: Out<i32>, ordinal: i32) {
        driver()?.device(ordinal)?;
        device.set(ordinal)
    }

    fn cuDeviceGetCount(count: Out<i32>) {
        count.set(driver()?.devices.len() as i32)
    }

    fn cuDeviceGetName(name: Out<u8>, room: i32, device: i32) {
        let text = driver()?.device(device)?.gpu.name.as_bytes();
        let Some(longest) = usize::try_from(room).ok().and_then(|room| room.checked_sub(1)) else {
            return Err(Status::InvalidValue);
        };
        fill(&name, &[&text[..text.len().min(longest)], &[0]].concat())
    }

    fn cuDeviceGetUuid(uuid: Out<[u8; 16]>, device: i32) {
        let device = driver()?.device(device)?;
        let mut bytes = *b"bico host GPU  \0";
        bytes[14] = device.gpu.architecture() as u8;
        bytes[15] = device.ordinal as u8;
        uuid.set(bytes)
    }

    fn cuDeviceGetUuid_v2(uuid: Out<[u8; 16]>, device: i32) {
        match cuDeviceGetUuid(uuid, device) {
            0 => Ok(()),
            code => Err(Status::of(code).unwrap_or(Status::Unknown)),
        }
    }

    fn cuDeviceTotalMem_v2(bytes: Out<usize>, device: i32) {
        driver()?.device(device)?;
        bytes.set(driver()?.memory.total())
    }

    fn cuDeviceGetAttribute(value: Out<i32>, attribute: i32, device: i32) {
        let device = driver()?.device(device)?;
        if !(1..200).contains(&attribute) {
            return Err(Status::InvalidValue);
        }
        value.set(device.gpu.attribute(attribute, device.ordinal))
    }

    fn cuDeviceComputeCapability(major: Out<i32>, minor: Out<i32>, device: i32) {
        let gpu = &driver()?.device(device)?.gpu;
        major.set(gpu.capability.0)?;
        minor.set(gpu.capability.1)
    }

    fn cuDeviceGetPCIBusId(name: Out<u8>, room: i32, device: i32) {
        let text = format!("0000:{:02x}:00.0\0", driver()?.device(device)?.ordinal + 1);
        if (room as usize) < text.len() {
            return Err(Status::InvalidValue);
        }
        fill(&name, text.as_bytes())
    }

    fn cuDeviceGetByPCIBusId(device: Out<i32>, name: Text) {
        let name = name.get()?;
        let bus = name.split(':').nth(1).and_then(|bus| i32::from_str_radix(bus, 16).ok());
        let ordinal = bus.ok_or(Status::InvalidValue)? - 1;
        driver()?.device(ordinal)?;
        device.set(ordinal)
    }

    fn cuDeviceCanAccessPeer(can: Out<i32>, one: i32, other: i32) {
        driver()?.device(one)?;
        driver()?.device(other)?;
        can.set(0)
    }

    fn cuDeviceGetDefaultMemPool(pool: Out<usize>, device: i32) {
        driver()?.device(device)?;
        pool.set(device as usize + 1)
    }

    fn cuDeviceGetMemPool(pool: Out<usize>, device: i32) {
        driver()?.device(device)?;
        pool.set(device as usize + 1)
    }

    fn cuGetErrorString(code: i32, text: Out<*const c_char>) {
        describe(code, &text, |(_, text)| text)
    }

    fn cuGetErrorName(code: i32, name: Out<*const c_char>) {
        describe(code, &name, |(name, _)| name)
    }
}

fn describe(
    code: i32,
    to: &Out<*const c_char>,
    part: fn((&'static CStr, &'static CStr)) -> &'static CStr,
) -> crate::library::status::Answer {
    let Some(described) = Status::describe(code) else {
        to.set(std::ptr::null())?;
        return Err(Status::InvalidValue);
    };
    to.set(part(described).as_ptr())
}
