//! A kernel for one schedule: text and scratch.

use super::facts::Facts;
use super::text;
use crate::{ContractionError, Nest, Result, Signature};

/// The micro parameters of a kernel for one schedule. What the text of a tunable gets with each
/// compilation, one of these fixes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tiling {
    /// `VL`: floats per vector, 4, 8 or 16.
    pub vector: u64,
    /// `MR` and `NR`: the register tile along M and N. The side along which C is contiguous is a
    /// multiple of `vector`: N, unless only M is.
    pub register: [u64; 2],
    /// `KU`: steps along K per pass of the innermost loop.
    pub unroll: u64,
    /// `PF_A`: the distance in steps along K at which packed elements are prefetched; 0: never.
    pub prefetch: u64,
}

/// A C kernel for one schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    /// C, complete.
    pub source: String,
    /// The kernel's name.
    pub entry: String,
    /// Floats of the two scratch buffers, which are 64-byte aligned.
    pub scratch: [u64; 2],
}

impl Tiling {
    /// A tiling for this nest, by the sides of its inner product: a register tile for 16 vectors of 8
    /// floats, or the next smaller one that leaves no edges.
    pub fn of(nest: &Nest) -> Tiling {
        let facts = Facts::of(nest, None);
        let size = |index: usize| nest.tile[index].extent.value.unwrap_or(u64::MAX);
        let best = |choices: &[u64], size: u64| {
            let divides = choices.iter().find(|width| size.is_multiple_of(**width));
            let fits = || choices.iter().find(|width| **width <= size);
            *divides.or_else(fits).or(choices.last()).unwrap_or(&1)
        };
        let (rows, cols) = (facts.rows().index, facts.cols().index);
        let mut register = [0; 2];
        register[rows] = best(&[6, 4, 3, 2, 1], size(rows));
        register[cols] = best(&[16, 8, 4], size(cols));
        Tiling {
            vector: register[cols].min(8),
            register,
            unroll: 1,
            prefetch: 0,
        }
    }

    fn check(&self, facts: &Facts<'_>) -> Result<()> {
        let mut messages = Vec::new();
        if ![4, 8, 16].contains(&self.vector) {
            let vector = self.vector;
            messages.push(format!("vectors have 4, 8 or 16 floats, not {vector}"));
        }
        for (name, value) in [
            ("register[0]", self.register[0]),
            ("register[1]", self.register[1]),
            ("unroll", self.unroll),
        ] {
            if !(1..=64).contains(&value) {
                messages.push(format!("`{name}` is from 1 to 64, not {value}"));
            }
        }
        let cols = self.register[facts.cols().index];
        if self.vector > 0 && !cols.is_multiple_of(self.vector) {
            messages.push(format!(
                "the register tile's side along {} is {cols}, but it is a multiple of `vector`, {}",
                facts.cols().letter.to_uppercase(),
                self.vector
            ));
        }
        ContractionError::check(messages)
    }

    /// The macros that a text for one schedule defines.
    pub(super) fn constants(&self) -> Vec<(&'static str, u64)> {
        vec![
            ("VL", self.vector),
            ("MR", self.register[0]),
            ("NR", self.register[1]),
            ("KU", self.unroll),
            ("PF_A", self.prefetch),
        ]
    }
}

/// The kernel of a nest whose numbers are all known.
///
/// # Errors
///
/// What the tiling does not allow, or the signature lacks.
pub fn kernel(nest: &Nest, signature: &Signature, tiling: &Tiling) -> Result<Kernel> {
    tiling.check(&Facts::of(nest, None))?;
    let [Some(m), Some(n), Some(k)] = nest.tile.each_ref().map(|side| side.extent.value) else {
        return Err(ContractionError::new(
            "a kernel for one schedule needs all sizes: use `c::source` for a text of all sizes",
        ));
    };
    let block = |side: u64, width: u64| {
        let lines = side.checked_next_multiple_of(width);
        let floats = lines.and_then(|lines| lines.checked_mul(k));
        floats.ok_or_else(|| ContractionError::new("a packed block has 2^64 elements or more"))
    };
    let [rows, columns] = tiling.register;
    Ok(Kernel {
        scratch: [block(m, rows)?, block(n, columns)?],
        source: text(nest, signature, Some(tiling))?,
        entry: signature.entry.clone(),
    })
}
