//! Which driver there is.

use bico_core::Lists;
use cudarc::driver::sys;

/// The CUDA version that the driver serves: 12090 for 12.9; 0 where it does not say.
pub(super) fn served() -> i32 {
    let mut version = 0;
    // SAFETY: a place for a number.
    let _ = unsafe { sys::cuDriverGetVersion(&mut version) };
    version
}

/// What the driver is: the CUDA version that it serves and, where that is told, its own: `12.9, 575.57.08`.
pub fn version() -> String {
    let served = Some(served()).filter(|version| *version > 0);
    let served = served.map(|version| format!("{}.{}", version / 1000, version % 1000 / 10));
    let mut parts: Vec<String> = served.into_iter().collect_vec();
    let module = std::fs::read_to_string("/proc/driver/nvidia/version").unwrap_or_default();
    parts.extend(of_module(&module).map(str::to_string));
    parts.join(", ")
}

/// The version of the kernel's module, in what it says of itself on Linux.
fn of_module(text: &str) -> Option<&str> {
    let number = |part: &str| !part.is_empty() && part.bytes().all(|c| c.is_ascii_digit());
    let mut words = text.lines().next()?.split_whitespace();
    words.find(|word| word.contains('.') && word.split('.').all(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_modules() {
        let closed = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023\nGCC version:  gcc version 11.4.0\n";
        assert_eq!(of_module(closed), Some("535.104.05"));
        let open = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  575.57.08  Release Build  (dvs-builder@U22)\n";
        assert_eq!(of_module(open), Some("575.57.08"));
        assert_eq!(of_module("NVRM version: unknown."), None);
        assert_eq!(of_module(""), None);
    }
}
