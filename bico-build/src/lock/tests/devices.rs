//! GPUs in the lock.

use super::*;
use bico_core::device::CudaFacts;

const GPU: &str = r#"{
  "devices": {
    "NVIDIA H200 (sm_90)": {
      "architecture": "sm_90",
      "clock_hz": 1785000000,
      "compute_capability": 90,
      "kind": "cuda",
      "l2_bytes": 62914560,
      "max_threads_per_block": 1024,
      "max_threads_per_multiprocessor": 2048,
      "memory_bytes_per_second": 4800000000000,
      "multiprocessors": 132,
      "name": "NVIDIA H200",
      "registers_per_block": 65536,
      "registers_per_multiprocessor": 65536,
      "shared_memory_per_block": 49152,
      "shared_memory_per_block_optin": 232448,
      "shared_memory_per_multiprocessor": 233472,
      "warp_size": 32
    }
  },
  "kernels": {},
  "version": 1
}
"#;

fn gpu() -> Facts {
    Facts::Cuda(CudaFacts {
        clock_hz: 1_785_000_000,
        l2_bytes: 60 << 20,
        memory_bytes_per_second: 4_800_000_000_000,
        multiprocessors: 132,
        ..CudaFacts::typical("NVIDIA H200", "", 90)
    })
}

#[test]
fn the_bytes_of_a_gpu() {
    let mut lock = Lock::default();
    lock.devices.insert(gpu().key(), gpu());
    assert_eq!(to_text(&lock).unwrap(), GPU);
    assert_eq!(read(GPU).unwrap(), lock);
}

#[test]
fn a_gpu_is_not_half_known() {
    let error = |from: &str, to: &str| {
        assert!(GPU.contains(from), "{from}");
        let error = read(&GPU.replacen(from, to, 1)).expect_err(to);
        (error.message, error.place.line)
    };
    assert_eq!(
        error("      \"clock_hz\": 1785000000,\n", ""),
        ("the field `clock_hz` of a device is missing".into(), 3)
    );
    assert_eq!(
        error("\"warp_size\": 32", "\"warp_size\": 32, \"cores\": 3"),
        ("unknown field `cores` of a device".into(), 19)
    );
    assert_eq!(
        error("\"warp_size\": 32", "\"warp_size\": -32").0,
        "`warp_size` must be a whole number from 0 to 9223372036854775807"
    );
    assert_eq!(
        error("\"NVIDIA H200\"", "17").0,
        "`name` must be a string, not a number"
    );
}

#[test]
fn each_field_of_the_lock_is_the_one_of_the_attribute() {
    let facts = gpu();
    for line in GPU.lines().skip(3).take(14) {
        let (name, value) = line.trim().trim_end_matches(',').split_once(": ").unwrap();
        if let Ok(number) = value.parse::<i64>() {
            let field = facts.field(name.trim_matches('"'));
            assert_eq!(field, Some(bico_core::Value::Int(number)), "{name}");
        }
    }
}

/// The two are written by different hands: by a running program without this crate, and by it.
#[test]
fn what_programs_write_of_a_device_is_read_here() {
    use bico::learned_files::{ArmRecord, Memory, Name, Record};
    let folder = tempfile::tempdir().unwrap();
    let gpu = Facts::Cuda(bico_core::device::CudaFacts::typical("NVIDIA H200", "", 90));
    for facts in [super::facts(), gpu, bico_host::this_cpu().clone()] {
        let name = Name {
            tunable: "gemm".to_string(),
            device: facts.key(),
            driver: String::new(),
            hash: "0123456789abcdef0123456789abcdef".to_string(),
        };
        let memory = Memory::open_in(folder.path(), name, &facts);
        let arm = ArmRecord {
            config: Vec::new(),
            pulls: 1,
            mean: -9.0,
            variance: 0.0,
            seconds: 1.0,
        };
        assert!(memory.save(&Record {
            arms: vec![arm],
            ..Record::default()
        }));
        let files = bico::learned_files::files(folder.path());
        let file = files.iter().find(|file| file.name.device == facts.key());
        let path = &file.unwrap().path;
        let text = std::fs::read_to_string(path).unwrap();
        assert_eq!(learned_facts(path, &text).unwrap(), facts);
        // The very shape of the lock's table, no more and no less.
        let mut lock = Lock::default();
        lock.devices.insert(facts.key(), facts.clone());
        let lock: serde_json::Value = serde_json::from_str(&to_text(&lock).unwrap()).unwrap();
        let file: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(file["facts"], lock["devices"][facts.key().as_str()]);
    }
}
