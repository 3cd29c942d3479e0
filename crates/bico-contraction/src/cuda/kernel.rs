//! A kernel for one schedule: what a block computes and with how many threads, its text and launch.

use super::side::{self, Side};
use super::{blocks, fit, reference, text};
use crate::nest::Nest;
use crate::{ContractionError, DataType, Result, Signature};

/// The micro parameters of a kernel for one schedule. What the text of a tunable gets with each
/// compilation, one of these fixes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tiling {
    /// `M_PRIM`, `N_PRIM`, `K_PRIM`: the tile of a block. It need not be the inner product of the schedule, which
    /// is cut into such tiles, with bounds where they are larger.
    pub tile: [u64; 3],
    /// FP16: `WARP_M` and `WARP_N`, the part of a warp. FP32: `MR` and `NR`, that of a thread.
    pub part: [u64; 2],
    /// `STAGES`: steps along K whose tiles are in shared memory at a time; at least 2.
    pub stages: u64,
}

impl Tiling {
    /// A tiling for this nest, by the sides of its inner product: the largest known good tile that they fill.
    pub fn of(nest: &Nest) -> Tiling {
        let choices: &[Tiling] = match nest.input {
            DataType::F16 => &[
                Tiling::new([128, 128, 32], [64, 64], 3),
                Tiling::new([64, 128, 32], [32, 64], 3),
                Tiling::new([128, 64, 32], [64, 32], 3),
                Tiling::new([64, 64, 32], [32, 32], 3),
                Tiling::new([32, 32, 32], [32, 32], 3),
            ],
            DataType::F32 => &[
                Tiling::new([128, 128, 16], [8, 8], 3),
                Tiling::new([64, 64, 16], [4, 4], 3),
                Tiling::new([32, 32, 16], [4, 4], 3),
            ],
        };
        let fills = |tiling: &&Tiling| {
            let mut sides = nest.tile.iter().zip(tiling.tile).take(2);
            sides.all(|(tile, side)| tile.extent.value.is_none_or(|size| 2 * size > side))
                && tiling.check(nest).is_ok()
        };
        *choices
            .iter()
            .find(fills)
            .unwrap_or(&choices[choices.len() - 1])
    }

    const fn new(tile: [u64; 3], part: [u64; 2], stages: u64) -> Tiling {
        Tiling { tile, part, stages }
    }

    /// Threads of a block.
    pub fn threads(&self, input: DataType) -> u64 {
        let parts = self.tile[0] / self.part[0].max(1) * (self.tile[1] / self.part[1].max(1));
        match input {
            DataType::F16 => 32 * parts,
            DataType::F32 => parts,
        }
    }

    /// Bytes of dynamic shared memory of a block of this nest.
    pub fn shared_bytes(&self, nest: &Nest) -> u64 {
        let [m, n, k] = self.tile;
        match nest.input {
            DataType::F16 => 2 * self.stages * k * (m + n),
            DataType::F32 => {
                let padding = |side: usize| 4 * u64::from(Side::of(nest, side).is_turned());
                4 * self.stages * k * (m + padding(0) + n + padding(1))
            }
        }
    }

    /// The macros that a text for one schedule defines.
    pub(super) fn constants(&self, nest: &Nest) -> [(&'static str, u64); 7] {
        let ([m, n, k], [own_m, own_n]) = (self.tile, self.part);
        let [name_m, name_n] = match nest.input {
            DataType::F16 => ["WARP_M", "WARP_N"],
            DataType::F32 => ["MR", "NR"],
        };
        [
            ("M_PRIM", m),
            ("N_PRIM", n),
            ("K_PRIM", k),
            (name_m, own_m),
            (name_n, own_n),
            ("STAGES", self.stages),
            ("VECTOR", widest(nest)),
        ]
    }

    /// Whether the kernel takes these values: what its text asserts, in words.
    ///
    /// # Errors
    ///
    /// All that is wrong, and what to do.
    pub fn check(&self, nest: &Nest) -> Result<()> {
        let mut wrong = Vec::new();
        let [m, n, k] = self.tile;
        let is_half = nest.input == DataType::F16;
        for (side, letter) in [(0, 'M'), (1, 'N')] {
            let (part, whole) = (self.part[side], self.tile[side]);
            let (step, what) = match is_half {
                true if Side::is_column(nest, side) => (32, "WARP"),
                true => (16, "WARP"),
                false => (4, "a thread's part"),
            };
            if part == 0 || !part.is_multiple_of(step) || !whole.is_multiple_of(part) {
                wrong.push(format!("{what} along {letter} is {part}: it must be a multiple of {step} that divides {whole}"));
            }
        }
        if self.stages < 2 {
            wrong.push("STAGES must be 2 or more".into());
        }
        let least = if is_half { 32 } else { 8 };
        if !k.is_power_of_two() || k < least {
            wrong.push(format!(
                "K_PRIM is {k}: it must be a power of two from {least} on"
            ));
        }
        ContractionError::check(std::mem::take(&mut wrong))?;
        let threads = self.threads(nest.input);
        if !(32..=1024).contains(&threads) || !threads.is_multiple_of(32) {
            return Err(ContractionError::new(format!(
                "a block has {threads} threads: 32 to 1024 in whole warps are possible"
            )));
        }
        for (side, letter, own) in [(0, 'M', m), (1, 'N', n)] {
            if !shares(nest, &Side::of(nest, side), own, k, threads) {
                wrong.push(format!("{threads} threads cannot share a tile of {own} along {letter} and {k} along K: use other sizes, best powers of two"));
            }
        }
        let [down, across] = [m / self.part[0], n / self.part[1]];
        let is_odd = |lanes: u64| !lanes.is_power_of_two() || lanes < 2;
        if !is_half && (is_odd(down) || is_odd(across)) {
            wrong.push(format!(
                "the tile has {down} x {across} threads: both must be powers of two from 2 on"
            ));
        }
        ContractionError::check(wrong)
    }
}

/// Whether each thread copies as much of a tile as every other.
fn shares(nest: &Nest, side: &Side, own: u64, k: u64, threads: u64) -> bool {
    let is_half = nest.input == DataType::F16;
    if !is_half && side.is_turned() {
        let are_powers = own.is_power_of_two() && threads.is_power_of_two();
        return are_powers && (own * k).is_multiple_of(threads);
    }
    let (lines, length) = match is_half && side.along_k {
        true => (own, k),
        false => (k, own),
    };
    let pieces = length / side::most(nest.input);
    pieces > 0
        && (!is_half || pieces.is_power_of_two())
        && threads.is_multiple_of(pieces)
        && lines.is_multiple_of(threads / pieces)
}

/// Elements of a load, by what is known of the nest: the fewest of the inputs that have wide ones at all.
fn widest(nest: &Nest) -> u64 {
    let widths = [0, 1].map(|side| Side::of(nest, side).widest(nest, side::most(nest.input)));
    let wide = widths.into_iter().filter(|width| *width > 1);
    wide.min().unwrap_or(1)
}

/// A CUDA kernel for one schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    /// CUDA C++, complete but for the headers of CUDA itself.
    pub source: String,
    /// The kernel's name.
    pub entry: String,
    /// Blocks, all along x.
    pub grid: u64,
    /// Threads of a block, along x.
    pub block: u64,
    /// Bytes of dynamic shared memory.
    pub shared: u64,
    /// Blocks of 256 threads of the reference, if there is one.
    pub reference_grid: u64,
}

/// The kernel of a nest whose numbers are all known.
///
/// # Errors
///
/// What the tiling does not allow, or the signature lacks.
pub fn kernel(nest: &Nest, signature: &Signature, tiling: &Tiling) -> Result<Kernel> {
    tiling.check(nest)?;
    let fitted = fit::fit(nest, tiling.tile);
    let unknown = || {
        ContractionError::new(
            "a kernel for one schedule needs all sizes: use `cuda::source` for a text of all sizes",
        )
    };
    let grid = blocks::total(&fitted).ok_or_else(unknown)?;
    if grid > i32::MAX as u64 {
        return Err(ContractionError::new(format!(
            "{grid} blocks are more than a GPU launches: make the tiles larger, or some Par dimensions Seq"
        )));
    }
    Ok(Kernel {
        source: text(&fitted, signature, &tiling.constants(&fitted))?,
        entry: signature.entry.clone(),
        grid,
        block: tiling.threads(nest.input),
        shared: tiling.shared_bytes(nest),
        reference_grid: reference::elements(nest).ok_or_else(unknown)?.div_ceil(256),
    })
}
