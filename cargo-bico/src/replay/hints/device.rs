//! The GPU of a recording as the model wants it.

use crate::replay::Recording;
use bico_core::device::{CudaFacts, Facts};

/// Where nothing is known but a name, as in Kernel Tuner's cache files.
const USUAL_CAPABILITY: i64 = 80;

fn is_amd(text: &str) -> bool {
    ["AMD", "Radeon", "gfx", "CDNA", "RDNA"]
        .iter()
        .any(|mark| text.contains(mark))
}

/// The facts of a recording's GPU. What the recording does not say is what the vendor publishes of
/// GPUs of its kind.
pub fn gpu(recording: &Recording) -> Facts {
    let known = &recording.facts;
    let arch = known.arch.as_deref().unwrap_or("");
    // `CDNA2 gfx90a (one half)`: the name that compilers use, if it is there.
    let arch = arch
        .split_whitespace()
        .find(|word| word.starts_with("gfx"))
        .unwrap_or(arch);
    let capability = known.compute_capability.unwrap_or_else(|| {
        let vendor = known.vendor.as_deref().unwrap_or(&recording.device);
        match is_amd(vendor) || is_amd(arch) {
            true => 0,
            false => USUAL_CAPABILITY,
        }
    });
    let mut facts = CudaFacts::typical(&recording.device, arch, capability);
    let set = |fact: &mut i64, known: Option<f64>, unit: f64| {
        let value = known.map(|known| known * unit);
        let value = value.filter(|value| value.is_finite() && *value >= 0.5);
        *fact = value.map_or(*fact, |value| value.round() as i64);
    };
    let shared = &mut facts.shared_memory_per_multiprocessor;
    set(shared, known.smem_per_sm_kb, 1024.0);
    set(&mut facts.l2_bytes, known.l2_mb, 1024.0 * 1024.0);
    set(&mut facts.memory_bytes_per_second, known.mem_bw_gb_s, 1e9);
    let whole = |known: Option<i64>| known.map(|known| known as f64);
    set(&mut facts.multiprocessors, whole(known.sm_or_cu_count), 1.0);
    set(&mut facts.warp_size, whole(known.warp_size), 1.0);
    // Two operations of each lane in each cycle.
    let per_cycle = 2 * facts.lanes() * facts.multiprocessors;
    let rate = known.fp32_tflops.map(|rate| rate * 1e12 / per_cycle as f64);
    set(&mut facts.clock_hz, rate, 1.0);
    Facts::Cuda(facts)
}
