//! GPUs of the table: what NVIDIA publishes of them, in whole figures.
//!
//! Whitepapers of the A100 (2020), H100 (2022) and Ada (2022) architectures and the H200's data sheet (2023).

/// A GPU as the table needs it.
pub(super) struct Gpu {
    pub(super) name: &'static str,
    pub(super) multiprocessors: u64,
    pub(super) l2_bytes: u64,
    /// Bytes per second of its memory.
    pub(super) memory: f64,
    /// Boost clock.
    pub(super) clock: f64,
}

const MIB: u64 = 1 << 20;

pub(super) const GPUS: [Gpu; 5] = [
    Gpu {
        name: "A100 40GB",
        multiprocessors: 108,
        l2_bytes: 40 * MIB,
        memory: 1555e9,
        clock: 1.410e9,
    },
    Gpu {
        name: "H100 SXM",
        multiprocessors: 132,
        l2_bytes: 50 * MIB,
        memory: 3350e9,
        clock: 1.830e9,
    },
    Gpu {
        name: "H200",
        multiprocessors: 132,
        l2_bytes: 50 * MIB,
        memory: 4800e9,
        clock: 1.830e9,
    },
    Gpu {
        name: "RTX 4090",
        multiprocessors: 128,
        l2_bytes: 72 * MIB,
        memory: 1008e9,
        clock: 2.520e9,
    },
    // The exercise counts on 24 MiB, which this one has.
    Gpu {
        name: "RTX 4060",
        multiprocessors: 24,
        l2_bytes: 24 * MIB,
        memory: 272e9,
        clock: 2.460e9,
    },
];

/// Bytes per cycle that a multiprocessor gets of the second-level cache: the A100's 5120 for 108, rounded down.
pub(super) const CACHE_BYTES: f64 = 40.0;
