//! A logger that remembers.

use log::{Log, Metadata, Record};
use std::sync::{Mutex, Once};

struct Lines(Mutex<Vec<String>>);

static LINES: Lines = Lines(Mutex::new(Vec::new()));

impl Log for Lines {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &Record<'_>) {
        let line = format!("{} {}", record.level(), record.args());
        self.0.lock().unwrap().push(line);
    }

    fn flush(&self) {}
}

pub(super) fn start() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        log::set_logger(&LINES).unwrap();
        log::set_max_level(log::LevelFilter::Trace);
    });
}

/// The lines so far that hold a text; tests run side by side, each in a folder of its own.
pub(super) fn lines(with: &str) -> Vec<String> {
    let lines = LINES.0.lock().unwrap();
    lines
        .iter()
        .filter(|line| line.contains(with))
        .cloned()
        .collect()
}
