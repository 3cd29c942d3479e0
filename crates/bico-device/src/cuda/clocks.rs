//! At what clock a GPU runs, and whether that is slower than it could, by NVIDIA's management library where it is installed.

use super::facts::pci_address;
use crate::conditions::Conditions;
use cudarc::driver::sys::CUdevice;
use libloading::Library;
use std::ffi::{c_char, c_int, c_uint, c_ulonglong, c_void};

const LIBRARIES: &[&str] = if cfg!(windows) {
    &["nvml.dll"]
} else {
    &["libnvidia-ml.so.1", "libnvidia-ml.so"]
};

type Handle = *mut c_void;
type Reasons = unsafe extern "C" fn(Handle, *mut c_ulonglong) -> c_int;
/// A number of one kind.
type Kind = unsafe extern "C" fn(Handle, c_int, *mut c_uint) -> c_int;
type Number = unsafe extern "C" fn(Handle, *mut c_uint) -> c_int;

/// `NVML_CLOCK_SM` and `NVML_TEMPERATURE_GPU` of nvml.h.
const CLOCK_OF_MULTIPROCESSORS: c_int = 1;
const TEMPERATURE: c_int = 0;

/// Reasons that say the GPU is held back, by the bits of nvml.h (`nvmlClocksThrottleReason..`). Being
/// idle (1), clocks that somebody set (2, 256) and a synchronised group (16) are none.
const HELD_BACK: [(c_ulonglong, &str); 5] = [
    (0x04, "its power limit"),
    (0x08, "its hardware (heat or power)"),
    (0x20, "heat"),
    (0x40, "heat"),
    (0x80, "the power supply"),
];

/// One GPU, as the management library knows it.
pub(super) struct Clocks {
    handle: Handle,
    reasons: Reasons,
    /// MHz.
    clock: Option<Kind>,
    /// Degrees Celsius.
    temperature: Option<Kind>,
    /// Milliwatts.
    power_limit: Option<Number>,
    /// Keeps the functions alive.
    _library: Library,
}

impl Clocks {
    pub(super) fn of(gpu: CUdevice) -> Option<Clocks> {
        let address = pci_address(gpu)?;
        // SAFETY: NVIDIA's library has harmless initialisers.
        let library = LIBRARIES
            .iter()
            .find_map(|name| unsafe { Library::new(*name) }.ok())?;
        type Init = unsafe extern "C" fn() -> c_int;
        type ByAddress = unsafe extern "C" fn(*const c_char, *mut Handle) -> c_int;
        // SAFETY: these functions have these types, by nvml.h; they are used while `library` lives.
        unsafe {
            let init = *library.get::<Init>("nvmlInit_v2").ok()?;
            let by_address = *library
                .get::<ByAddress>("nvmlDeviceGetHandleByPciBusId_v2")
                .ok()?;
            let reasons = *library
                .get::<Reasons>("nvmlDeviceGetCurrentClocksThrottleReasons")
                .ok()?;
            let clock = library.get::<Kind>("nvmlDeviceGetClockInfo").ok();
            let temperature = library.get::<Kind>("nvmlDeviceGetTemperature").ok();
            let power_limit = library
                .get::<Number>("nvmlDeviceGetEnforcedPowerLimit")
                .ok();
            let clock = clock.map(|of| *of);
            let temperature = temperature.map(|of| *of);
            let power_limit = power_limit.map(|of| *of);
            if init() != 0 {
                return None;
            }
            let mut handle: Handle = std::ptr::null_mut();
            (by_address(address.as_ptr(), &mut handle) == 0).then_some(Clocks {
                handle,
                reasons,
                clock,
                temperature,
                power_limit,
                _library: library,
            })
        }
    }

    /// What the GPU is doing at this moment.
    pub(super) fn conditions(&self) -> Conditions {
        let number = |ask: &dyn Fn(*mut c_uint) -> c_int| {
            let mut value = 0;
            (ask(&mut value) == 0).then_some(f64::from(value))
        };
        let of_kind = |of: Option<Kind>, kind| {
            // SAFETY: the handle is the library's own, and the number lives while it is asked for.
            of.and_then(|of| number(&|value| unsafe { of(self.handle, kind, value) }))
        };
        let limit = self.power_limit.and_then(|of| {
            // SAFETY: as above.
            number(&|value| unsafe { of(self.handle, value) })
        });
        Conditions {
            clock_hz: of_kind(self.clock, CLOCK_OF_MULTIPROCESSORS).map(|mhz| mhz * 1e6),
            celsius: of_kind(self.temperature, TEMPERATURE),
            power_limit_watts: limit.map(|of| of / 1000.0),
            held_back: self.held_back(),
        }
    }

    /// What holds the GPU back at this moment, if anything does.
    fn held_back(&self) -> Option<String> {
        let mut reasons = 0;
        // SAFETY: the handle is the library's own.
        let asked = unsafe { (self.reasons)(self.handle, &mut reasons) };
        if asked != 0 {
            return None;
        }
        said(reasons)
    }
}

fn said(reasons: c_ulonglong) -> Option<String> {
    let mut words: Vec<&str> = Vec::new();
    for (bit, word) in HELD_BACK {
        if reasons & bit != 0 && !words.contains(&word) {
            words.push(word);
        }
    }
    (!words.is_empty()).then(|| words.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_and_chosen_clocks_are_not_held_back() {
        assert_eq!(said(0), None);
        assert_eq!(said(1 | 2 | 16 | 256), None);
        assert_eq!(said(4).as_deref(), Some("its power limit"));
        assert_eq!(said(0x60).as_deref(), Some("heat"));
    }
}
