//! Whether a GPU runs slower than it could, by NVIDIA's management library where it is installed.

use super::facts::pci_address;
use cudarc::driver::sys::CUdevice;
use libloading::Library;
use std::ffi::{c_char, c_int, c_ulonglong, c_void};

const LIBRARIES: &[&str] = if cfg!(windows) {
    &["nvml.dll"]
} else {
    &["libnvidia-ml.so.1", "libnvidia-ml.so"]
};

type Handle = *mut c_void;
type Reasons = unsafe extern "C" fn(Handle, *mut c_ulonglong) -> c_int;

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
    /// Keeps `reasons` alive.
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
            if init() != 0 {
                return None;
            }
            let mut handle: Handle = std::ptr::null_mut();
            (by_address(address.as_ptr(), &mut handle) == 0).then_some(Clocks {
                handle,
                reasons,
                _library: library,
            })
        }
    }

    /// What holds the GPU back at this moment, if anything does.
    pub(super) fn throttled(&self) -> Option<String> {
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
