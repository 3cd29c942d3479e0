//! How many blocks of a launch are resident on one multiprocessor.
//!
//! The rules of the CUDA Programming Guide ("Multiprocessor Level") and of the occupancy calculator
//! that comes with CUDA: a multiprocessor has four parts, a warp lives in one of them with registers
//! in units of 256, shared memory is given out in units of 256 bytes (before 8.0) or 128, and from
//! 8.0 on the system keeps 1 KiB of it for each block.

use super::Launch;
use crate::device::limits::{self, Limits};
use crate::device::{CudaFacts, Dims, KernelLimits};

/// Parts of a multiprocessor: a warp stays in the one it was given.
const PARTS: i64 = 4;
/// Registers are given to a warp in units of this many.
const REGISTER_UNIT: i64 = 256;
/// The instruction set names no more.
const MOST_REGISTERS: i64 = 255;
/// What compilers give small kernels, where nothing is known.
const USUAL_REGISTERS: i64 = 32;

/// What one multiprocessor holds of a launch.
pub(super) struct Occupancy {
    /// Warps of a block.
    pub(super) warps: i64,
    /// Resident blocks; 0 where not even one fits.
    pub(super) blocks: i64,
    /// Whether the block's threads and shared memory are within the limits of one block.
    pub(super) fits: bool,
    /// Whether the block's registers are: where not, the launch fails or the compiler spills.
    pub(super) registers_fit: bool,
}

pub(super) fn of(gpu: &CudaFacts, launch: &Launch) -> Occupancy {
    let limits = limits::of(gpu.compute_capability, &gpu.architecture);
    let warp_size = gpu.warp_size.clamp(1, 1024);
    let threads = launch.threads.max(1);
    let warps = ceil(threads, warp_size);
    let shared = launch.shared_bytes.max(0);
    let registers = launch.registers.unwrap_or(USUAL_REGISTERS).max(1);

    let (by_registers, registers_fit) = by_registers(gpu, warps, warp_size, registers);
    let by_warps = gpu.max_threads_per_multiprocessor / warp_size / warps;
    let by_shared = by_shared(gpu, &limits, shared);
    Occupancy {
        warps,
        blocks: by_warps
            .min(by_shared)
            .min(by_registers)
            .clamp(0, limits.blocks),
        fits: threads <= gpu.max_threads_per_block
            && shared <= gpu.shared_memory_per_block_optin
            && by_warps > 0
            && by_shared > 0,
        registers_fit,
    }
}

/// Blocks of these threads, registers of each and bytes of shared memory that one multiprocessor holds
/// at a time.
pub fn resident_blocks(gpu: &CudaFacts, threads: i64, registers: i64, shared_bytes: i64) -> i64 {
    let launch = Launch {
        threads,
        registers: Some(registers),
        shared_bytes,
        ..Launch::default()
    };
    of(gpu, &launch).blocks
}

/// Why a GPU cannot launch a kernel like this, if it cannot. `registers` are those of a thread, where
/// the compiled code tells; `fixed` is the shared memory that the kernel declares itself.
pub fn obstacle(
    gpu: &CudaFacts,
    dims: &Dims,
    registers: Option<i64>,
    fixed: i64,
) -> Option<String> {
    let limits = KernelLimits {
        fixed: u64::try_from(fixed).unwrap_or(0),
        ..KernelLimits::of(gpu)
    };
    if let Some(broken) = limits.broken(dims) {
        return Some(broken);
    }
    let threads = i64::try_from(dims.threads()).unwrap_or(i64::MAX);
    let registers = registers?;
    let warp_size = gpu.warp_size.clamp(1, 1024);
    let warps = ceil(threads.max(1), warp_size);
    let (_, fit) = by_registers(gpu, warps, warp_size, registers.max(1));
    (!fit).then(|| {
        format!(
            "a block of {threads} threads with {registers} registers each does not fit in the {} registers of a block",
            gpu.registers_per_block
        )
    })
}

/// Blocks by registers, and whether one block's are within the limits.
fn by_registers(gpu: &CudaFacts, warps: i64, warp_size: i64, registers: i64) -> (i64, bool) {
    let each = registers.min(MOST_REGISTERS + 1).saturating_mul(warp_size);
    let each = ceil(each, REGISTER_UNIT) * REGISTER_UNIT;
    let resident = gpu.registers_per_multiprocessor.max(0) / PARTS / each * PARTS;
    // A block's warps are dealt to the parts in turn, so that the last round counts in full.
    let dealt = ceil(warps, PARTS).saturating_mul(PARTS);
    let fit = registers <= MOST_REGISTERS
        && dealt.saturating_mul(each) <= gpu.registers_per_block
        && resident >= warps;
    (resident / warps, fit)
}

/// Blocks by shared memory.
fn by_shared(gpu: &CudaFacts, limits: &Limits, shared: i64) -> i64 {
    if shared == 0 {
        return i64::MAX;
    }
    let unit = match gpu.compute_capability {
        80.. => 128,
        _ => 256,
    };
    let each = ceil(shared.saturating_add(limits.shared_reserved), unit).saturating_mul(unit);
    gpu.shared_memory_per_multiprocessor.max(0) / each
}

fn ceil(a: i64, b: i64) -> i64 {
    a / b + i64::from(a % b != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn blocks(capability: i64, threads: i64, registers: i64, shared_bytes: i64) -> i64 {
        of_(capability, threads, registers, shared_bytes).blocks
    }

    fn of_(capability: i64, threads: i64, registers: i64, shared_bytes: i64) -> Occupancy {
        let gpu = CudaFacts::typical("a GPU", "", capability);
        let launch = Launch {
            blocks: 1000.0,
            threads,
            width: threads,
            shared_bytes,
            registers: Some(registers),
            ..Launch::default()
        };
        of(&gpu, &launch)
    }

    #[test]
    fn blocks_and_warps_are_limited() {
        // Small blocks: by their number.
        assert_eq!(blocks(75, 32, 16, 0), 16);
        assert_eq!(blocks(80, 32, 16, 0), 32);
        assert_eq!(blocks(89, 32, 16, 0), 24);
        // Large ones: by warps. 33 threads take two.
        assert_eq!(blocks(75, 1024, 32, 0), 1);
        assert_eq!(blocks(80, 1024, 32, 0), 2);
        assert_eq!(blocks(86, 1024, 32, 0), 1);
        assert_eq!(blocks(86, 512, 32, 0), 3);
        assert_eq!(blocks(75, 33, 16, 0), 16);
        assert_eq!(blocks(86, 96, 16, 0), 16);
    }

    #[test]
    fn registers_are_given_to_warps_of_a_part() {
        // 128 registers, 2 warps: 4096 a warp, 4 warps a part, 16 together.
        assert_eq!(blocks(86, 64, 128, 0), 8);
        // At 168 a part holds 3 warps, at 200 only 2: not 65536 / (64 * 200) = 5 blocks.
        assert_eq!(blocks(86, 64, 168, 0), 6);
        assert_eq!(blocks(86, 64, 200, 0), 4);
        // 65 registers count as 72.
        assert_eq!(blocks(80, 256, 65, 0), blocks(80, 256, 72, 0));
        assert_eq!(blocks(80, 256, 64, 0), 4);
        assert_eq!(blocks(80, 256, 65, 0), 3);
    }

    #[test]
    fn a_block_that_needs_too_many_registers_does_not_start() {
        // 32 warps of 64 registers are all there are.
        assert!(of_(75, 1024, 64, 0).registers_fit);
        assert!(!of_(75, 1024, 65, 0).registers_fit);
        // 29 warps are dealt as 32: 928 threads fail with 72 registers, 896 run.
        assert!(of_(75, 896, 72, 0).registers_fit);
        assert!(!of_(75, 928, 72, 0).registers_fit);
        assert!(!of_(75, 32, 256, 0).registers_fit);
    }

    #[test]
    fn shared_memory_is_given_in_units() {
        assert_eq!(blocks(75, 64, 16, 16 << 10), 4);
        assert_eq!(blocks(75, 64, 16, (16 << 10) + 1), 3);
        // From 8.0 on each block costs a KiB more: 100 KiB hold 9 blocks of 10 KiB, not 10.
        assert_eq!(blocks(86, 64, 16, 10 << 10), 9);
        assert_eq!(blocks(80, 64, 16, 163 << 10), 1);
        assert!(of_(80, 64, 16, 163 << 10).fits);
        assert!(!of_(80, 64, 16, 164 << 10).fits);
        assert!(!of_(75, 1025, 16, 0).fits);
    }

    #[test]
    fn obstacles_are_named() {
        let gpu = CudaFacts::typical("a GPU", "", 86);
        let dims = |grid, block, shared| Dims {
            cluster: [1; 3],
            grid,
            block,
            shared,
            dependent: false,
        };
        let why = |dims: Dims, registers| obstacle(&gpu, &dims, registers, 0).unwrap_or_default();
        let fine = dims([1 << 20, 65_535, 1], [32, 32, 1], 99 << 10);
        assert_eq!(why(fine, Some(64)), "");
        assert!(why(fine, Some(65)).contains("65 registers each"));
        assert!(obstacle(&gpu, &fine, None, 1).is_some_and(|why| why.contains("101377 bytes")));
        assert!(why(dims([1; 3], [1024, 2, 1], 0), None).contains("2048 threads, 1024"));
        assert!(why(dims([1; 3], [1, 1, 65], 0), None).contains("65 threads in z"));
        assert!(why(dims([1, 65_536, 1], [1; 3], 0), None).contains("65536 blocks in y"));
        let most = dims([u32::MAX; 3], [u32::MAX; 3], u32::MAX);
        assert!(!why(most, Some(i64::MAX)).is_empty());
    }

    proptest! {
        #[test]
        fn more_of_anything_never_helps(
            capability in prop::sample::select(vec![0, 70, 75, 80, 86, 90, 120]),
            threads in 1i64..1200, registers in 1i64..300, shared in 0i64..250_000,
            (t, r, s) in (0i64..200, 0i64..60, 0i64..20_000),
        ) {
            let small = of_(capability, threads, registers, shared);
            let large = of_(capability, threads + t, registers + r, shared + s);
            prop_assert!(large.blocks <= small.blocks);
            prop_assert!(small.fits || !large.fits);
            prop_assert!(small.registers_fit || !large.registers_fit);
        }

        #[test]
        fn any_numbers_do(threads: i64, registers: i64, shared: i64, capability: i64, size: i64) {
            let gpu = CudaFacts {
                warp_size: size,
                registers_per_multiprocessor: shared,
                max_threads_per_multiprocessor: registers,
                ..CudaFacts::typical("a GPU", "", capability)
            };
            let launch = Launch { threads, registers: Some(registers), shared_bytes: shared, ..Launch::default() };
            prop_assert!(of(&gpu, &launch).blocks >= 0);
        }
    }
}
