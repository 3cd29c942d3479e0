//! NVIDIA's management library, as far as clocks go: `libnvidia-ml.so.1`. Needs no `cuInit`.

use std::ffi::{CStr, c_char};

use crate::library::abi::{Out, Text, fill};
use crate::library::fault::Fault;
use crate::library::gpu::Gpu;
use crate::library::settings::Settings;

/// NVML's codes.
#[derive(Debug, Clone, Copy)]
#[repr(i32)]
enum Failure {
    InvalidArgument = 2,
    NotFound = 6,
    InsufficientSize = 7,
    DriverNotLoaded = 9,
}

type Answer<T = ()> = Result<T, Failure>;

/// A GPU's number, and one so that none is null.
type Device = usize;

/// What the GPU says while it is held back: the power limit, and heat.
const HELD_BACK: u64 = 0x04 | 0x20;
const IDLE: u64 = 0x01;

fn settings() -> Answer<(Settings, Vec<Gpu>)> {
    let settings = Settings::read().map_err(|_| Failure::DriverNotLoaded)?;
    let gpus = Gpu::list(&settings.gpus).map_err(|_| Failure::DriverNotLoaded)?;
    Ok((settings, gpus))
}

fn gpu(device: Device) -> Answer<Gpu> {
    let (_, gpus) = settings()?;
    let index = device.checked_sub(1).ok_or(Failure::InvalidArgument)?;
    gpus.get(index).copied().ok_or(Failure::InvalidArgument)
}

fn set<T>(to: &Out<T>, value: T) -> Answer {
    to.set(value).map_err(|_| Failure::InvalidArgument)
}

/// MHz of clock number `kind`: graphics, multiprocessors, memory, video.
fn clock(gpu: &Gpu, kind: i32) -> u32 {
    let clock = if kind == 2 {
        gpu.memory_clock
    } else {
        gpu.clock
    };
    clock as u32 / 1000
}

fn throttled() -> Answer<bool> {
    Ok(settings()?.0.faults.contains(&Fault::Throttle))
}

entry! {
    answer Answer;

    fn nvmlInit() {
        settings().map(drop)
    }

    fn nvmlInit_v2() {
        settings().map(drop)
    }

    fn nvmlInitWithFlags(_flags: u32) {
        settings().map(drop)
    }

    fn nvmlShutdown() {
        Ok(())
    }

    fn nvmlSystemGetDriverVersion(version: Out<u8>, room: u32) {
        text(&version, room, c"575.00")
    }

    fn nvmlDeviceGetCount_v2(count: Out<u32>) {
        set(&count, settings()?.1.len() as u32)
    }

    fn nvmlDeviceGetHandleByIndex_v2(index: u32, device: Out<Device>) {
        let handle = index as usize + 1;
        gpu(handle)?;
        set(&device, handle)
    }

    fn nvmlDeviceGetHandleByPciBusId_v2(address: Text, device: Out<Device>) {
        let address = address.get().map_err(|_| Failure::InvalidArgument)?;
        let bus = address.split(':').nth(1).and_then(|bus| usize::from_str_radix(bus, 16).ok());
        let handle = bus.ok_or(Failure::InvalidArgument)?;
        gpu(handle).map_err(|_| Failure::NotFound)?;
        set(&device, handle)
    }

    fn nvmlDeviceGetName(device: Device, name: Out<u8>, room: u32) {
        let mut bytes = gpu(device)?.name.as_bytes().to_vec();
        bytes.push(0);
        text(&name, room, CStr::from_bytes_with_nul(&bytes).map_err(|_| Failure::NotFound)?)
    }

    // Three quarters of what it could, while it is held back.
    fn nvmlDeviceGetClockInfo(device: Device, kind: i32, mhz: Out<u32>) {
        let clock = clock(&gpu(device)?, kind);
        set(&mhz, if throttled()? { clock * 3 / 4 } else { clock })
    }

    // Held back by heat, it is at its limit.
    fn nvmlDeviceGetTemperature(device: Device, _kind: i32, celsius: Out<u32>) {
        gpu(device)?;
        set(&celsius, if throttled()? { 90 } else { 45 })
    }

    fn nvmlDeviceGetEnforcedPowerLimit(device: Device, milliwatts: Out<u32>) {
        gpu(device)?;
        set(&milliwatts, 400_000)
    }

    fn nvmlDeviceGetMaxClockInfo(device: Device, kind: i32, mhz: Out<u32>) {
        set(&mhz, clock(&gpu(device)?, kind))
    }

    fn nvmlDeviceGetCurrentClocksThrottleReasons(device: Device, reasons: Out<u64>) {
        gpu(device)?;
        set(&reasons, if throttled()? { HELD_BACK } else { IDLE })
    }

    fn nvmlDeviceGetCurrentClocksEventReasons(device: Device, reasons: Out<u64>) {
        gpu(device)?;
        set(&reasons, if throttled()? { HELD_BACK } else { IDLE })
    }
}

fn text(to: &Out<u8>, room: u32, text: &CStr) -> Answer {
    let bytes = text.to_bytes_with_nul();
    if bytes.len() > room as usize {
        return Err(Failure::InsufficientSize);
    }
    fill(to, bytes).map_err(|_| Failure::InvalidArgument)
}

#[unsafe(no_mangle)]
extern "C" fn nvmlErrorString(code: i32) -> *const c_char {
    let text: &CStr = match code {
        0 => c"The operation was successful",
        2 => c"An argument is invalid",
        6 => c"The requested object was not found",
        7 => c"An input argument is not large enough",
        9 => c"NVIDIA driver is not loaded",
        _ => c"Unknown Error",
    };
    text.as_ptr()
}
