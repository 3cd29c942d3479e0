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
    for (fact, known) in [
        (&mut facts.multiprocessors, known.multiprocessors),
        (
            &mut facts.shared_memory_per_multiprocessor,
            known.shared_memory_per_multiprocessor,
        ),
        (&mut facts.l2_bytes, known.l2_bytes),
        (
            &mut facts.memory_bytes_per_second,
            known.memory_bytes_per_second,
        ),
        (&mut facts.warp_size, known.warp_size),
    ] {
        *fact = known.filter(|value| *value > 0).unwrap_or(*fact);
    }
    // Two operations of each lane in each cycle.
    let per_cycle = 2 * facts.lanes() * facts.multiprocessors;
    let clock = known.fp32_flops_per_second;
    let clock = clock.map(|rate| (rate / per_cycle as f64).round() as i64);
    facts.clock_hz = clock.filter(|clock| *clock > 0).unwrap_or(facts.clock_hz);
    Facts::Cuda(facts)
}
