//! What is known of a GPU.

use super::codec::facts;
use super::facts::tidy;
use super::limits;

facts! {
    /// Facts of a GPU, by the names of `device`'s fields in an attribute. Sizes are in bytes, registers
    /// count 32 bits each.
    ///
    /// GPUs of other vendors, as recordings hold them, have no compute capability: it is 0, and the
    /// words are read in their sense (multiprocessor: compute unit; warp: wavefront).
    pub struct CudaFacts {
        /// The driver's name for it: `NVIDIA H200`.
        pub name: String,
        /// What code is compiled for: `sm_90`; elsewhere the architecture's name, `gfx90a`.
        pub architecture: String,
        /// 89 for sm_89; 0 where there is none.
        pub compute_capability: i64,
        /// Threads of one block, at most.
        pub max_threads_per_block: i64,
        /// Shared memory that any launch may ask for.
        pub shared_memory_per_block: i64,
        /// Shared memory that kernels may ask for which opt in to more.
        pub shared_memory_per_block_optin: i64,
        /// Shared memory of one multiprocessor.
        pub shared_memory_per_multiprocessor: i64,
        /// Registers of one block, at most.
        pub registers_per_block: i64,
        /// Registers of one multiprocessor.
        pub registers_per_multiprocessor: i64,
        /// Threads that are resident on one multiprocessor, at most.
        pub max_threads_per_multiprocessor: i64,
        /// Threads that run in lockstep.
        pub warp_size: i64,
        /// How many multiprocessors there are.
        pub multiprocessors: i64,
        /// The second-level cache.
        pub l2_bytes: i64,
        /// Bandwidth of the device's memory.
        pub memory_bytes_per_second: i64,
        /// Clock of the multiprocessors.
        pub clock_hz: i64,
    }
}

/// The first compute capability with features that no later one need have, so that code with them is for that one only. Its
/// architecture has an `a` behind: `sm_90a` (CUDA Programming Guide, "Architecture-Specific Features").
pub const ACCELERATED: u16 = 90;

impl CudaFacts {
    /// What the vendor publishes for all GPUs of a compute capability (8.9 is 89), or of an
    /// architecture where that is 0. What differs from product to product is typical: set
    /// [`multiprocessors`](CudaFacts::multiprocessors), `l2_bytes`, `memory_bytes_per_second` and
    /// `clock_hz` where they are known.
    pub fn typical(name: &str, architecture: &str, compute_capability: i64) -> CudaFacts {
        let limits = limits::of(compute_capability, architecture);
        let architecture = match compute_capability {
            0 => tidy(architecture),
            known => format!("sm_{known}"),
        };
        CudaFacts {
            name: tidy(name),
            architecture,
            compute_capability,
            max_threads_per_block: 1024,
            shared_memory_per_block: limits.shared_per_block,
            shared_memory_per_block_optin: limits.shared_per_block_optin,
            shared_memory_per_multiprocessor: limits.shared,
            registers_per_block: limits.registers_per_block,
            registers_per_multiprocessor: limits.registers,
            max_threads_per_multiprocessor: limits.warps * limits.warp_size,
            warp_size: limits.warp_size,
            multiprocessors: 64,
            l2_bytes: 4 << 20,
            memory_bytes_per_second: 500_000_000_000,
            clock_hz: 1_500_000_000,
        }
    }

    /// 32-bit multiply-adds of one multiprocessor per cycle, as published for GPUs of this kind.
    pub fn lanes(&self) -> i64 {
        limits::of(self.compute_capability, &self.architecture).lanes
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::Value;
    use crate::device::Facts;

    /// A GPU for tests.
    pub(crate) fn a100() -> CudaFacts {
        CudaFacts {
            multiprocessors: 108,
            l2_bytes: 40 << 20,
            memory_bytes_per_second: 1_555_000_000_000,
            clock_hz: 1_410_000_000,
            ..CudaFacts::typical("NVIDIA A100-PCIE-40GB", "Ampere", 80)
        }
    }

    #[test]
    fn key_says_what_not_where() {
        let key = |gpu| Facts::Cuda(gpu).key().to_string();
        assert_eq!(key(a100()), "NVIDIA A100-PCIE-40GB (sm_80)");
        let amd = CudaFacts::typical("AMD MI250X", "gfx90a", 0);
        assert_eq!(key(amd), "AMD MI250X (gfx90a)");
        let nameless = CudaFacts::typical(" \n", "", 0);
        assert_eq!(key(nameless), "unknown (unknown)");
    }

    #[test]
    fn fields_of_gpus_are_not_those_of_cpus() {
        let facts = Facts::Cuda(a100());
        assert_eq!(facts.field("compute_capability"), Some(Value::Int(80)));
        assert_eq!(
            facts.field("shared_memory_per_multiprocessor"),
            Some(Value::Int(164 << 10))
        );
        assert_eq!(facts.field("cores"), None);
        assert!(!facts.has("avx2"));
    }
}
