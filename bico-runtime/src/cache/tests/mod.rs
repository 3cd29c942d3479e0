//! The memory, as its callers and the file system see it.

mod faults;
mod keep;
mod learned;
mod logger;
mod processes;
mod programs;
mod shared;
mod trouble;

use super::{ArmRecord, Memory, Name, Record};
use bico_core::StoredValue as Value;
use bico_core::device::{CpuFacts, CudaFacts, Facts};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

pub(super) fn cpu() -> &'static Facts {
    static CPU: OnceLock<Facts> = OnceLock::new();
    CPU.get_or_init(|| {
        Facts::Cpu(CpuFacts {
            vendor: "AuthenticAMD".to_string(),
            brand: "AMD EPYC".to_string(),
            family: 26,
            model: 2,
            level: "x86-64-v4".to_string(),
            cores: 8,
            l1d_bytes: 48 << 10,
            l2_bytes: 1 << 20,
            l3_bytes: 32 << 20,
            vector_bits: 512,
            features: vec!["avx2".to_string(), "fma".to_string()],
        })
    })
}

pub(super) fn gpu() -> &'static Facts {
    static GPU: OnceLock<Facts> = OnceLock::new();
    GPU.get_or_init(|| Facts::Cuda(CudaFacts::typical("a GPU", "", 90)))
}

pub(super) const KERNEL: &str = "0123456789abcdef0123456789abcdef";

/// A subject, and what is known of its device.
pub(super) type Subject = (Name, &'static Facts);

pub(super) fn on(device: &'static Facts) -> Subject {
    let driver = match device {
        Facts::Cpu(_) => "",
        Facts::Cuda(_) => "12080",
    };
    let name = Name {
        tunable: "gemm".to_string(),
        device: device.key(),
        driver: driver.to_string(),
        hash: KERNEL.to_string(),
    };
    (name, device)
}

pub(super) fn arm(tile: i64, pulls: u64, mean: f64, variance: f64) -> ArmRecord {
    ArmRecord {
        config: vec![("TILE".to_string(), Value::Int(tile))],
        pulls,
        mean,
        variance,
        seconds: 1000.0 * f64::exp(mean),
    }
}

pub(super) fn record(bucket: i64, settled: Option<usize>, arms: &[ArmRecord]) -> Record {
    Record {
        bucket: vec![bucket],
        consts: Vec::new(),
        sizes: vec![("n".to_string(), 1 << bucket.clamp(0, 40))],
        settled,
        arms: arms.to_vec(),
    }
}

pub(super) fn open(folder: &Path, (name, facts): &Subject) -> (Memory, Vec<Record>) {
    let memory = Memory::open_in(folder, name.clone(), facts);
    let records = memory.records.clone();
    (memory, records)
}

/// The only JSON file of a folder.
pub(super) fn only_file(folder: &Path) -> PathBuf {
    let entries = std::fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut files = paths.filter(|path| path.extension().is_some_and(|end| end == "json"));
    let file = files.next().unwrap();
    assert_eq!(files.next(), None);
    file
}
