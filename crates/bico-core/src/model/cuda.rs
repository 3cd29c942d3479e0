//! A GPU: a roofline with three roofs, lowered by what keeps a launch from reaching them.
//!
//! The roofs (arithmetic, the multiprocessors' caches and shared memory, the device's memory) are
//! those of the hierarchical roofline (Williams, Waterman, Patterson 2009; Yang, Kurth, Williams
//! 2020). Whether latencies are hidden hangs on resident warps times independent work of a thread
//! (Volkov, "Understanding latency hiding on GPUs", 2016); how many are resident is
//! [`occupancy`](super::occupancy)'s. Coalescing is as in the CUDA C++ Best Practices Guide. The constants are round figures, one set for all kernels and GPUs: they were
//! varied on recorded spaces, leaving kernels out, and hardly matter.

use super::occupancy;
use super::{Launch, Work, amount};
use crate::device::CudaFacts;

/// The factor of a launch that cannot run.
const HOPELESS: f64 = 1e6;
/// Warps times independent results that hide half of the latency of arithmetic.
const HIDES_ARITHMETIC: f64 = 6.0;
/// Those that hide half of the latency of loads, of which a tile of n results keeps about the square root of n in flight.
const HIDES_LOADS: f64 = 8.0;
/// Bytes of a cycle from shared memory or the first-level cache, for one multiprocessor.
const ON_CHIP_BYTES: f64 = 128.0;
/// What a byte through the cache costs, against one of shared memory.
const CACHE: f64 = 1.25;
/// Bandwidth of the second-level cache against that of the memory; also the part of the loads that
/// it serves where nothing is known of the grid.
const SECOND_LEVEL: f64 = 4.0;
/// Memory is fetched in sectors of this many bytes; a piece that is not aligned touches one more.
const SECTOR: f64 = 32.0;
/// Cycles from a block's end to the work of the next one.
const BLOCK_CYCLES: f64 = 300.0;
/// How much of the idle part of the last round counts: clocks rise and blocks differ.
const TAIL: f64 = 0.75;
/// At a barrier a block waits for its slowest warp; alone on its multiprocessor, nobody fills in.
const BARRIER: f64 = 0.25;
/// Registers spill to memory.
const SPILL: f64 = 2.0;

/// What a kernel's code does between the roofs, for who knows more of it than its launch and its work.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Profile {
    /// Results that a thread computes independently of each other, from 1.
    pub independent: f64,
    /// The part of the memory's sectors that is wanted of them.
    pub coalesced: f64,
    /// Instructions that load and store, of all threads together.
    pub accesses: f64,
    /// Bytes through the caches and shared memory, those that take longer counted as more.
    pub on_chip: f64,
    /// By how much longer the code takes for whatever else it does, from 1.
    pub factor: f64,
}

impl Profile {
    /// A kernel that loads one word at a time, neighbours in a warp next to each other, and computes one result a thread.
    pub fn usual(gpu: &CudaFacts, work: &Work, launch: &Launch) -> Profile {
        let contiguous = launch.width.max(1).saturating_mul(4);
        let contiguous = contiguous.clamp(1, 32 * warp(gpu));
        let (bytes, coalesced) = (bytes(work), coalesced(contiguous as f64));
        Profile {
            independent: 1.0,
            coalesced,
            accesses: bytes / 4.0,
            on_chip: cached(bytes, coalesced),
            factor: 1.0,
        }
    }
}

/// The part of the memory's sectors that is wanted of them, where a warp's neighbours together want pieces of so many
/// bytes.
pub fn coalesced(contiguous: f64) -> f64 {
    contiguous / (contiguous + SECTOR)
}

/// What bytes through the cache count as, in bytes of shared memory.
pub fn cached(bytes: f64, coalesced: f64) -> f64 {
    bytes * CACHE / coalesced
}

pub(super) fn predict(gpu: &CudaFacts, work: &Work) -> f64 {
    match &work.launch {
        Some(launch) => predict_profile(gpu, work, launch, &Profile::usual(gpu, work, launch)),
        None => bare(gpu, work),
    }
}

/// As [`predict`](super::predict), for a launch of a kernel of which more is known.
pub fn predict_profile(gpu: &CudaFacts, work: &Work, launch: &Launch, profile: &Profile) -> f64 {
    let occupancy = occupancy::of(gpu, launch);
    let (clock, multiprocessors) = (clock(gpu), gpu.multiprocessors.max(1) as f64);
    let (warp, threads) = (warp(gpu), launch.threads.max(1));
    let warps = occupancy.warps as f64;
    let blocks = amount(launch.blocks).max(1.0);
    let each = blocks / multiprocessors;
    // Blocks that are resident on a multiprocessor at the same time, as it could have them and as the grid has them.
    let most = occupancy.blocks.max(1) as f64;
    let resident = most.min(each.max(1.0));
    let lanes = threads as f64 / (warps * warp as f64);

    let parallel = resident * warps;
    let independent = profile.independent;
    let hidden = |parallel: f64, half: f64| parallel / (parallel + half);
    let arithmetic_hidden = hidden(parallel * independent, HIDES_ARITHMETIC);
    let loads_hidden = hidden(parallel * independent.sqrt(), HIDES_LOADS);

    // Seconds under each roof. A multiply-add counts as two operations.
    let instructions = amount(work.flops.unwrap_or(0.0)) / 2.0 + profile.accesses;
    let rate = multiprocessors * clock * lanes;
    let arithmetic = instructions / (rate * gpu.lanes() as f64 * arithmetic_hidden);
    let on_chip = profile.on_chip / (rate * ON_CHIP_BYTES * loads_hidden);
    let fetched = (bytes(work) / SECOND_LEVEL).max(from_memory(gpu, work, launch, resident));
    let memory = fetched / (bandwidth(gpu) * profile.coalesced * loads_hidden);
    // By how much the last round makes it longer; from 1.
    let tail = 1.0 - TAIL + TAIL * each.ceil() / each;

    let roofs = [arithmetic, on_chip, memory].map(|seconds| seconds.min(f64::MAX));
    let mut seconds = together(roofs) * tail;
    seconds *= profile.factor;
    seconds += blocks * BLOCK_CYCLES / (multiprocessors * clock * most);
    if launch.shared_bytes > 0 && resident < 2.0 {
        seconds *= 1.0 + BARRIER;
    }
    if launch.spills || !occupancy.registers_fit {
        seconds *= 1.0 + SPILL;
    }
    if !occupancy.fits {
        seconds *= HOPELESS;
    }
    seconds.min(f64::MAX)
}

/// Without a launch: the plain roofline.
fn bare(gpu: &CudaFacts, work: &Work) -> f64 {
    let lanes = gpu.multiprocessors.max(1) as f64 * gpu.lanes() as f64;
    let arithmetic = amount(work.flops.unwrap_or(0.0)) / (2.0 * lanes * clock(gpu));
    let memory = bytes(work) / bandwidth(gpu);
    together([arithmetic, memory, 0.0]).min(f64::MAX)
}

/// Bytes that the second level cannot serve, where the grid is known.
///
/// Blocks start row by row. Those that run at a time cover `rows` by `columns` of the grid; a block
/// shares what belongs to its row with the others of the row, and likewise what belongs to its column.
/// If both are half of what it reads, the memory is asked for `rows + columns` halves in place of
/// `2 * rows * columns`. That is how orders of blocks are compared for matrix products (Triton's
/// tutorial on matrix multiplication, "L2 cache optimizations"). No buffer is read less than once, and
/// only once where all of them fit.
fn from_memory(gpu: &CudaFacts, work: &Work, launch: &Launch, resident: f64) -> f64 {
    let Some(width) = launch.grid_width else {
        return 0.0;
    };
    let (all, once) = (bytes(work), amount(work.footprint));
    if once <= gpu.l2_bytes.max(0) as f64 || all <= once {
        return once.min(all);
    }
    let running = (resident * gpu.multiprocessors.max(1) as f64)
        .min(amount(launch.blocks))
        .max(1.0);
    let columns = amount(width).clamp(1.0, running);
    let rows = (running / columns).max(1.0);
    (all * (rows + columns) / (2.0 * rows * columns)).clamp(once, all)
}

/// Whatever the author counts, every buffer is touched once.
fn bytes(work: &Work) -> f64 {
    work.bytes.map_or(amount(work.footprint), amount)
}

fn warp(gpu: &CudaFacts) -> i64 {
    gpu.warp_size.clamp(1, 1024)
}

fn clock(gpu: &CudaFacts) -> f64 {
    gpu.clock_hz.max(1) as f64
}

fn bandwidth(gpu: &CudaFacts) -> f64 {
    gpu.memory_bytes_per_second.max(1) as f64
}

/// Work under different roofs overlaps, but not all of it: the root of the sum of squares, between
/// the sum and the longest. Scaled so that no square overflows.
fn together(times: [f64; 3]) -> f64 {
    let most = times.into_iter().fold(0.0, f64::max);
    if most == 0.0 {
        return 0.0;
    }
    let squares = times.iter().map(|time| (time / most) * (time / most));
    most * squares.sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests;
