//! A CPU: a roofline with cache levels for one core.
//!
//! The figures are nominal, for a clock of 3 GHz: what matters is the order of two predictions on
//! one device, and there the clock cancels out. Bytes per cycle are rounded from the vendors' manuals
//! (Intel 64 and IA-32 Architectures Optimization Reference Manual, cache parameters of Skylake
//! Server and later; AMD Software Optimization Guide for Zen 4, sections on the load-store unit and
//! the caches).

use super::{Work, amount};
use crate::device::CpuFacts;

const CLOCK: f64 = 3e9;
/// Two fused multiply-add units of full width, two operations each (Intel and AMD alike).
const FLOPS_PER_LANE: f64 = 4.0;
/// Bits of an `f32`: which element a kernel computes with scales all its configs alike.
const LANE_BITS: f64 = 32.0;
/// Two loads of one vector register each.
const L1_LOADS: f64 = 2.0;
/// 32 bytes (AMD) to 64 bytes (Intel, of which about 48 are sustained).
const L2_BYTES: f64 = 32.0;
/// 32 bytes at best (AMD, within one core complex), about 16 sustained.
const L3_BYTES: f64 = 16.0;
/// About 15 GB/s for one core of a server.
const MEMORY_BYTES: f64 = 5.0;
/// The part of the shorter of the two times that does not overlap with the longer one. It also
/// orders configs that are all bound by arithmetic: less traffic is better.
const EXPOSED: f64 = 0.05;

pub(super) fn predict(cpu: &CpuFacts, work: &Work) -> f64 {
    let footprint = amount(work.footprint);
    // Whatever the author counts, every buffer is touched once.
    let bytes = work.bytes.map_or(footprint, amount);
    let flops = work.flops.map_or(0.0, amount);

    let vector = vector_bits(cpu, work.vector_bits);
    let compute = flops / (CLOCK * FLOPS_PER_LANE * vector / LANE_BITS);
    let traffic = bytes / (CLOCK * bytes_per_cycle(cpu, vector, footprint));
    // Sums of numbers up to f64::MAX may still reach infinity.
    (compute.max(traffic) + EXPOSED * compute.min(traffic)).min(f64::MAX)
}

fn vector_bits(cpu: &CpuFacts, config: i64) -> f64 {
    // Without any vector unit there is still a word.
    let device = cpu.vector_bits.max(64);
    let bits = match config {
        1.. => config.min(device),
        _ => device,
    };
    bits.max(LANE_BITS as i64) as f64
}

fn bytes_per_cycle(cpu: &CpuFacts, vector: f64, footprint: f64) -> f64 {
    let l1 = (L1_LOADS * vector / 8.0).max(L2_BYTES);
    // A level that the facts do not know has 0 bytes and is passed over.
    let levels = [
        (cpu.l1d_bytes, l1),
        (cpu.l2_bytes, L2_BYTES),
        (cpu.l3_bytes, L3_BYTES),
    ];
    let mut levels = levels.into_iter();
    let holds = levels.find(|(bytes, _)| footprint <= *bytes as f64);
    holds.map_or(MEMORY_BYTES, |(_, bandwidth)| bandwidth)
}

/// Widest vector in bits that code with these `needs` uses, by the names of
/// `Candidate::needs`; 128 without any. For code compiled for the CPU at
/// hand (`native`) it is 0: the device's.
pub fn vector_bits_of(needs: &[&str], native: bool) -> i64 {
    if native {
        return 0;
    }
    let width = |need: &&str| match *need {
        "x86-64-v4" => 512,
        need if need.starts_with("avx512") => 512,
        "x86-64-v3" | "fma" | "f16c" | "vaes" | "vpclmulqdq" => 256,
        need if need.starts_with("avx") => 256,
        _ => 128,
    };
    needs.iter().map(width).max().unwrap_or(128)
}

#[cfg(test)]
mod tests {
    use super::vector_bits_of;
    use crate::device::Facts;
    use crate::device::facts::tests::zen;
    use crate::model::{Work, predict};

    fn work(flops: f64, bytes: f64, footprint: f64, vector_bits: i64) -> Work {
        Work {
            flops: Some(flops),
            bytes: Some(bytes),
            footprint,
            vector_bits,
            launch: None,
        }
    }

    #[test]
    fn wider_vectors_and_nearer_caches_are_faster() {
        let facts = zen();
        let at = |bits| predict(&facts, &work(1e9, 1e6, 1e6, bits));
        assert!(at(512) < at(256) && at(256) < at(128));
        assert_eq!(at(0), at(512));
        let fits = |footprint| predict(&facts, &work(0.0, 1e6, footprint, 0));
        assert!(fits(1e4) < fits(5e5) && fits(5e5) < fits(2e7) && fits(2e7) < fits(1e9));
    }

    #[test]
    fn grows_with_work_and_breaks_ties_by_traffic() {
        let facts = zen();
        let bound_by_arithmetic = |bytes| predict(&facts, &work(1e12, bytes, 1e6, 0));
        assert!(bound_by_arithmetic(1e6) < bound_by_arithmetic(2e6));
        assert!(
            predict(&facts, &work(1e12, 1e6, 1e6, 0)) < predict(&facts, &work(2e12, 1e6, 1e6, 0))
        );
    }

    #[test]
    fn is_never_nan() {
        let odd = [
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            -1.0,
            0.0,
            f64::MAX,
        ];
        let mut bare = zen();
        let Facts::Cpu(cpu) = &mut bare else {
            panic!("a CPU");
        };
        (cpu.l1d_bytes, cpu.l2_bytes, cpu.l3_bytes, cpu.vector_bits) = (0, 0, 0, 0);
        for facts in [zen(), bare] {
            for (flops, bytes, footprint) in odd
                .iter()
                .flat_map(|a| odd.iter().flat_map(move |b| odd.map(|c| (*a, *b, c))))
            {
                for bits in [i64::MIN, 0, 1, i64::MAX] {
                    let seconds = predict(&facts, &work(flops, bytes, footprint, bits));
                    assert!(
                        seconds >= 0.0 && seconds.is_finite(),
                        "{flops} {bytes} {footprint}"
                    );
                }
            }
        }
    }

    #[test]
    fn vectors_of_needs() {
        assert_eq!(vector_bits_of(&[], false), 128);
        assert_eq!(vector_bits_of(&["sse4.2"], false), 128);
        assert_eq!(vector_bits_of(&["avx2", "fma"], false), 256);
        assert_eq!(vector_bits_of(&["x86-64-v3", "avx512vl"], false), 512);
        assert_eq!(vector_bits_of(&[], true), 0);
    }
}
