//! What vendors publish of all GPUs of one kind.
//!
//! NVIDIA: CUDA Programming Guide, appendix "Compute Capabilities", tables of technical
//! specifications. Held against two tables of NVIDIA's that are code: `cuda_occupancy.h` of the runtime
//! wheels 12.9.79 and 13.5.37 (resident blocks, shared memory of a multiprocessor, allocation units), and
//! `cuda/__device/arch_traits.h` of CCCL (besides: warps, opt-in, what is reserved). Neither has the
//! resident warps of 10.7, which are those of 10.3 here. Results per cycle: the guide's table of arithmetic
//! throughput (32-bit floating-point add, multiply, multiply-add), which equals the cores per
//! multiprocessor that data sheets name; of 8.8 and 10.7 nothing is published, they are as the kind before. AMD: "AMD Instinct MI200" CDNA2 ISA reference and white paper;
//! "RDNA 2" ISA reference and the occupancy chapter of AMD's GPUOpen guide.

/// Limits of one multiprocessor. Sizes are in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Resident warps.
    pub(crate) warps: i64,
    /// Resident blocks.
    pub(crate) blocks: i64,
    pub(crate) warp_size: i64,
    /// Shared memory, and what one block may have of it: at once, and when it opts in.
    pub(crate) shared: i64,
    pub(crate) shared_per_block: i64,
    pub(crate) shared_per_block_optin: i64,
    /// What the system keeps of the shared memory of each block.
    pub(crate) shared_reserved: i64,
    /// Registers of 32 bits.
    pub(crate) registers: i64,
    pub(crate) registers_per_block: i64,
    /// 32-bit multiply-adds per cycle.
    pub(crate) lanes: i64,
}

/// Compute capability; resident blocks and warps; KiB of shared memory, and of one block's at most;
/// multiply-adds per cycle.
const NVIDIA: [(i64, i64, i64, i64, i64, i64); 18] = [
    (60, 32, 64, 64, 48, 64),
    (61, 32, 64, 96, 48, 128),
    (70, 32, 64, 96, 96, 64),
    (72, 32, 64, 96, 96, 64),
    (75, 16, 32, 64, 64, 64),
    (80, 32, 64, 164, 163, 64),
    (86, 16, 48, 100, 99, 128),
    (87, 16, 48, 164, 163, 128),
    (88, 16, 48, 100, 99, 128),
    (89, 24, 48, 100, 99, 128),
    (90, 32, 64, 228, 227, 128),
    (100, 32, 64, 228, 227, 128),
    // The name that 11.0 had before CUDA 13.
    (101, 24, 48, 228, 227, 128),
    (103, 32, 64, 228, 227, 128),
    (107, 16, 64, 328, 327, 128),
    (110, 24, 48, 228, 227, 128),
    (120, 24, 48, 100, 99, 128),
    (121, 24, 48, 100, 99, 128),
];

/// The limits of a compute capability, or of an architecture where that is 0. What is newer than the
/// table is taken for the last kind before it; what is unknown altogether, for a small GPU.
pub(crate) fn of(compute_capability: i64, architecture: &str) -> Limits {
    if compute_capability > 0 {
        nvidia(compute_capability)
    } else {
        amd(architecture)
    }
}

fn nvidia(compute_capability: i64) -> Limits {
    let next = NVIDIA.partition_point(|row| row.0 <= compute_capability);
    let (_, blocks, warps, shared, optin, lanes) = NVIDIA[next.saturating_sub(1)];
    Limits {
        warps,
        blocks,
        warp_size: 32,
        shared: shared << 10,
        shared_per_block: 48 << 10,
        shared_per_block_optin: optin << 10,
        shared_reserved: if compute_capability >= 80 { 1 << 10 } else { 0 },
        registers: 64 << 10,
        registers_per_block: 64 << 10,
        lanes,
    }
}

fn amd(architecture: &str) -> Limits {
    let name = architecture.to_ascii_lowercase();
    // gfx9 and before are the wide machines of 64 lanes, gfx10 and later the narrow ones of 32.
    let narrow = name.contains("rdna")
        || ["gfx10", "gfx11", "gfx12"]
            .iter()
            .any(|of| name.contains(of));
    Limits {
        warps: 32,
        blocks: 32,
        warp_size: if narrow { 32 } else { 64 },
        shared: 64 << 10,
        shared_per_block: 64 << 10,
        shared_per_block_optin: 64 << 10,
        shared_reserved: 0,
        registers: if narrow { 64 << 10 } else { 128 << 10 },
        registers_per_block: if narrow { 64 << 10 } else { 128 << 10 },
        lanes: 64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_limits() {
        let of = |capability| {
            let limits = of(capability, "");
            (
                limits.blocks,
                limits.warps,
                limits.shared >> 10,
                limits.lanes,
            )
        };
        assert_eq!(of(75), (16, 32, 64, 64));
        assert_eq!(of(80), (32, 64, 164, 64));
        assert_eq!(of(86), (16, 48, 100, 128));
        assert_eq!(of(90), (32, 64, 228, 128));
        assert_eq!(of(120), (24, 48, 100, 128));
        // Not like the kind before them.
        assert_eq!(of(88), of(86));
        assert_eq!(of(101), of(110));
        assert_eq!(of(107).0, 16);
    }

    #[test]
    fn what_the_table_does_not_know_is_like_the_kind_before_it() {
        assert!(NVIDIA.is_sorted_by_key(|row| row.0));
        assert_eq!(of(104, ""), of(103, ""));
        assert_eq!(of(999, ""), of(121, ""));
        assert_eq!(of(1, ""), of(60, ""));
        assert_eq!(of(0, "CDNA2 gfx90a").warp_size, 64);
        assert_eq!(of(0, "RDNA2 gfx1032").warp_size, 32);
        assert_eq!(of(-3, "").warp_size, 64);
    }
}
