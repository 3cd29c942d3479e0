//! What a device does while something is timed on it: the clock it runs at, and what holds that back.

use std::fs::File;
use std::io::Read;

/// Bytes of /proc/cpuinfo that are read at most.
const CPUINFO: u64 = 1 << 16;

/// What a device is doing at a moment, as far as it tells.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Conditions {
    /// The clock of its processors, in Hz; of a CPU's cores the fastest one's.
    pub clock_hz: Option<f64>,
    /// Its temperature, in degrees Celsius.
    pub celsius: Option<f64>,
    /// The limit of its power, in watts.
    pub power_limit_watts: Option<f64>,
    /// What holds its clock back.
    pub held_back: Option<String>,
}

impl Conditions {
    /// Of this machine's CPU, on Linux.
    pub(crate) fn of_the_cpu() -> Conditions {
        Conditions {
            clock_hz: cpu_clock_hz(),
            ..Conditions::default()
        }
    }
}

/// Seconds, of all processors together, in which a host had other machines run on them, since this one started; `None` where
/// nobody counts them.
pub fn stolen_seconds() -> Option<f64> {
    stolen(&std::fs::read_to_string("/proc/stat").ok()?)
}

/// The eighth number of the first line, in hundredths of a second (proc(5), `steal`).
fn stolen(stat: &str) -> Option<f64> {
    let line = stat.lines().next()?.strip_prefix("cpu ")?;
    let ticks: f64 = line.split_ascii_whitespace().nth(7)?.parse().ok()?;
    Some(ticks / 100.0)
}

/// Of the first few dozen cores: Linux asks each one whose lines are read.
fn cpu_clock_hz() -> Option<f64> {
    let mut text = Vec::new();
    let file = File::open("/proc/cpuinfo").ok()?;
    file.take(CPUINFO).read_to_end(&mut text).ok()?;
    clock_in(&String::from_utf8_lossy(&text))
}

/// The kernel's own estimate from what each core did lately, or a machine's nominal clock where a host hides it.
fn clock_in(cpuinfo: &str) -> Option<f64> {
    let clocks = cpuinfo.lines().filter_map(|line| {
        let (name, value) = line.split_once(':')?;
        let mhz = (name.trim() == "cpu MHz").then(|| value.trim().parse::<f64>());
        Some(mhz?.ok()? * 1e6)
    });
    clocks.max_by(f64::total_cmp)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_linux_are_read() {
        let stat = "cpu  10 20 30 40 50 60 70 250 0 0\ncpu0 1 2 3 4 5 6 7 8 0 0\n";
        assert_eq!(stolen(stat), Some(2.5));
        assert_eq!(stolen("cpu  1 2 3\n"), None);
        assert_eq!(stolen(""), None);
        let info = "processor\t: 0\ncpu MHz\t\t: 2600.000\nflags\t: a\nprocessor\t: 1\ncpu MHz\t\t: 3700.5\n";
        assert_eq!(clock_in(info), Some(3.7005e9));
        assert_eq!(clock_in("processor: 0\n"), None);
    }
}
