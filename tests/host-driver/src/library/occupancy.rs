//! How many blocks fit a multiprocessor: the rules of the CUDA occupancy calculator, written down
//! here once more so that a test can hold another implementation against them.

use crate::library::gpu::{Gpu, REGISTERS, WARP};

/// Registers go to warps in units of that many.
const REGISTER_UNIT: i32 = 256;
/// Warps go to the four parts of a multiprocessor.
const PARTS: i32 = 4;

/// Blocks of `threads` that one multiprocessor holds at once.
pub(crate) fn blocks(gpu: &Gpu, threads: i32, registers: i32, shared: i32) -> i32 {
    if threads <= 0 || threads > crate::library::gpu::THREADS_PER_BLOCK {
        return 0;
    }
    let warps = (threads + WARP - 1) / WARP;
    let by_warps = gpu.threads_per_multiprocessor / WARP / warps;
    let by_registers = if registers == 0 {
        i32::MAX
    } else {
        warps_by_registers(registers) / warps
    };
    let unit = if gpu.capability.0 >= 8 { 128 } else { 256 };
    let of_block = (shared + gpu.shared_reserved).round_up(unit);
    let by_shared = match of_block {
        0 => i32::MAX,
        of_block => gpu.shared_per_multiprocessor / of_block,
    };
    gpu.blocks_per_multiprocessor
        .min(by_warps)
        .min(by_registers)
        .min(by_shared)
}

/// Warps that the registers of a multiprocessor are enough for.
pub(crate) fn warps_by_registers(registers: i32) -> i32 {
    let of_warp = (registers * WARP).round_up(REGISTER_UNIT);
    REGISTERS / PARTS / of_warp * PARTS
}

trait RoundUp {
    fn round_up(self, unit: i32) -> i32;
}

impl RoundUp for i32 {
    fn round_up(self, unit: i32) -> i32 {
        (self + unit - 1) / unit * unit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_in_turn() {
        let gpu = Gpu::list("A100").unwrap()[0];
        assert_eq!(blocks(&gpu, 32, 16, 0), 32);
        assert_eq!(blocks(&gpu, 1024, 32, 0), 2);
        assert_eq!(blocks(&gpu, 256, 64, 0), 4);
        assert_eq!(blocks(&gpu, 128, 32, 48 << 10), 3);
        assert_eq!(blocks(&gpu, 1024, 65, 0), 0);
        assert_eq!(blocks(&gpu, 1025, 32, 0), 0);
    }
}
