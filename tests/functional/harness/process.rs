//! Processes of a build, found by a variable in their environment.

use std::fs;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// The variable whose value tells whose process it is.
pub(crate) const MARK: &str = "BICO_TEST_MARK";

/// A living process.
#[derive(Debug, Clone)]
pub(crate) struct Process {
    pub(crate) id: u32,
    pub(crate) parent: u32,
    pub(crate) command: String,
}

impl Process {
    pub(crate) fn kill(&self) {
        // It may be gone already.
        let _ = Command::new("sh")
            .args(["-c", &format!("kill -9 {}", self.id)])
            .output();
    }
}

/// All living processes that were started with this mark.
pub(crate) fn marked(mark: &str) -> Vec<Process> {
    let entry = format!("{MARK}={mark}");
    let ids = fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    ids.filter_map(|id: u32| {
        let environment = fs::read(format!("/proc/{id}/environ")).ok()?;
        if !environment
            .split(|byte| *byte == 0)
            .any(|variable| variable == entry.as_bytes())
        {
            return None;
        }
        let command = String::from_utf8_lossy(&fs::read(format!("/proc/{id}/cmdline")).ok()?)
            .replace('\0', " ");
        // `pid (name) state parent ..`; a zombie is dead.
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        let mut fields = stat.rsplit_once(") ")?.1.split(' ');
        let (state, parent) = (fields.next()?, fields.next()?.parse().ok()?);
        (state != "Z").then_some(Process {
            id,
            parent,
            command,
        })
    })
    .collect()
}

/// Waits for something that must happen. The limit is for hangs.
#[track_caller]
pub(crate) fn wait_for(what: &str, mut happens: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(240);
    while !happens() {
        assert!(Instant::now() < deadline, "waited in vain: {what}");
        thread::sleep(Duration::from_millis(10));
    }
}
