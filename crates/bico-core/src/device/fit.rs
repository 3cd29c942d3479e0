//! Whether a GPU can launch a kernel with given extents.

use super::{ACCELERATED, CudaFacts, Dims};

/// Equal for all GPUs since compute capability 3.0 (CUDA Programming Guide, technical
/// specifications).
const MOST_BLOCKS: [u32; 3] = [i32::MAX as u32, 65_535, 65_535];
const MOST_THREADS: [u32; 3] = [1024, 1024, 64];
/// Blocks of a cluster that every GPU with clusters has room for (CUDA Programming Guide, "Thread Block Clusters").
pub const MOST_OF_CLUSTER: u64 = 8;

/// What launches of one compiled kernel may ask for on one device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelLimits {
    /// Threads of a block: fewer than the device's where the kernel needs many registers.
    pub threads: u64,
    /// Bytes of shared memory of a block.
    pub shared: u64,
    /// What the kernel declares of them itself.
    pub fixed: u64,
    /// Blocks of a cluster: one where there are none.
    pub cluster: u64,
}

impl KernelLimits {
    /// The limits as far as the device alone tells.
    pub fn of(gpu: &CudaFacts) -> KernelLimits {
        let most = gpu.shared_memory_per_block_optin;
        let most = most.max(gpu.shared_memory_per_block);
        KernelLimits {
            threads: u64::try_from(gpu.max_threads_per_block).unwrap_or(0),
            shared: u64::try_from(most).unwrap_or(0),
            fixed: 0,
            cluster: KernelLimits::cluster(gpu),
        }
    }

    /// Blocks of a cluster at most: the first GPUs with clusters are those with features of their own.
    pub fn cluster(gpu: &CudaFacts) -> u64 {
        match gpu.compute_capability >= ACCELERATED.into() {
            true => MOST_OF_CLUSTER,
            false => 1,
        }
    }

    /// Whether a launch is within them. One without blocks is: it does nothing.
    #[inline]
    pub fn allow(&self, dims: &Dims) -> bool {
        let mut within = dims.threads() <= self.threads && self.needs(dims) <= self.shared;
        // Nearly all launches have none, and calls should not divide.
        within &= dims.cluster == [1; 3] || self.allow_cluster(dims);
        for axis in 0..3 {
            within &= dims.grid[axis] <= MOST_BLOCKS[axis];
            within &= (1..=MOST_THREADS[axis]).contains(&dims.block[axis]);
        }
        within
    }

    #[inline(never)]
    fn allow_cluster(&self, dims: &Dims) -> bool {
        let mut axes = dims.grid.iter().zip(&dims.cluster);
        axes.all(|(blocks, cluster)| blocks.is_multiple_of(*cluster))
            && (1..=self.cluster).contains(&dims.cluster_size())
    }

    fn needs(&self, dims: &Dims) -> u64 {
        self.fixed.saturating_add(dims.shared.into())
    }

    /// Which of them a launch breaks, in words.
    pub fn broken(&self, dims: &Dims) -> Option<String> {
        if self.allow(dims) {
            return None;
        }
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            if dims.block[axis] == 0 {
                return Some(format!("a block has no thread in {name}"));
            }
            let (blocks, cluster) = (dims.grid[axis], dims.cluster[axis]);
            if cluster == 0 {
                return Some(format!("a cluster has no block in {name}"));
            }
            if !blocks.is_multiple_of(cluster) {
                return Some(format!(
                    "the grid has {blocks} blocks in {name}, which are no whole clusters of {cluster}"
                ));
            }
            for (have, most, what, of) in [
                (dims.block[axis], MOST_THREADS[axis], "a block", "threads"),
                (dims.grid[axis], MOST_BLOCKS[axis], "the grid", "blocks"),
            ] {
                if have > most {
                    let message = format!("{what} has {have} {of} in {name}, {most} are the most");
                    return Some(message);
                }
            }
        }
        let (blocks, most) = (dims.cluster_size(), self.cluster);
        if blocks > most {
            return Some(match most {
                1 => "this GPU has no clusters".to_string(),
                _ => format!("a cluster has {blocks} blocks, {most} are the most"),
            });
        }
        let (threads, most) = (dims.threads(), self.threads);
        if threads > most {
            return Some(format!(
                "a block has {threads} threads, {most} are the most"
            ));
        }
        let (needs, most) = (self.needs(dims), self.shared);
        Some(format!(
            "a block needs {needs} bytes of shared memory, {most} are the most"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::cuda::tests::a100;

    fn said(dims: Dims) -> Option<String> {
        let limits = KernelLimits::of(&a100());
        let broken = limits.broken(&dims);
        assert_eq!(broken.is_none(), limits.allow(&dims), "{dims:?}");
        broken.map(|why| why.to_string())
    }

    const DIMS: Dims = Dims {
        grid: [7, 65_535, 65_535],
        block: [32, 32, 1],
        cluster: [1; 3],
        shared: 163 << 10,
        dependent: false,
    };

    #[test]
    fn limits_are_those_of_the_device() {
        assert_eq!(said(DIMS), None);
        let nothing = Dims {
            grid: [0, 1, 1],
            ..DIMS
        };
        assert_eq!(said(nothing), None);
        let text = |dims| said(dims).unwrap();
        assert_eq!(
            text(Dims {
                shared: (163 << 10) + 1,
                ..DIMS
            }),
            "a block needs 166913 bytes of shared memory, 166912 are the most"
        );
        assert_eq!(
            text(Dims {
                block: [33, 32, 1],
                ..DIMS
            }),
            "a block has 1056 threads, 1024 are the most"
        );
        assert_eq!(
            text(Dims {
                block: [1, 1, 65],
                ..DIMS
            }),
            "a block has 65 threads in z, 64 are the most"
        );
        assert_eq!(
            text(Dims {
                grid: [1, 65_536, 1],
                ..DIMS
            }),
            "the grid has 65536 blocks in y, 65535 are the most"
        );
        assert_eq!(
            text(Dims {
                block: [32, 0, 1],
                ..DIMS
            }),
            "a block has no thread in y"
        );
        assert!(
            said(Dims {
                grid: [u32::MAX, 1, 1],
                ..DIMS
            })
            .is_some()
        );
    }

    #[test]
    fn clusters_are_whole_and_small() {
        let dims = |grid: u32, cluster| Dims {
            grid: [grid, 1, 1],
            cluster: [cluster, 1, 1],
            ..DIMS
        };
        let mut hopper = a100();
        assert_eq!(said(dims(8, 2)).unwrap(), "this GPU has no clusters");
        hopper.compute_capability = 90;
        let limits = KernelLimits::of(&hopper);
        assert_eq!(limits.broken(&dims(8, 2)), None);
        for (grid, cluster, why) in [
            (
                9,
                2,
                "the grid has 9 blocks in x, which are no whole clusters of 2",
            ),
            (16, 16, "a cluster has 16 blocks, 8 are the most"),
            (8, 0, "a cluster has no block in x"),
        ] {
            assert_eq!(limits.broken(&dims(grid, cluster)).as_deref(), Some(why));
        }
    }

    #[test]
    fn a_kernel_may_be_narrower_than_its_device() {
        let kernel = KernelLimits {
            threads: 512,
            shared: 1100,
            fixed: 100,
            cluster: 1,
        };
        assert!(!kernel.allow(&DIMS));
        let small = Dims {
            block: [512, 1, 1],
            shared: 1000,
            ..DIMS
        };
        assert!(kernel.allow(&small));
        assert!(!kernel.allow(&Dims {
            shared: 1001,
            ..small
        }));
    }
}
