//! The GPUs that can be stood in for.
//!
//! Sources: NVIDIA's data sheets of the products (name, multiprocessors, clocks, memory bus, L2) and
//! the CUDA Programming Guide's table of technical specifications per compute capability.

/// What a driver tells about one kind of GPU. Clocks in kHz, sizes in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gpu {
    /// What `BICO_HOST_GPUS` calls it.
    pub(crate) key: &'static str,
    pub(crate) name: &'static str,
    /// Major and minor of the compute capability.
    pub(crate) capability: (i32, i32),
    pub(crate) multiprocessors: i32,
    pub(crate) l2: i32,
    pub(crate) clock: i32,
    pub(crate) memory_clock: i32,
    pub(crate) bus_bits: i32,
    pub(crate) threads_per_multiprocessor: i32,
    pub(crate) blocks_per_multiprocessor: i32,
    pub(crate) shared_per_multiprocessor: i32,
    pub(crate) shared_optin: i32,
    pub(crate) shared_reserved: i32,
    pub(crate) ecc: bool,
    /// Single over double precision throughput.
    pub(crate) double_ratio: i32,
}

/// Equal for every capability from 7.5 on.
pub(crate) const THREADS_PER_BLOCK: i32 = 1024;
pub(crate) const SHARED_PER_BLOCK: i32 = 48 << 10;
pub(crate) const REGISTERS: i32 = 64 << 10;
pub(crate) const WARP: i32 = 32;
pub(crate) const BLOCK: [u32; 3] = [1024, 1024, 64];
pub(crate) const GRID: [u32; 3] = [i32::MAX as u32, 65535, 65535];

const GPUS: [Gpu; 5] = [
    Gpu {
        key: "A100",
        name: "NVIDIA A100-SXM4-40GB",
        capability: (8, 0),
        multiprocessors: 108,
        l2: 40 << 20,
        clock: 1_410_000,
        memory_clock: 1_215_000,
        bus_bits: 5120,
        threads_per_multiprocessor: 2048,
        blocks_per_multiprocessor: 32,
        shared_per_multiprocessor: 164 << 10,
        shared_optin: 163 << 10,
        shared_reserved: 1 << 10,
        ecc: true,
        double_ratio: 2,
    },
    Gpu {
        key: "RTX 4090",
        name: "NVIDIA GeForce RTX 4090",
        capability: (8, 9),
        multiprocessors: 128,
        l2: 72 << 20,
        clock: 2_520_000,
        memory_clock: 10_501_000,
        bus_bits: 384,
        threads_per_multiprocessor: 1536,
        blocks_per_multiprocessor: 24,
        shared_per_multiprocessor: 100 << 10,
        shared_optin: 99 << 10,
        shared_reserved: 1 << 10,
        ecc: false,
        double_ratio: 64,
    },
    Gpu {
        key: "H100",
        name: "NVIDIA H100 80GB HBM3",
        capability: (9, 0),
        multiprocessors: 132,
        l2: 50 << 20,
        clock: 1_980_000,
        memory_clock: 2_619_000,
        bus_bits: 5120,
        threads_per_multiprocessor: 2048,
        blocks_per_multiprocessor: 32,
        shared_per_multiprocessor: 228 << 10,
        shared_optin: 227 << 10,
        shared_reserved: 1 << 10,
        ecc: true,
        double_ratio: 2,
    },
    Gpu {
        key: "RTX 2080 Ti",
        name: "NVIDIA GeForce RTX 2080 Ti",
        capability: (7, 5),
        multiprocessors: 68,
        l2: 5632 << 10,
        clock: 1_545_000,
        memory_clock: 7_000_000,
        bus_bits: 352,
        threads_per_multiprocessor: 1024,
        blocks_per_multiprocessor: 16,
        shared_per_multiprocessor: 64 << 10,
        shared_optin: 64 << 10,
        shared_reserved: 0,
        ecc: false,
        double_ratio: 32,
    },
    Gpu {
        key: "RTX 3090",
        name: "NVIDIA GeForce RTX 3090",
        capability: (8, 6),
        multiprocessors: 82,
        l2: 6 << 20,
        clock: 1_695_000,
        memory_clock: 9_751_000,
        bus_bits: 384,
        threads_per_multiprocessor: 1536,
        blocks_per_multiprocessor: 16,
        shared_per_multiprocessor: 100 << 10,
        shared_optin: 99 << 10,
        shared_reserved: 1 << 10,
        ecc: false,
        double_ratio: 64,
    },
];

impl Gpu {
    /// 80 for 8.0.
    pub(crate) fn architecture(&self) -> u32 {
        (self.capability.0 * 10 + self.capability.1) as u32
    }

    /// The GPUs of a list by comma.
    ///
    /// # Errors
    ///
    /// Names the one that is not known, and those that are.
    pub(crate) fn list(text: &str) -> Result<Vec<Gpu>, String> {
        text.split(',')
            .map(str::trim)
            .filter(|key| !key.is_empty())
            .map(|key| {
                GPUS.iter()
                    .find(|gpu| gpu.key.eq_ignore_ascii_case(key))
                    .copied()
                    .ok_or_else(|| {
                        let known: Vec<_> = GPUS.iter().map(|gpu| gpu.key).collect();
                        format!(
                            "BICO_HOST_GPUS: '{key}' is not known, only {}",
                            known.join(", ")
                        )
                    })
            })
            .collect()
    }

    /// A value of `cuDeviceGetAttribute`; 0 for what does not matter here, as for most features that
    /// a GPU lacks.
    pub(crate) fn attribute(&self, number: i32, ordinal: usize) -> i32 {
        match number {
            1 => THREADS_PER_BLOCK,
            2..=4 => BLOCK[number as usize - 2] as i32,
            5..=7 => GRID[number as usize - 5] as i32,
            8 => SHARED_PER_BLOCK,
            9 => 64 << 10,
            10 => WARP,
            11 => i32::MAX,
            12 | 82 => REGISTERS,
            13 => self.clock,
            14 | 30 => 512,
            15 | 19 | 31 | 41 | 78 | 79 | 80 | 83 | 90 | 95 | 102 | 115 => 1,
            16 => self.multiprocessors,
            32 => i32::from(self.ecc),
            33 => ordinal as i32 + 1,
            36 => self.memory_clock,
            37 => self.bus_bits,
            38 => self.l2,
            39 => self.threads_per_multiprocessor,
            40 => 2,
            51 => 32,
            75 => self.capability.0,
            76 => self.capability.1,
            81 => self.shared_per_multiprocessor,
            87 => self.double_ratio,
            97 => self.shared_optin,
            106 => self.blocks_per_multiprocessor,
            111 => self.shared_reserved,
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists() {
        let two = Gpu::list("A100, rtx 4090").unwrap();
        assert_eq!(two[0].architecture(), 80);
        assert_eq!(two[1].name, "NVIDIA GeForce RTX 4090");
        assert!(Gpu::list("").unwrap().is_empty());
        assert!(
            Gpu::list("A100,Voodoo 2")
                .unwrap_err()
                .contains("'Voodoo 2'")
        );
    }

    #[test]
    fn one_block_never_has_all_the_shared_memory_of_newer_ones() {
        for gpu in GPUS {
            assert_eq!(
                gpu.shared_optin + gpu.shared_reserved,
                gpu.shared_per_multiprocessor,
                "{}",
                gpu.name
            );
            assert_eq!(gpu.attribute(97, 0), gpu.shared_optin);
            assert_eq!(gpu.threads_per_multiprocessor % WARP, 0);
        }
    }
}
