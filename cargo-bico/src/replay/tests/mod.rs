mod faults;
mod formats;
mod plans;
mod recorded;
mod spaces;

use super::{Error, Recording};
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use tempfile::TempDir;

/// Files of one test.
struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    fn read(&self, name: &str, bytes: impl AsRef<[u8]>) -> Result<Recording, Error> {
        Recording::read(&self.write(name, bytes))
    }
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// A sidecar with parameters A and B, and these restrictions.
fn sidecar(restrictions: &str) -> String {
    format!(
        r#"{{"kernel": "k", "gpu": "X", "device_name": "NVIDIA X", "gpu_facts": {{"vendor": "NVIDIA", "compute_capability": "8.6"}},
            "params": [{{"name": "A", "values": [1, 2, 4]}}, {{"name": "B", "values": [1, 3]}}], "restrictions": {restrictions}}}"#
    )
}

/// A CSV of A and B with a row for each time in milliseconds; what is 0 failed.
fn rows(rows: &[(i64, i64, f64)]) -> String {
    let mut text = String::from("A,B,time_ms,status\n");
    for (a, b, time) in rows {
        text += &match *time {
            0.0 => format!("{a},{b},,RuntimeFailedConfig\n"),
            time => format!("{a},{b},{time},ok\n"),
        };
    }
    text
}
