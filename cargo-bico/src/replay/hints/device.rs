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
        if is_amd(vendor) || is_amd(arch) {
            0
        } else {
            USUAL_CAPABILITY
        }
    });
    let mut facts = CudaFacts::typical(&recording.device, arch, capability);
    let set = |fact: &mut i64, known: Option<i64>| {
        if let Some(known) = known.filter(|value| *value > 0) {
            *fact = known;
        }
    };
    set(&mut facts.multiprocessors, known.multiprocessors);
    set(
        &mut facts.shared_memory_per_multiprocessor,
        known.shared_memory_per_multiprocessor,
    );
    set(&mut facts.l2_bytes, known.l2_bytes);
    set(
        &mut facts.memory_bytes_per_second,
        known.memory_bytes_per_second,
    );
    set(&mut facts.warp_size, known.warp_size);
    // Two operations of each lane in each cycle.
    let per_cycle = 2 * facts.lanes() * facts.multiprocessors;
    let clock = known
        .fp32_flops_per_second
        .map(|rate| (rate / per_cycle as f64).round() as i64);
    set(&mut facts.clock_hz, clock);
    Facts::Cuda(facts)
}
