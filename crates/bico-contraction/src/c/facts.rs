//! What is known when the text is written.

use super::Tiling;
use crate::nest::{Bound, Loop, Nest};
use crate::template::Words;
use crate::{DimType, LastTouch};

/// How a tensor's blocks are packed.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Packing {
    /// The lines' elements are neighbours in memory.
    Straight,
    /// A line's elements are neighbours in memory: the block is transposed.
    Turned,
    /// Neither.
    Scattered,
}

/// One side of the register tile.
#[derive(Clone, Copy)]
pub(super) struct Side {
    /// 0: M, with A; 1: N, with B. Also the number of the tensor and of the scratch buffer.
    pub(super) index: usize,
    /// `MR` or `NR`.
    pub(super) width: &'static str,
    /// `m` or `n`.
    pub(super) letter: &'static str,
    /// `A` or `B`.
    pub(super) tensor: &'static str,
    /// How its tensor is packed.
    pub(super) packing: Packing,
    /// True if the last panel of a block may be cut off.
    pub(super) ragged: bool,
}

impl Side {
    /// The tensor's name in variables.
    pub(super) fn lower(self) -> &'static str {
        ["a", "b"][self.index]
    }

    /// The function that packs blocks of its tensor, whose depth is a multiple of 4 if `quads`.
    pub(super) fn packing(self, quads: bool) -> String {
        let mut words = Words::default();
        words.flag("ragged", self.ragged);
        words.flag("quads", quads);
        words.flag("straight", self.packing == Packing::Straight);
        words.flag("turned", self.packing == Packing::Turned);
        words.flag("scattered", self.packing == Packing::Scattered);
        words.word("T", self.tensor);
        words.word("t", self.lower());
        words.word("WIDTH", self.width);
        words.fill(include_str!("text/pack.c"))
    }
}

/// A nest and what follows from it.
pub(super) struct Facts<'a> {
    pub(super) nest: &'a Nest,
    /// M and N.
    pub(super) sides: [Side; 2],
    /// True if the rows of the register tile run along M: there C is contiguous.
    pub(super) swapped: bool,
    /// True if a row of the register tile is contiguous in C, and in D.
    pub(super) direct: bool,
    /// True if C is multiplied by D.
    pub(super) scaled: bool,
    /// True if a block's depth may be no multiple of `KU`.
    pub(super) deep_ragged: bool,
    /// True if a block's depth is a multiple of 4.
    pub(super) quads: bool,
    /// True if sizes are the call's: tiles are macros.
    pub(super) open: bool,
}

impl<'a> Facts<'a> {
    pub(super) fn of(nest: &'a Nest, tiling: Option<&Tiling>) -> Facts<'a> {
        let ragged = |side: usize, step: Option<u64>| {
            // A bound without a tile may leave nothing of a block that is summed over: a multiple of everything.
            let is_bounded = |bound: &Bound| matches!(bound.tile, Some((tile, _)) if tile == side);
            let size = nest.tile[side].extent.value;
            let whole = size
                .zip(step)
                .is_some_and(|(size, step)| size.is_multiple_of(step));
            nest.bounds.iter().any(is_bounded) || !whole
        };
        let packing = |side: usize| {
            let stride = |tile: usize| &nest.tile[tile].strides[side];
            match (stride(side).is(1), stride(2).is(1)) {
                (true, _) => Packing::Straight,
                (false, true) => Packing::Turned,
                (false, false) => Packing::Scattered,
            }
        };
        let side = |index: usize| Side {
            index,
            width: ["MR", "NR"][index],
            letter: ["m", "n"][index],
            tensor: ["A", "B"][index],
            packing: packing(index),
            ragged: ragged(index, tiling.map(|tiling| tiling.register[index])),
        };
        let scaled = nest.last == LastTouch::ElementwiseMul;
        let contiguous = |side: usize, tensor: usize| nest.tile[side].strides[tensor].is(1);
        let swapped = contiguous(0, 2) && !contiguous(1, 2);
        let cols = if swapped { 0 } else { 1 };
        Facts {
            nest,
            sides: [side(0), side(1)],
            swapped,
            direct: contiguous(cols, 2) && (!scaled || contiguous(cols, 3)),
            scaled,
            deep_ragged: ragged(2, tiling.map(|tiling| tiling.unroll)),
            quads: !ragged(2, Some(4)),
            open: nest.tile.iter().any(|tile| tile.extent.value.is_none()),
        }
    }

    /// The side along the rows' numbers: its panels are read float by float.
    pub(super) fn rows(&self) -> Side {
        self.sides[usize::from(self.swapped)]
    }

    /// The side along the vectors.
    pub(super) fn cols(&self) -> Side {
        self.sides[usize::from(!self.swapped)]
    }

    /// What all texts are filled in with.
    pub(super) fn words(&self) -> Words {
        let mut words = Words::default();
        let ragged = self.sides.iter().any(|side| side.ragged);
        let turned = |side: &Side| side.packing == Packing::Turned;
        let bounded = self.nest.bounds.iter().any(|bound| bound.tile.is_some());
        // Some register tiles do not go straight to C.
        let edges = !self.direct || ragged;
        words.flag("swapped", self.swapped);
        words.flag("ordered", self.nest.swap.is_some());
        words.flag("open", self.open);
        words.flag("direct", self.direct);
        words.flag("edges", edges);
        words.flag("both", self.direct && edges);
        words.flag("scaled", self.scaled);
        words.flag("deep_ragged", self.deep_ragged);
        words.flag("turned", self.sides.iter().any(turned));
        words.flag("keeps_a", self.keeps(0));
        words.flag("keeps_b", self.keeps(1));
        words.flag("remembers", self.keeps(0) || self.keeps(1));
        words.flag("clips", edges || bounded);
        words.flag("bounded", bounded);
        for (side, names) in [
            (self.rows(), ["ROWS", "R", "r", "row"]),
            (self.cols(), ["COLS", "C", "c", "col"]),
        ] {
            let own = [side.width, side.tensor, side.lower(), side.letter];
            names
                .iter()
                .zip(own)
                .for_each(|(name, own)| words.word(name, own));
        }
        words
    }

    /// True if steps that follow each other may need the same block of this side: there is a loop
    /// along the other one.
    pub(super) fn keeps(&self, side: usize) -> bool {
        let other = [DimType::N, DimType::M][side];
        self.running().any(|(_, l)| l.dim_type == other)
    }

    /// The loops that run more than once, with their numbers.
    pub(super) fn running(&self) -> impl Iterator<Item = (usize, &'a Loop)> + Clone {
        let loops = self.nest.loops.iter().enumerate();
        loops.filter(|(_, l)| !l.extent.is(1))
    }

    /// The loops over K that run more than once.
    pub(super) fn sums(&self) -> impl Iterator<Item = &'a Loop> {
        let loops = self.running().map(|(_, l)| l);
        loops.filter(|l| l.dim_type == DimType::K)
    }
}
