//! How an input lies in memory, and what follows for its tile in shared memory.

use crate::DataType;
use crate::nest::{Bound, Nest, Term};

/// The rows or the columns of the product: one of M and N and the input that has it.
pub(super) struct Side {
    /// In [`Nest::tile`], and the number of its tensor: 0 is A, 1 is B.
    pub(super) index: usize,
    /// `M` or `N`.
    pub(super) letter: char,
    /// Elements from one index of this side to the next.
    pub(super) own: Term,
    /// Elements from one index along K to the next.
    pub(super) k: Term,
    /// Whether lines of the tile are along K. Where neither direction is contiguous, the nearer one is.
    pub(super) along_k: bool,
    /// Whether neighbours along the lines are neighbours in memory.
    pub(super) contiguous: bool,
}

impl Side {
    pub(super) fn of(nest: &Nest, index: usize) -> Side {
        let own = nest.tile[index].strides[index].clone();
        let k = nest.tile[2].strides[index].clone();
        let nearer = matches!((own.value, k.value), (Some(own), Some(k)) if own > 0 && own < k);
        let along_k = !own.is(1) && !nearer;
        let contiguous = if along_k { k.is(1) } else { own.is(1) };
        Side {
            index,
            letter: ['M', 'N'][index],
            own,
            k,
            along_k,
            contiguous,
        }
    }

    /// Whether C lies contiguously along this side, so that it is the columns of the product; N is where neither does.
    pub(super) fn is_column(nest: &Nest, index: usize) -> bool {
        let dense = |index: usize| nest.tile[index].strides[2].is(1);
        let of_m = dense(0) && !dense(1);
        if index == 0 { of_m } else { !of_m }
    }

    /// In FP32: whether the tile is transposed on its way to shared memory.
    pub(super) fn is_turned(&self) -> bool {
        self.along_k || !self.contiguous
    }

    /// Elements from one line of the tile to the next.
    pub(super) fn pitch(&self) -> &Term {
        if self.along_k { &self.own } else { &self.k }
    }

    /// How many elements a load may have by what is known of the strides and bounds: a power of two up to `most`.
    pub(super) fn widest(&self, nest: &Nest, most: u64) -> u64 {
        // A chunk ends where a bound does if each index of the contiguous direction counts one.
        let ends = |bound: &Bound| matches!(&bound.tile, Some((2, factor)) if !factor.is(1));
        if !self.contiguous || self.along_k && nest.bounds.iter().any(ends) {
            return 1;
        }
        let mut width = most;
        for value in self.multiples(nest).0.iter().filter_map(|term| term.value) {
            while width > 1 && value % width != 0 {
                width /= 2;
            }
        }
        width
    }

    /// Conditions, beside the address, under which `VECTOR` elements are loaded at once, of what is not
    /// known to be a multiple of `most`. `extent` is the variable that says how much of this side exists.
    pub(super) fn conditions(&self, nest: &Nest, most: u64, extent: &str) -> Vec<String> {
        let (terms, edges) = self.multiples(nest);
        let mut conditions: Vec<String> = terms
            .iter()
            .filter(|term| term.value.is_none_or(|value| value % most != 0) && !has_step(term))
            .map(|term| format!("{} % VECTOR == 0", in_parentheses(term)))
            .collect();
        if edges {
            conditions.push(format!("{extent} % VECTOR == 0"));
        }
        conditions.sort();
        conditions.dedup();
        conditions
    }

    /// What must be a multiple of a load's elements, and whether the tile's own extent must be, too.
    fn multiples(&self, nest: &Nest) -> (Vec<Term>, bool) {
        let mut terms = vec![self.pitch().clone()];
        let of_k = nest.loops.iter().filter(|l| super::walk::is_k(l));
        terms.extend(of_k.map(|l| l.strides[self.index].clone()));
        let side = if self.along_k { 2 } else { self.index };
        let mut edges = false;
        let is_own = |bound: &&Bound| matches!(&bound.tile, Some((own, _)) if *own == side);
        for bound in nest.bounds.iter().filter(is_own) {
            if self.along_k {
                terms.push(bound.limit.clone());
                terms.extend(bound.loops.iter().map(|(_, factor)| factor.clone()));
            } else {
                edges = true;
            }
        }
        (terms, edges)
    }
}

/// Whether `K_PRIM`, a multiple of all widths, is a factor.
fn has_step(term: &Term) -> bool {
    term.factor() == term.text && term.text.split(" * ").any(|factor| factor == "K_PRIM")
}

/// A term as an operand of `%` and `*`.
pub(super) fn in_parentheses(term: &Term) -> String {
    match term.text.contains(' ') {
        true => format!("({})", term.text),
        false => term.text.clone(),
    }
}

/// Elements of 16 bytes.
pub(super) fn most(data_type: DataType) -> u64 {
    match data_type {
        DataType::F16 => 8,
        DataType::F32 => 4,
    }
}
