//! Faults that a test asks for: `kind:argument`, several by `;`.

use std::time::Duration;

use crate::library::status::Status;

/// One fault. Texts are matched anywhere in what identifies a kernel: its lowered name, the name
/// expression and the options it was compiled with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The kernel ends with a sticky error of its context, after so many that did not.
    Sticky(Status, u64, String),
    /// The kernel never ends.
    Hang(String),
    /// The kernel runs, and then its first output byte is wrong.
    Wrong(String),
    /// The launch itself is refused, after so many that were not; nothing is sticky.
    Refuse(Status, u64, String),
    /// Of the device's memory only that many bytes are left: others hold the rest.
    Memory(u64),
    /// NVRTC refuses what contains the text among its options or name expressions.
    Compile(String),
    /// NVRTC takes so much longer for what contains the text among its options or name expressions.
    Slow(Duration, String),
    /// NVRTC gives no cubins, as versions before 11.1, or for an architecture it cannot assemble.
    NoCubin,
    /// `cuInit` says that the driver does not fit.
    DriverMismatch,
    /// The driver is older than the toolkit: its version is 11.4, and PTX is refused.
    OldPtx,
    /// Loading a module of the kernel fails.
    Load(Status, String),
    /// The GPU slows down while measured (NVML tells).
    Throttle,
}

/// Whether a text names what has this identity. A number in its end is a whole one: `TILE=3` does
/// not name `TILE=32`.
pub(crate) fn names(text: &str, identity: &str) -> bool {
    let text = plain(text);
    let whole = text.ends_with(|c: char| c.is_ascii_digit());
    let identity = plain(identity);
    identity.match_indices(&text).any(|(at, _)| {
        let rest = &identity[at + text.len()..];
        !(whole && rest.starts_with(|c: char| c.is_ascii_digit()))
    })
}

/// One blank between words, none behind commas.
fn plain(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().collect();
    words.join(" ").replace(", ", ",")
}

impl Fault {
    /// Reads `BICO_HOST_FAULT`.
    ///
    /// # Errors
    ///
    /// Names the part that is no fault.
    pub(crate) fn list(text: &str) -> Result<Vec<Fault>, String> {
        text.split(';')
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .map(Fault::read)
            .collect()
    }

    fn read(part: &str) -> Result<Fault, String> {
        let (kind, argument) = match part.split_once(':') {
            Some((kind, argument)) => (kind.trim(), argument.trim()),
            None => (part, ""),
        };
        let of = argument.to_string();
        Ok(match kind {
            "illegal-address" => Fault::Sticky(Status::IllegalAddress, 0, of),
            "misaligned" => Fault::Sticky(Status::MisalignedAddress, 0, of),
            "launch-timeout" => Fault::Sticky(Status::LaunchTimeout, 0, of),
            "launch-failed" => Fault::Sticky(Status::LaunchFailed, 0, of),
            "hang" => Fault::Hang(of),
            "wrong" => Fault::Wrong(of),
            "out-of-resources" => Fault::Refuse(Status::LaunchOutOfResources, 0, of),
            "refuse" => {
                let (status, after, of) = Fault::coded(part, argument)?;
                Fault::Refuse(status, after, of)
            }
            "sticky" => {
                let (status, after, of) = Fault::coded(part, argument)?;
                Fault::Sticky(status, after, of)
            }
            "out-of-memory" => Fault::Memory(argument.parse().map_err(|_| {
                format!("BICO_HOST_FAULT: out-of-memory takes a number of bytes, not '{argument}'")
            })?),
            "compile" => Fault::Compile(of),
            "slow" => {
                let read = argument.split_once(':');
                let read = read.and_then(|(ms, of)| Some((ms.trim().parse().ok()?, of)));
                let (ms, of) = read.ok_or_else(|| {
                    format!("BICO_HOST_FAULT: slow takes MILLISECONDS:TEXT, not '{argument}'")
                })?;
                Fault::Slow(Duration::from_millis(ms), of.trim().to_string())
            }
            "no-cubin" => Fault::NoCubin,
            "load" => Fault::Load(Status::InvalidImage, of),
            "throttle" => Fault::Throttle,
            "driver-too-old" if argument.is_empty() => Fault::DriverMismatch,
            "driver-too-old" if argument == "ptx" => Fault::OldPtx,
            _ => return Err(format!("BICO_HOST_FAULT: '{part}' is no fault")),
        })
    }

    /// `CODE:TEXT` or `CODE+LAUNCHES:TEXT`.
    fn coded(part: &str, argument: &str) -> Result<(Status, u64, String), String> {
        let read = || {
            let (code, of) = argument.split_once(':')?;
            let (code, after) = code.split_once('+').unwrap_or((code, "0"));
            let status = Status::of(code.trim().parse().ok()?)?;
            Some((status, after.trim().parse().ok()?, of.trim().to_string()))
        };
        read().ok_or_else(|| format!("BICO_HOST_FAULT: '{part}' has no known CODE[+LAUNCHES]:TEXT"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_faults() {
        let faults =
            Fault::list("illegal-address:TILE_M=32; hang:gemm;out-of-memory:1000;").unwrap();
        assert_eq!(
            faults,
            [
                Fault::Sticky(Status::IllegalAddress, 0, "TILE_M=32".to_string()),
                Fault::Hang("gemm".to_string()),
                Fault::Memory(1000),
            ]
        );
    }

    #[test]
    fn codes_and_when() {
        let faults = Fault::list("refuse:1:gemm;sticky:719+20:TILE=32").unwrap();
        assert_eq!(
            faults,
            [
                Fault::Refuse(Status::InvalidValue, 0, "gemm".to_string()),
                Fault::Sticky(Status::LaunchFailed, 20, "TILE=32".to_string()),
            ]
        );
        for text in ["refuse:gemm", "refuse:12345:gemm", "sticky:719+x:gemm"] {
            assert!(Fault::list(text).unwrap_err().contains(text), "{text}");
        }
    }

    #[test]
    fn what_a_text_names() {
        let identity = "_Z4gemmILi32ELi4EEvPf gemm<32, 4> -arch=sm_80 -DTILE=32";
        for text in ["gemm", "gemm<32,4>", "gemm<32, 4>", "TILE=32", "", "ILi32E"] {
            assert!(names(text, identity), "{text}");
        }
        for text in ["TILE=3", "gemm<3", "gemm<32,64>", "sm_8"] {
            assert!(!names(text, identity), "{text}");
        }
    }

    #[test]
    fn what_is_no_fault_is_named() {
        assert!(
            Fault::list("hang:a;illegal")
                .unwrap_err()
                .contains("'illegal'")
        );
        assert!(
            Fault::list("out-of-memory:much")
                .unwrap_err()
                .contains("'much'")
        );
        assert!(Fault::list("driver-too-old:very").is_err());
    }
}
