//! The environment: the only place that reads it.

use crate::library::fault::Fault;
use crate::library::script::Times;
use std::path::PathBuf;

/// What the variables say.
pub(crate) struct Settings {
    /// `BICO_HOST_GPUS`: the GPUs of this machine, by comma. Not set: one A100. Empty: none.
    pub(crate) gpus: String,
    /// `BICO_HOST_FAULT`.
    pub(crate) faults: Vec<Fault>,
    /// `BICO_HOST_MEMORY`: bytes of device memory of each GPU; 2 GiB if not set.
    pub(crate) memory: u64,
    /// `BICO_HOST_LAG`: how many launches later an event is complete; 0 if not set.
    pub(crate) lag: u64,
}

impl Settings {
    /// Reads the variables of the driver.
    ///
    /// # Errors
    ///
    /// Names the variable and the part that is not understood.
    pub(crate) fn read() -> Result<Settings, String> {
        Ok(Settings {
            gpus: text("BICO_HOST_GPUS").unwrap_or_else(|| "A100".to_string()),
            faults: faults()?,
            memory: number("BICO_HOST_MEMORY", "bytes")?.unwrap_or(2 << 30),
            lag: number("BICO_HOST_LAG", "launches")?.unwrap_or(0),
        })
    }
}

/// How long kernels take: `BICO_HOST_TIMES`.
pub(crate) fn times() -> Result<Times, String> {
    let read = Times::read(&text("BICO_HOST_TIMES").unwrap_or_default());
    read.map_err(|why| format!("BICO_HOST_TIMES: {why}"))
}

fn number(name: &str, of: &str) -> Result<Option<u64>, String> {
    let Some(text) = text(name) else {
        return Ok(None);
    };
    let number = text.trim().parse();
    number
        .map(Some)
        .map_err(|_| format!("{name} is not a number of {of}: {text}"))
}

/// The faults to inject: `BICO_HOST_FAULT`.
pub(crate) fn faults() -> Result<Vec<Fault>, String> {
    Fault::list(&text("BICO_HOST_FAULT").unwrap_or_default())
}

/// `BICO_HOST_REGISTERS`: registers per thread of the compiled kernels.
pub(crate) fn registers() -> Option<String> {
    text("BICO_HOST_REGISTERS")
}

/// `BICO_HOST_KERNELS`: `asked` leaves out the kernels of a source that are not asked for by name.
pub(crate) fn only_asked() -> bool {
    text("BICO_HOST_KERNELS").is_some_and(|which| which == "asked")
}

/// `BICO_HOST_CXX`: the C++ compiler, `g++` if not set.
pub(crate) fn compiler() -> String {
    text("BICO_HOST_CXX").unwrap_or_else(|| "g++".to_string())
}

/// `BICO_HOST_OBJECTS`: where compiled objects are kept. A compiler of `BICO_HOST_CXX` is always asked.
pub(crate) fn objects() -> Option<PathBuf> {
    let own = text("BICO_HOST_CXX").is_none();
    text("BICO_HOST_OBJECTS").filter(|_| own).map(PathBuf::from)
}

#[expect(
    clippy::disallowed_methods,
    reason = "a library that programs load has no other way to be told anything"
)]
fn text(name: &str) -> Option<String> {
    std::env::var(name).ok()
}
