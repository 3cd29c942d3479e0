//! What is known when the text is written.

use super::super::nest::{Loop, Nest, Size, Term};
use super::super::{DimType, LastTouch};

/// How a tensor's blocks are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Packing {
    /// The lines' elements are neighbours in memory.
    Straight,
    /// A line's elements are neighbours in memory: the block is transposed.
    Turned,
    /// Neither.
    Scattered,
}

/// One side of the register tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    pub(super) fn of(nest: &'a Nest, constants: &[(String, String)]) -> Facts<'a> {
        let constant = |name: &str| {
            let found = constants.iter().find(|(known, _)| known == name);
            found.and_then(|(_, value)| value.parse::<u64>().ok())
        };
        let ragged = |side: usize, step: Option<u64>| {
            let bounded = nest.bounds.iter().any(|bound| match &bound.tile {
                Some((tile, _)) => *tile == side,
                // Of a block that is summed over, such a bound may leave nothing, which is a multiple of all.
                None => false,
            });
            let whole = match (nest.tile[side].size.value, step) {
                (Some(size), Some(step)) => step > 0 && size % step == 0,
                _ => false,
            };
            bounded || !whole
        };
        let packing = |side: usize| {
            let stride = |tile: usize| &nest.tile[tile].strides[side];
            match (stride(side).is(1), stride(2).is(1)) {
                (true, _) => Packing::Straight,
                (false, true) => Packing::Turned,
                (false, false) => Packing::Scattered,
            }
        };
        let side = |index: usize| {
            let width = ["MR", "NR"][index];
            Side {
                index,
                width,
                letter: ["m", "n"][index],
                tensor: ["A", "B"][index],
                packing: packing(index),
                ragged: ragged(index, constant(width)),
            }
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
            deep_ragged: ragged(2, constant("KU")),
            quads: !ragged(2, Some(4)),
            open: nest.tile.iter().any(|tile| tile.size.value.is_none()),
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

    /// True if some register tiles do not go straight to C.
    pub(super) fn edges(&self) -> bool {
        !self.direct || self.sides.iter().any(|side| side.ragged)
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
        self.running()
            .map(|(_, l)| l)
            .filter(|l| l.dim_type == DimType::K)
    }
}

/// `i_m_out`: the index of a loop.
pub(super) fn index(l: &Loop) -> String {
    format!("i_{}", l.name)
}

/// How often a loop runs: the number, a name that there is, or `n_m_out` for what must be computed.
pub(super) fn extent(l: &Loop) -> String {
    match l.extent.text.contains(' ') {
        true => format!("n_{}", l.name),
        false => l.extent.text.clone(),
    }
}

/// `a_m_out`: how far a tensor's elements are apart.
pub(super) fn stride(tensor: usize, name: &str) -> String {
    format!("{}_{name}", ["a", "b", "c", "d"][tensor])
}

/// `i_m_out * a_m_out + ..`: an element's place in a tensor; nothing for the first.
pub(super) fn place<'l>(tensor: usize, loops: impl Iterator<Item = &'l Loop>) -> Vec<String> {
    loops
        .filter_map(|l| {
            let step = &l.strides[tensor];
            match step.value {
                Some(0) => None,
                Some(1) => Some(index(l)),
                _ => Some(format!("{} * {}", index(l), stride(tensor, &l.name))),
            }
        })
        .collect()
}

/// The declared strides: `a_m_out = 64`, tensor by tensor.
pub(super) fn strides<'l>(
    all: impl Iterator<Item = (&'l str, &'l [Term; 4])> + Clone,
    tensors: usize,
) -> Vec<Vec<String>> {
    let of_tensor = |tensor: usize| {
        let named = all.clone().map(|(name, strides)| (name, &strides[tensor]));
        named
            .filter(|(_, term)| !term.is(0) && !term.is(1))
            .map(|(name, term)| format!("{} = {term}", stride(tensor, name)))
            .collect::<Vec<_>>()
    };
    (0..tensors)
        .map(of_tensor)
        .filter(|of_tensor| !of_tensor.is_empty())
        .collect()
}

/// `const size_t size_ab = (size_t)a * b;` for the sizes that `text` names.
pub(super) fn sizes(sizes: &[Size], text: &str) -> String {
    let mut out = String::new();
    for size in sizes {
        if has_word(text, &size.name) {
            let factors: Vec<String> = size.letters.iter().map(char::to_string).collect();
            let first = match factors.len() {
                1 => "",
                _ => "(size_t)",
            };
            out += &format!(
                "const size_t {} = {first}{};\n",
                size.name,
                factors.join(" * ")
            );
        }
    }
    out
}

/// True if an identifier stands in a text.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part)
    })
}
