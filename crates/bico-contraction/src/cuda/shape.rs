//! What a block computes and with how many threads: the values of a kernel's macros.

use super::side::{self, Side};
use crate::nest::Nest;
use crate::{ContractionError, DataType};

/// The micro parameters of a kernel for one schedule. What the text of a tunable gets with each
/// compilation, one of these fixes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
            let sides = nest.tile.iter().zip(tiling.tile).take(2);
            sides
                .clone()
                .all(|(tile, side)| tile.extent.value.is_none_or(|size| 2 * size > side))
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
                let padding = |side: usize| {
                    if Side::of(nest, side).is_turned() {
                        4
                    } else {
                        0
                    }
                };
                4 * self.stages * k * (m + padding(0) + n + padding(1))
            }
        }
    }

    /// The macros that a text for one schedule defines.
    pub(super) fn constants(&self, nest: &Nest) -> Vec<(String, String)> {
        let [m, n, k] = self.tile;
        let parts = match nest.input {
            DataType::F16 => ["WARP_M", "WARP_N"],
            DataType::F32 => ["MR", "NR"],
        };
        [
            ("M_PRIM", m),
            ("N_PRIM", n),
            ("K_PRIM", k),
            (parts[0], self.part[0]),
            (parts[1], self.part[1]),
        ]
        .into_iter()
        .chain([("STAGES", self.stages), ("VECTOR", widest(nest))])
        .map(|(name, value)| (name.to_string(), value.to_string()))
        .collect()
    }

    /// Whether the kernel takes these values: what its text asserts, in words.
    ///
    /// # Errors
    ///
    /// All that is wrong, and what to do.
    pub fn check(&self, nest: &Nest) -> Result<(), ContractionError> {
        let mut wrong = Vec::new();
        let [m, n, k] = self.tile;
        let mut hold = |holds: bool, message: String| {
            if !holds {
                wrong.push(message);
            }
        };
        for (side, letter) in [(0, 'M'), (1, 'N')] {
            let part = self.part[side];
            let (step, what) = match nest.input {
                DataType::F16 => (if Side::is_column(nest, side) { 32 } else { 16 }, "WARP"),
                DataType::F32 => (4, "a thread's part"),
            };
            hold(
                part > 0 && part.is_multiple_of(step) && self.tile[side].is_multiple_of(part),
                format!(
                    "{what} along {letter} is {part}: it must be a multiple of {step} that divides {}",
                    self.tile[side]
                ),
            );
        }
        hold(self.stages >= 2, "STAGES must be 2 or more".into());
        let least = if nest.input == DataType::F16 { 32 } else { 8 };
        hold(
            k.is_power_of_two() && k >= least,
            format!("K_PRIM is {k}: it must be a power of two from {least} on"),
        );
        ContractionError::check(std::mem::take(&mut wrong))?;
        let threads = self.threads(nest.input);
        hold_threads(&mut wrong, threads);
        ContractionError::check(std::mem::take(&mut wrong))?;
        for (side, own) in [(0, m), (1, n)] {
            let letter = ['M', 'N'][side];
            if !shares(nest, &Side::of(nest, side), own, k, threads) {
                wrong.push(format!("{threads} threads cannot share a tile of {own} along {letter} and {k} along K: use other sizes, best powers of two"));
            }
        }
        if nest.input == DataType::F32 {
            let lanes = [self.tile[0] / self.part[0], self.tile[1] / self.part[1]];
            if lanes
                .iter()
                .any(|lanes| !lanes.is_power_of_two() || *lanes < 2)
            {
                wrong.push(format!(
                    "the tile has {} x {} threads: both must be powers of two from 2 on",
                    lanes[0], lanes[1]
                ));
            }
        }
        ContractionError::check(wrong)
    }
}

fn hold_threads(wrong: &mut Vec<String>, threads: u64) {
    if !(32..=1024).contains(&threads) || !threads.is_multiple_of(32) {
        wrong.push(format!(
            "a block has {threads} threads: 32 to 1024 in whole warps are possible"
        ));
    }
}

/// Whether each thread copies as much of a tile as every other.
fn shares(nest: &Nest, side: &Side, own: u64, k: u64, threads: u64) -> bool {
    if nest.input == DataType::F32 && side.is_turned() {
        return own.is_power_of_two()
            && threads.is_power_of_two()
            && (own * k).is_multiple_of(threads);
    }
    let (lines, length) = if nest.input == DataType::F16 && side.along_k {
        (own, k)
    } else {
        (k, own)
    };
    let pieces = length / side::most(nest.input);
    pieces > 0
        && (nest.input == DataType::F32 || pieces.is_power_of_two())
        && threads.is_multiple_of(pieces)
        && lines.is_multiple_of(threads / pieces)
}

/// Elements of a load, by what is known of the nest: the fewest of the inputs that have wide ones at all.
fn widest(nest: &Nest) -> u64 {
    let most = side::most(nest.input);
    let sides = [Side::of(nest, 0), Side::of(nest, 1)];
    let widths = sides
        .iter()
        .map(|side| side.widest(nest, most))
        .filter(|width| *width > 1);
    widths.min().unwrap_or(1)
}
