//! The performance model: seconds predicted from work and device facts.
//!
//! It lives here and not in the build, because an unknown device must be ranked at run time too.

mod cpu;
mod cuda;
mod occupancy;

pub use cpu::vector_bits_of;
pub use cuda::{Profile, cached, coalesced, predict_profile};
pub use occupancy::{obstacle, resident_blocks};

use crate::device::{Dims, Facts};

/// What the model knows of one config at one problem.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Work {
    /// Floating-point operations of one call, where the author says.
    pub flops: Option<f64>,
    /// Bytes moved by one call, where the author says.
    pub bytes: Option<f64>,
    /// Bytes of all buffers together, scratch included: the working set.
    pub footprint: f64,
    /// Widest vector in bits that the config's compiler flags allow; 0: the device's.
    pub vector_bits: i64,
    /// How the kernel is launched, where it runs on a GPU.
    pub launch: Option<Launch>,
}

/// One launch of a kernel on a GPU. What is `None` is not known, and taken for what is usual.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Launch {
    /// Blocks of the grid.
    pub blocks: f64,
    /// Blocks in x, where it is known: neighbours there are started one after the other.
    pub grid_width: Option<f64>,
    /// Threads of a block.
    pub threads: i64,
    /// Extent of a block in x: neighbours there are neighbours in a warp.
    pub width: i64,
    /// Shared memory of a block, in bytes.
    pub shared_bytes: i64,
    /// Registers of a thread, where the compiled code tells.
    pub registers: Option<i64>,
    /// Whether the compiler ran out of registers and keeps some of them in memory.
    pub spills: bool,
}

impl Launch {
    /// What its extents and the compiled code (registers of a thread, 0: not known) tell of a launch.
    pub fn new(dims: &Dims, registers: i64) -> Launch {
        Launch {
            grid_width: Some(dims.grid[0].into()),
            blocks: dims.grid.iter().map(|&extent| f64::from(extent)).product(),
            threads: i64::try_from(dims.threads()).unwrap_or(i64::MAX),
            width: dims.block[0].into(),
            shared_bytes: dims.shared.into(),
            registers: (registers > 0).then_some(registers),
            ..Launch::default()
        }
    }
}

/// Predicted time of one call, in seconds. Only its order matters. Never NaN; grows (or stays) with
/// each kind of work.
///
/// A launch that the device cannot run is predicted to take a million times as long.
pub fn predict(facts: &Facts, work: &Work) -> f64 {
    match facts {
        Facts::Cpu(cpu) => cpu::predict(cpu, work),
        Facts::Cuda(gpu) => cuda::predict(gpu, work),
    }
}

/// An amount of work is a number from zero up, whatever an expression made of it.
pub fn amount(x: f64) -> f64 {
    if x.is_nan() {
        0.0
    } else {
        x.clamp(0.0, f64::MAX)
    }
}
