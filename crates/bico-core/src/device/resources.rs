//! What code takes of a GPU.

crate::json_struct! {
    /// What a compiled kernel takes of a multiprocessor.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub struct Resources {
        /// 32-bit registers of a thread.
        pub registers: u32,
        /// Static shared memory of a block, bytes.
        pub shared_bytes: u32,
        /// Local memory of a thread (stack and spilled registers), bytes.
        pub local_bytes: u32,
        /// Bytes of registers that a thread stores to local memory for want of registers.
        pub spill_bytes: u32,
    }

    /// What a config uses of a GPU, as trail and lock hold it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Usage {
        /// Registers of one thread.
        pub registers: u32,
        /// On-chip bytes of one block.
        pub on_chip_bytes: u64,
        /// Bytes of registers that one thread keeps in memory for want of registers.
        pub spill_bytes: u32,
    }
}
