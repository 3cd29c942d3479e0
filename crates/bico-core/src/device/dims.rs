//! How a kernel is launched on a GPU.

crate::json_struct! {
    /// Extents of one launch. x comes first; extents that are not named are 1.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub struct Dims {
        /// Blocks.
        pub grid: [u32; 3],
        /// Threads of a block.
        pub block: [u32; 3],
        /// Blocks of a cluster.
        pub cluster: [u32; 3],
        /// Dynamic shared memory of a block, in bytes.
        pub shared: u32,
        /// Whether it may begin before the launch ahead of it in the stream ends (programmatic dependent launch).
        pub dependent: bool,
    }
}

impl Dims {
    /// Threads of a block; the most that there are where that overflows.
    pub fn threads(&self) -> u64 {
        product(self.block)
    }

    /// Blocks of a cluster; the most that there are where that overflows.
    pub fn cluster_size(&self) -> u64 {
        product(self.cluster)
    }

    /// Whether it has no block or no thread: such a launch does nothing.
    pub fn is_empty(&self) -> bool {
        self.grid.contains(&0) || self.block.contains(&0)
    }
}

fn product(extents: [u32; 3]) -> u64 {
    let extents = extents.into_iter().map(u64::from);
    extents.fold(1, u64::saturating_mul)
}
